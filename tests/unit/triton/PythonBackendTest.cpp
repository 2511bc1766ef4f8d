// PythonBackendTest.cpp - `nereid new-plugin --from-python` makes a plugin of a
// class: it compiles, and a driver launches what it makes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include "nereid/host.h"

#include <fstream>
#include <sys/wait.h>

using namespace nereid::triton;
using testing::HasSubstr;

namespace {
class PythonBackendTest : public TritonFixture {
protected:
  PythonBackendTest() {
    setenv("NEREID_CACHE_DIR", settings.cacheDirectory.c_str(), 1);
    setenv("NEREID_TRITON_PYTHON", PYTHON, 1);
  }
  ~PythonBackendTest() override {
    nereid_runtime_destroy(runtime);
    unsetenv("NEREID_CACHE_DIR");
    unsetenv("NEREID_TRITON_PYTHON");
  }

  /// Runs the tool; what it prints is in `printed`.
  int tool(const std::string &arguments,
           const std::string &verb = "new-plugin") {
    std::string command = std::string(TOOL) + " " + verb + " " + arguments +
                          " > " + folder + "/printed 2>&1";
    int status = std::system(command.c_str());
    std::ifstream file(folder + "/printed");
    printed.assign(std::istreambuf_iterator<char>(file), {});
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string printed;
  nereid_runtime_t *runtime = nullptr;
};
} // namespace

TEST_F(PythonBackendTest, AClassCompilesForADriver) {
  ASSERT_EQ(tool("--from-python dummy_backend:DummyBackend " + folder +
                 "/plugins --id dummy --target extension --path " DUMMY_FOLDER),
            0)
      << printed;
  nereid_runtime_options_t options = {};
  options.struct_size = sizeof options;
  options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_ALLOW_WRITABLE;
  ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
  nereid_backend_t *compiler = nullptr, *driver = nullptr;
  std::string plugin = folder + "/plugins/dummy.so";
  ASSERT_EQ(nereid_runtime_load(runtime, text(plugin), &compiler), NEREID_OK)
      << view(nereid_error());
  ASSERT_EQ(nereid_runtime_load(runtime, text(EXTENSION_DRIVER), &driver),
            NEREID_OK)
      << view(nereid_error());

  std::string source = kernel();
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.source = {source.data(), source.size()};
  request.source_name = text("k.ttir");
  nereid_value_t warps = {};
  warps.name = text("num_warps");
  warps.type = NEREID_TYPE_I64;
  warps.i64 = 2;
  request.options = &warps;
  request.option_count = 1;
  nereid_artifact_t *artifact = nullptr;
  ASSERT_EQ(nereid_compile(driver, &request, &artifact), NEREID_OK)
      << view(nereid_error());
  nereid_artifact_info_t info = {};
  info.struct_size = sizeof info;
  nereid_artifact_info(artifact, &info);
  EXPECT_EQ(view(info.kind), "dummy");
  EXPECT_EQ(view(info.name), "kernel");

  nereid_function_t *function = nullptr;
  ASSERT_EQ(nereid_function_load(driver, 0, artifact, &function), NEREID_OK)
      << view(nereid_error());
  struct {
    uint64_t x;
    int32_t n, padding;
  } block = {0, 7, 0};
  nereid_launch_t launch = {};
  launch.struct_size = sizeof launch;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.arguments = &block;
  launch.arguments_size = sizeof block;
  EXPECT_EQ(nereid_function_launch(function, &launch), NEREID_OK)
      << view(nereid_error());
  nereid_function_destroy(function);
  nereid_artifact_destroy(artifact);
}

// The checks of a compiler need no device, only a target.
TEST_F(PythonBackendTest, PassesTheChecksOfCompilers) {
  ASSERT_EQ(tool("--from-python dummy_backend:DummyBackend " + folder +
                 "/plugins --id dummy --target extension --path " DUMMY_FOLDER),
            0)
      << printed;
  std::string plugin = folder + "/plugins/dummy.so";
  EXPECT_EQ(tool(plugin, "validate"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("name one that it serves: --target TARGET"));
  EXPECT_EQ(tool(plugin + " --target extension:x1", "validate"), 0) << printed;
  for (const char *check :
       {"option-schema", "option-defaults", "option-canonical-text",
        "unknown-option-refused", "stages", "frontend-facts",
        "compile-repeatable", "image-metadata", "option-in-key",
        "damaged-source-refused", "shutdown-ends-compiler"})
    EXPECT_THAT(printed, HasSubstr("pass    " + std::string(check)));
}

TEST_F(PythonBackendTest, SaysWhatAClassGetsWrong) {
  struct {
    const char *name, *message;
  } cases[] = {
      {"NamelessBackend", "no stage sets metadata['name']"},
      {"ObjectBackend", "stage 'graph' returns a dict, expected str, bytes or "
                        "a module"},
  };
  std::ofstream(folder + "/k.ttir") << kernel();
  for (const auto &each : cases) {
    std::string plugins = folder + "/" + each.name;
    ASSERT_EQ(tool(std::string("--from-python dummy_backend:") + each.name +
                   " " + plugins +
                   " --id dummy --target extension --path " DUMMY_FOLDER),
              0)
        << printed;
    EXPECT_NE(tool(folder +
                       "/k.ttir --target extension:x1 --compiler dummy "
                       "--plugin " +
                       plugins + "/dummy.so -o " + folder + "/image",
                   "compile"),
              0);
    EXPECT_THAT(printed, HasSubstr(each.message));
  }
}

TEST_F(PythonBackendTest, RefusesWhatIsNoClassAndKeepsFiles) {
  EXPECT_NE(tool("--from-python dummy " + folder + "/p --id dummy"), 0);
  EXPECT_THAT(printed, HasSubstr("expected MODULE:CLASS"));
  EXPECT_NE(tool("--from-python a:B " + folder + "/p --id 'A b'"), 0);
  EXPECT_THAT(printed, HasSubstr("is not 1 to 63 of [a-z0-9_.-]"));
  EXPECT_NE(tool("--from-python a:B " + folder + "/p --path /nonexistent"), 0);
  EXPECT_THAT(printed, HasSubstr("/nonexistent"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/p"));
  EXPECT_EQ(tool("--from-python a:B " + folder + "/p --id b"), 0) << printed;
  EXPECT_NE(tool("--from-python a:B " + folder + "/p --id b"), 0);
  EXPECT_THAT(printed, HasSubstr("the file exists, and is not overwritten"));
}

// The class is imported by the worker, whose error is that of the compilation.
TEST_F(PythonBackendTest, AMissingClassIsNamed) {
  ASSERT_EQ(tool("--from-python dummy_backend:Nothing " + folder +
                 "/plugins --id dummy --target extension --path " DUMMY_FOLDER),
            0)
      << printed;
  nereid_runtime_options_t options = {};
  options.struct_size = sizeof options;
  options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_ALLOW_WRITABLE;
  ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
  nereid_backend_t *compiler = nullptr;
  std::string plugin = folder + "/plugins/dummy.so";
  ASSERT_EQ(nereid_runtime_load(runtime, text(plugin), &compiler), NEREID_OK)
      << view(nereid_error());
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("extension");
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.target = &target;
  nereid_artifact_t *artifact = nullptr;
  EXPECT_EQ(nereid_compile(compiler, &request, &artifact), NEREID_UNAVAILABLE);
  EXPECT_THAT(std::string(view(nereid_error())),
              HasSubstr("'dummy_backend:Nothing' cannot be imported"));
}
