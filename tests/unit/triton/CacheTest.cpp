// CacheTest.cpp - the plugin as libnereid loads it: images are taken from the
// cache without a Python, and without a Triton.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include "nereid/host.h"

#include <sys/stat.h>

#include <fstream>

using namespace nereid::triton;
using testing::HasSubstr;

namespace {
class CacheTest : public TritonFixture {
protected:
  CacheTest() {
    setenv("NEREID_CACHE_DIR", settings.cacheDirectory.c_str(), 1);
    setenv("NEREID_TRITON_PYTHON", PYTHON, 1);
  }
  ~CacheTest() override {
    unsetenv("NEREID_CACHE_DIR");
    unsetenv("NEREID_TRITON_PYTHON");
  }

  /// Compiles in a runtime of its own; "" and an error if that fails.
  std::string compileWithHost(const std::string &source) {
    error.clear();
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_ALLOW_WRITABLE;
    nereid_runtime_t *runtime = nullptr;
    nereid_backend_t *backend = nullptr;
    nereid_artifact_t *artifact = nullptr;
    EXPECT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
    EXPECT_EQ(nereid_runtime_load(runtime, text(TRITON_PLUGIN), &backend),
              NEREID_OK)
        << view(nereid_error());
    nereid_target_t target = cudaTarget();
    nereid_compile_request_t request = {};
    request.struct_size = sizeof request;
    request.source = {source.data(), source.size()};
    request.source_name = text("k.ttir");
    request.target = &target;
    std::string output;
    if (nereid_compile(backend, &request, &artifact) != NEREID_OK) {
      error = view(nereid_error());
    } else {
      nereid_artifact_info_t info = {};
      info.struct_size = sizeof info;
      nereid_artifact_info(artifact, &info);
      output.assign(static_cast<const char *>(info.output.data),
                    info.output.size);
      isFromCache = info.from_cache;
    }
    nereid_artifact_destroy(artifact);
    nereid_runtime_destroy(runtime);
    return output;
  }

  std::string error;
  bool isFromCache = false;
};
} // namespace

TEST_F(CacheTest, ACachedImageNeedsNoTriton) {
  std::string image = compileWithHost(kernel());
  ASSERT_NE(image, "") << error;
  EXPECT_FALSE(isFromCache);
  // Neither one that is never started, nor one that has no Triton any more.
  for (const char *python : {PYTHON, "/bin/false"}) {
    setenv("NEREID_TRITON_PYTHON", python, 1);
    EXPECT_EQ(compileWithHost(kernel()), image) << error;
    EXPECT_TRUE(isFromCache) << python;
  }
  // Any other kernel says what is missing.
  EXPECT_EQ(compileWithHost(kernel("other")), "");
  EXPECT_THAT(error, HasSubstr("no Python with Triton 3.6 to 3.9 was found: "
                               "'/bin/false' cannot be asked for Triton: it "
                               "ended with status 1"));
}

TEST_F(CacheTest, AFailureNamesTheKernelAndTheStage) {
  EXPECT_EQ(compileWithHost(kernel("crash")), "");
  EXPECT_THAT(error, HasSubstr("k.ttir: stage 'ttgir' failed: plugin 'triton': "
                               "the compiler's process failed: it crashed"));
  EXPECT_NE(compileWithHost(kernel()), "") << error;
}

// Variables that change what Triton does are part of the key.
TEST_F(CacheTest, VariablesOfTritonAreInTheKey) {
  ASSERT_NE(compileWithHost(kernel()), "") << error;
  setenv("DISABLE_PTXAS_OPT", "1", 1);
  EXPECT_NE(compileWithHost(kernel()), "") << error;
  EXPECT_FALSE(isFromCache);
  unsetenv("DISABLE_PTXAS_OPT");
  setenv("TRITON_CACHE_DIR", "/tmp", 1);
  EXPECT_NE(compileWithHost(kernel()), "") << error;
  EXPECT_TRUE(isFromCache);
  unsetenv("TRITON_CACHE_DIR");
}
