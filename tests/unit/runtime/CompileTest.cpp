// CompileTest.cpp - compiling: options, stages and failures through the C
// interface.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using testing::HasSubstr;
using testing::StartsWith;

namespace {
class CompileTest : public RuntimeFixture {
protected:
  static std::string readFile(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};
} // namespace

TEST_F(CompileTest, RunsTheStagesInOrder) {
  nereid_artifact_t *artifact = compile(request("abc"));
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "packed lowered abc");
  nereid_artifact_info_t facts = info(artifact);
  EXPECT_EQ(facts.is_image, 1u);
  EXPECT_EQ(facts.from_cache, 0u);
  EXPECT_EQ(string(facts.kind), "fake.image");
  EXPECT_EQ(string(facts.last_stage), "pack");
  EXPECT_EQ(string(facts.extension), "img");
  EXPECT_EQ(string(facts.name), "fake");
  EXPECT_EQ(facts.key.size, 64u);
  EXPECT_EQ(facts.metadata_count, 3u);
  // Nobody wanted the bytes that the session keeps.
  EXPECT_EQ(fake_counts().bytes_not_wanted, 1);
  EXPECT_EQ(fake_counts().begins, fake_counts().ends);
  EXPECT_EQ(fake_counts().parses, fake_counts().destroys);
  nereid_artifact_destroy(artifact);
}

TEST_F(CompileTest, DescribesTheResult) {
  nereid_artifact_t *artifact = compile(request(), {{"num_warps", "8"}});
  nlohmann::json json = jsonOf([&](nereid_buffer_t **out) {
    return nereid_artifact_describe(artifact, out);
  });
  EXPECT_EQ(json["from_cache"], false);
  EXPECT_EQ(json["miss_reason"], "no entry");
  EXPECT_EQ(json["key_ingredients"]["plugin"], "test.fake");
  EXPECT_EQ(json["key_ingredients"]["target"], "fake:f1::1");
  EXPECT_THAT(json["key_ingredients"]["options"],
              StartsWith("num_warps=8 level=fast"));
  EXPECT_EQ(json["stages"].size(), 3u);
  EXPECT_EQ(json["stages"][1]["name"], "lower");
  EXPECT_GE(json["stages"][1]["nanoseconds"].get<int64_t>(), 0);
  EXPECT_EQ(json["metadata"]["argument_types"][0], "*f32");
  nereid_artifact_destroy(artifact);
}

// ---- Stages.

TEST_F(CompileTest, StopsAfterAndStartsAtAStage) {
  nereid_compile_request_t part = request("abc");
  part.stop_after = text("lower");
  nereid_artifact_t *artifact = compile(part);
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "lowered abc");
  EXPECT_EQ(string(info(artifact).kind), "fake.ir");
  EXPECT_EQ(info(artifact).is_image, 0u);
  nereid_artifact_destroy(artifact);

  part = request("hand-written");
  part.start_at = text("pack");
  artifact = compile(part);
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "packed hand-written");
  nereid_artifact_destroy(artifact);

  part = request("abc");
  part.stop_after = text("parse");
  artifact = compile(part);
  EXPECT_EQ(output(artifact), "parsed abc");
  nereid_artifact_destroy(artifact);

  part.start_at = text("pack");
  EXPECT_EQ(compileError(part),
            "error: stage 'pack' to start at comes after stage 'parse' to "
            "stop after");
}

TEST_F(CompileTest, SuggestsStages) {
  nereid_compile_request_t wrong = request();
  wrong.stop_after = text("lowr");
  EXPECT_EQ(compileError(wrong),
            "error: no stage 'lowr'; did you mean 'lower'");
  EXPECT_EQ(status, NEREID_NOT_FOUND);
  wrong.stop_after = text("assemble");
  EXPECT_EQ(compileError(wrong), "error: no stage 'assemble'; known are "
                                 "'parse', 'lower', 'pack'");
}

