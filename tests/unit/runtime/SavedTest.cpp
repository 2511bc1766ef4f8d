// SavedTest.cpp - what is kept of stages, and results that are saved and
// opened.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace {
class SavedTest : public RuntimeFixture {
protected:
  nereid_artifact_t *compileKeeping(std::string_view source = "abc") {
    nereid_compile_request_t keeping = request(source);
    keeping.flags = NEREID_COMPILE_KEEP_STAGES;
    nereid_artifact_t *artifact = compile(keeping);
    EXPECT_NE(artifact, nullptr) << lastError();
    return artifact;
  }

  static std::string stage(nereid_artifact_t *artifact, std::string_view name) {
    nereid_bytes_t bytes = {};
    if (nereid_artifact_stage(artifact, text(name), &bytes) != NEREID_OK)
      return lastError();
    return {static_cast<const char *>(bytes.data), bytes.size};
  }

  static std::string save(nereid_artifact_t *artifact) {
    nereid_buffer_t *buffer = nullptr;
    EXPECT_EQ(nereid_artifact_save(artifact, &buffer), NEREID_OK)
        << lastError();
    nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
    std::string file(static_cast<const char *>(bytes.data), bytes.size);
    nereid_buffer_destroy(buffer);
    return file;
  }

  nereid_artifact_t *open(std::string_view file) {
    nereid_artifact_t *artifact = nullptr;
    status = nereid_artifact_open(runtime, {file.data(), file.size()},
                                  text("saved"), &artifact);
    return artifact;
  }
};
} // namespace

TEST_F(SavedTest, KeepsStageOutputs) {
  nereid_artifact_t *artifact = compileKeeping();
  EXPECT_EQ(stage(artifact, "parse"), "parsed abc");
  EXPECT_EQ(stage(artifact, "lower"), "lowered abc");
  EXPECT_EQ(stage(artifact, "pack"), "packed lowered abc");
  EXPECT_EQ(stage(artifact, "paste"),
            "error: k.ttir: nothing was kept of stage 'paste', only of: pack, "
            "parse, lower");
  nereid_artifact_destroy(artifact);
}

TEST_F(SavedTest, KeepsStageOutputsInTheCache) {
  nereid_artifact_destroy(compileKeeping());
  restart();
  nereid_artifact_t *again = compileKeeping();
  EXPECT_EQ(info(again).from_cache, 1u);
  EXPECT_EQ(stage(again, "parse"), "parsed abc");
  nereid_artifact_destroy(again);

  nereid_artifact_t *plain = compile(request("abc"));
  EXPECT_EQ(info(plain).from_cache, 0u);
  EXPECT_THAT(stage(plain, "parse"), HasSubstr("nothing was kept"));
  nereid_artifact_destroy(plain);
}

TEST_F(SavedTest, KeepsReplacedStageOutputs) {
  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("lower");
  replacement.replacement = {"other", 5};
  nereid_compile_request_t replaced = request("abc");
  replaced.flags = NEREID_COMPILE_KEEP_STAGES;
  replaced.replacements = &replacement;
  replaced.replacement_count = 1;
  nereid_artifact_t *artifact = compile(replaced);
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(stage(artifact, "lower"), "other");
  EXPECT_EQ(stage(artifact, "pack"), "packed other");
  nereid_artifact_destroy(artifact);
}

TEST_F(SavedTest, OpensWhatWasSaved) {
  nereid_artifact_t *artifact = compileKeeping();
  std::string key = string(info(artifact).key), file = save(artifact);
  EXPECT_EQ(file.substr(0, 6), "packed");
  EXPECT_EQ(file.find("parsed abc"), std::string::npos);
  nereid_artifact_destroy(artifact);

  restart(NEREID_RUNTIME_NO_CACHE);
  nereid_artifact_t *opened = open(file);
  ASSERT_NE(opened, nullptr) << lastError();
  EXPECT_EQ(output(opened), "packed lowered abc");
  EXPECT_EQ(string(info(opened).key), key);
  EXPECT_EQ(string(info(opened).name), "fake");
  EXPECT_EQ(save(opened), file);
  nereid_function_t *function = nullptr;
  ASSERT_EQ(nereid_function_load(backend, 0, opened, &function), NEREID_OK)
      << lastError();
  nereid_function_destroy(function);
  nereid_artifact_destroy(opened);
}

TEST_F(SavedTest, FindsTheFileOfTheCache) {
  nereid_artifact_t *artifact = compileKeeping();
  nereid_artifact_t *opened = open(save(artifact));
  nlohmann::json json = jsonOf([&](nereid_buffer_t **out) {
    return nereid_artifact_describe(opened, out);
  });
  if (json.contains("path")) // files of the cache may be executed here
    EXPECT_THAT(json["path"].get<std::string>(), HasSubstr(directory));
  nereid_artifact_destroy(opened);
  nereid_artifact_destroy(artifact);
}

TEST_F(SavedTest, RefusesEveryChange) {
  nereid_artifact_t *artifact = compileKeeping();
  std::string file = save(artifact);
  nereid_artifact_destroy(artifact);
  for (size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] ^= 1;
    EXPECT_EQ(open(changed), nullptr) << i;
    EXPECT_EQ(status, NEREID_IO_ERROR);
    EXPECT_EQ(open(file.substr(0, i)), nullptr) << i;
  }
  EXPECT_THAT(lastError(),
              HasSubstr("saved: not a saved kernel, or a damaged"));
}

TEST_F(SavedTest, ReportsTheKeyWithoutCompiling) {
  nereid_compile_request_t keeping = request("abc");
  keeping.flags = NEREID_COMPILE_KEEP_STAGES;
  nlohmann::json json = jsonOf([&](nereid_buffer_t **out) {
    return nereid_compile_key(backend, &keeping, out);
  });
  EXPECT_EQ(fake_counts().stages, 0);
  EXPECT_EQ(json["ingredients"]["plugin"], "test.fake");
  nereid_artifact_t *artifact = compileKeeping();
  EXPECT_EQ(json["key"], string(info(artifact).key));
  nereid_artifact_destroy(artifact);
}