TEST_F(CompileTest, ReplacesTheOutputOfAStage) {
  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("lower");
  replacement.replacement = {"mine", 4};
  nereid_compile_request_t changed = request("abc");
  changed.replacements = &replacement;
  changed.replacement_count = 1;
  nereid_artifact_t *artifact = compile(changed, {{"break", "silent"}});
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "packed mine");
  EXPECT_EQ(fake_counts().stages, 2);
  nereid_artifact_destroy(artifact);

  // Empty bytes are bytes too, not "what the session kept".
  replacement.stage = text("parse");
  replacement.replacement = {};
  artifact = compile(changed);
  EXPECT_EQ(output(artifact), "packed lowered ");
  nereid_artifact_destroy(artifact);

  changed.stop_after = text("parse");
  replacement.stage = text("pack");
  EXPECT_EQ(compileError(changed), "error: stage 'pack' to replace is not run");
}

TEST_F(CompileTest, DumpsEveryStage) {
  std::string dump = directory + "/a/dump";
  nereid_compile_request_t dumped = request("abc");
  dumped.dump_dir = text(dump);
  nereid_artifact_t *artifact = compile(dumped);
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "packed lowered parsed abc");
  nereid_artifact_destroy(artifact);
  EXPECT_EQ(readFile(dump + "/00-source.ttir"), "abc");
  EXPECT_EQ(readFile(dump + "/01-parse.ttir"), "parsed abc");
  EXPECT_EQ(readFile(dump + "/02-lower.fir"), "lowered parsed abc");
  EXPECT_EQ(readFile(dump + "/03-pack.img"), "packed lowered parsed abc");
  EXPECT_EQ(nlohmann::json::parse(readFile(dump + "/metadata.json"))["name"],
            "fake");

  dump = "/proc/nowhere";
  dumped.dump_dir = text(dump);
  EXPECT_THAT(compileError(dumped),
              HasSubstr("/proc/nowhere: cannot make the dump directory"));
  EXPECT_EQ(status, NEREID_IO_ERROR);
}

// In a child because the limit cannot be raised again by everybody.
TEST_F(CompileTest, ADumpBeyondTheLimitOnFilesIsAFailure) {
  std::string dump = directory + "/dump";
  nereid_compile_request_t dumped = request("abc");
  dumped.dump_dir = text(dump);
  pid_t child = fork();
  if (child == 0) {
    rlimit limit = {1, 1};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool isTold = compileError(dumped) == "error: " + dump +
                                              "/00-source.ttir: cannot "
                                              "write the dump: file too "
                                              "large";
    _exit(isTold ? 0 : 1);
  }
  int ended = -1;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_EQ(ended, 0);
}

TEST_F(CompileTest, APipelineThatEndsEarlyIsCachedButNotLoaded) {
  nereid_artifact_destroy(compile(request("abc"), {{"early", "1"}}));
  nereid_artifact_t *artifact = compile(request("abc"), {{"early", "1"}});
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "lowered abc");
  EXPECT_EQ(info(artifact).from_cache, 1u);
  nereid_function_t *function = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, artifact, &function),
            NEREID_UNIMPLEMENTED);
  EXPECT_EQ(lastError(),
            "error: k.ttir: compiled by plugin 'test.fake' only up to stage "
            "'lower', which makes 'fake.ir' and not an image, so it cannot be "
            "launched");
  EXPECT_EQ(function, nullptr);
  nereid_artifact_destroy(artifact);
}

// ---- Failures.

TEST_F(CompileTest, ShowsOptionsAndStages) {
  nlohmann::json options = jsonOf([&](nereid_buffer_t **out) {
    return nereid_backend_options(backend, nullptr, out);
  });
  EXPECT_EQ(options[0]["name"], "num_warps");
  EXPECT_EQ(options[0]["default"], 4);
  EXPECT_EQ(options[0]["maximum"], 32);
  EXPECT_EQ(options[1]["choices"][1], "safe");
  nlohmann::json stages = jsonOf([&](nereid_buffer_t **out) {
    return nereid_backend_stages(backend, nullptr, nullptr, 0, out);
  });
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[2]["output"], "fake.image");
  EXPECT_EQ(stages[2]["image"], true);
}

TEST_F(CompileTest, AnEmptySourceIsGivenAsBytes) {
  nereid_compile_request_t empty = request("");
  empty.source = {};
  nereid_artifact_t *artifact = compile(empty);
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "packed lowered ");
  nereid_artifact_destroy(artifact);
  empty.source.size = 5;
  EXPECT_EQ(compileError(empty), "error: source has a size but no data");
}
