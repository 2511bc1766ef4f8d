// CompileTest.cpp - compiling: options, stages and failures through the C
// interface.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <fstream>
#include <limits>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using testing::EndsWith;
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
  nereid_compiled_t *compiled = compile(request("abc"));
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(output(compiled), "packed lowered abc");
  nereid_compiled_info_t facts = info(compiled);
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
  nereid_compiled_destroy(compiled);
}

TEST_F(CompileTest, DescribesTheResult) {
  nereid_compiled_t *compiled = compile(request(), {{"num_warps", "8"}});
  nlohmann::json json = jsonOf([&](nereid_buffer_t **out) {
    return nereid_compiled_describe(compiled, out);
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
  nereid_compiled_destroy(compiled);
}

// ---- Stages.

TEST_F(CompileTest, StopsAfterAndStartsAtAStage) {
  nereid_compile_request_t part = request("abc");
  part.stop_after = text("lower");
  nereid_compiled_t *compiled = compile(part);
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(output(compiled), "lowered abc");
  EXPECT_EQ(string(info(compiled).kind), "fake.ir");
  EXPECT_EQ(info(compiled).is_image, 0u);
  nereid_compiled_destroy(compiled);

  part = request("hand-written");
  part.start_at = text("pack");
  compiled = compile(part);
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(output(compiled), "packed hand-written");
  nereid_compiled_destroy(compiled);

  part = request("abc");
  part.stop_after = text("parse");
  compiled = compile(part);
  EXPECT_EQ(output(compiled), "parsed abc");
  nereid_compiled_destroy(compiled);

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
  nereid_compiled_t *compiled = compile(changed, {{"break", "silent"}});
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(output(compiled), "packed mine");
  EXPECT_EQ(fake_counts().stages, 2);
  nereid_compiled_destroy(compiled);

  // Empty bytes are bytes too, not "what the session kept".
  replacement.stage = text("parse");
  replacement.replacement = {};
  compiled = compile(changed);
  EXPECT_EQ(output(compiled), "packed lowered ");
  nereid_compiled_destroy(compiled);

  changed.stop_after = text("parse");
  replacement.stage = text("pack");
  EXPECT_EQ(compileError(changed), "error: stage 'pack' to replace is not run");
}

TEST_F(CompileTest, DumpsEveryStage) {
  std::string dump = directory + "/a/dump";
  nereid_compile_request_t dumped = request("abc");
  dumped.dump_dir = text(dump);
  nereid_compiled_t *compiled = compile(dumped);
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(output(compiled), "packed lowered parsed abc");
  nereid_compiled_destroy(compiled);
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
  nereid_compiled_destroy(compile(request("abc"), {{"early", "1"}}));
  nereid_compiled_t *compiled = compile(request("abc"), {{"early", "1"}});
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(output(compiled), "lowered abc");
  EXPECT_EQ(info(compiled).from_cache, 1u);
  nereid_function_t *function = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, compiled, &function),
            NEREID_UNIMPLEMENTED);
  EXPECT_EQ(lastError(),
            "error: k.ttir: compiled by plugin 'test.fake' only up to stage "
            "'lower', which makes 'fake.ir' and not an image, so it cannot be "
            "launched");
  EXPECT_EQ(function, nullptr);
  nereid_compiled_destroy(compiled);
}

// ---- Failures.

TEST_F(CompileTest, AFailureNamesFileStageAndPlugin) {
  EXPECT_EQ(compileError(request(), {{"break", "reason"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': tt.dot "
            "is not supported");
  EXPECT_EQ(status, NEREID_UNIMPLEMENTED);
  EXPECT_EQ(fake_counts().begins, fake_counts().ends);
  EXPECT_EQ(fake_counts().parses, fake_counts().destroys);
}

TEST_F(CompileTest, APlaceWithoutAFileIsOneOfTheInput) {
  EXPECT_EQ(compileError(request(), {{"break", "first-line"}}),
            "error: k.ttir: stage 'parse' failed: plugin 'test.fake': "
            "k.ttir:3:7: unexpected token");
  EXPECT_EQ(compileError(request(), {{"break", "later-line"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': "
            "k.ttir (ttir):3:7: unexpected token");
}

TEST_F(CompileTest, ANoteTellsWhatInputAStageTakes) {
  nereid_compile_request_t late = request();
  late.start_at = text("lower");
  EXPECT_THAT(compileError(late, {{"break", "later-line"}}),
              EndsWith("unexpected token\nnote: stage 'lower' takes 'ttir', as "
                       "stage 'parse' makes it; 'ttir' goes to stage 'parse'"));
  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("parse");
  nereid_compile_request_t replaced = request();
  replaced.replacements = &replacement;
  replaced.replacement_count = 1;
  EXPECT_THAT(compileError(replaced, {{"break", "later-line"}}),
              EndsWith("unexpected token\nnote: stage 'lower' takes 'ttir', "
                       "and what replaces the output of stage 'parse' must be "
                       "that"));
}

TEST_F(CompileTest, APluginThatGivesNoReasonIsBlamed) {
  EXPECT_EQ(compileError(request(), {{"break", "silent"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': "
            "run_stage failed with internal and gave no reason, which is a "
            "fault of the plugin");
  EXPECT_EQ(status, NEREID_INTERNAL);
  // Which argument, it does not say.
  EXPECT_THAT(compileError(request(), {{"break", "speechless"}}),
              HasSubstr("run_stage failed with invalid-argument and gave no "
                        "reason"));
  EXPECT_EQ(status, NEREID_INTERNAL);
}

TEST_F(CompileTest, ThePluginIsNotBlamedForWhatTheHostHasNoMemoryFor) {
  EXPECT_EQ(compileError(request(), {{"break", "endless"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': "
            "libnereid has no memory for what run_stage gives");
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
}

TEST_F(CompileTest, MalformedMetadataIsTheFaultOfThePlugin) {
  EXPECT_THAT(
      compileError(request(), {{"break", "metadata"}}),
      HasSubstr("plugin 'test.fake': run_stage gives something malformed: "
                "a value has no name"));
  EXPECT_EQ(status, NEREID_INTERNAL);
}

TEST_F(CompileTest, MalformedPipelinesAreRefused) {
  EXPECT_EQ(compileError(request(), {{"break", "chain"}}),
            "error: plugin 'test.fake': malformed pipeline: stage 'parse' "
            "makes 'ttir', but stage 'lower' after it takes 'other.ir'");
  EXPECT_THAT(compileError(request(), {{"break", "twice"}}),
              HasSubstr("two stages have the name 'parse'"));
  EXPECT_THAT(compileError(request(), {{"break", "none"}}),
              HasSubstr("has no stages"));
  EXPECT_EQ(compileError(request(), {{"break", "kindless"}}),
            "error: plugin 'test.fake': visit_stages gives something "
            "malformed: a stage has no kind of output");
  EXPECT_EQ(status, NEREID_INTERNAL);
}

TEST_F(CompileTest, OptionsThatContradictThemselvesAreRefused) {
  nereid_value_t value = {};
  value.type = NEREID_TYPE_I64_LIST;
  value.list_size = 4;
  nereid_compile_request_t given = request();
  given.options = &value;
  given.option_count = 1;
  auto compileGiven = [&] {
    nereid_compiled_t *compiled = nullptr;
    status = nereid_compile(backend, &given, &compiled);
    return lastError();
  };
  // Of an option that is a list and of one that is not.
  for (const char *name : {"sizes", "num_warps"}) {
    value.name = text(name);
    EXPECT_EQ(compileGiven(),
              "error: plugin 'test.fake': value '" + std::string(name) +
                  "' is a list of 4 items without data");
    EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  }
  value = {};
  value.name = text("num_warps");
  value.type = NEREID_TYPE_F64;
  value.f64 = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(compileGiven(), HasSubstr("option 'num_warps' is nan"));
}

TEST_F(CompileTest, OptionsAreCheckedBeforeThePluginSeesThem) {
  EXPECT_EQ(compileError(request(), {{"num_warp", "4"}}),
            "error: plugin 'test.fake': unknown option 'num_warp'; did you "
            "mean 'num_warps'");
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(fake_counts().parses, 0);
  EXPECT_EQ(compileError(request(), {{"break", "options"}}),
            "error: plugin 'test.fake': the fake refuses these options");
}

TEST_F(CompileTest, TextAndBytesWithASizeButNoDataAreHarmless) {
  nereid_compile_request_t nameless = request();
  nameless.source_name = {nullptr, 10};
  nereid_compiled_destroy(compile(nameless));

  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("lower");
  replacement.replacement = {nullptr, 10};
  nereid_compile_request_t replaced = request();
  replaced.replacements = &replacement;
  replaced.replacement_count = 1;
  EXPECT_THAT(compileError(replaced),
              HasSubstr("the replacement of stage 'lower' has a size but no "
                        "data"));

  nereid_compiler_t compiler = *fake_plugin()->compiler;
  compiler.write_dependencies = [](auto, auto, const nereid_writer_t *writer,
                                   auto) {
    return writer->write(writer, nullptr, 100);
  };
  nereid_plugin_t table = *fake_plugin();
  table.compiler = &compiler;
  restart();
  ASSERT_EQ(nereid_runtime_unregister(runtime, backend), NEREID_OK);
  ASSERT_EQ(nereid_runtime_register(runtime, &table, &backend), NEREID_OK);
  EXPECT_EQ(compileError(request()),
            "error: plugin 'test.fake': write_dependencies gives something "
            "malformed: bytes with a size but no data");
  EXPECT_EQ(status, NEREID_INTERNAL);
  stop();
}

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
  nereid_compiled_t *compiled = compile(empty);
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(output(compiled), "packed lowered ");
  nereid_compiled_destroy(compiled);
  empty.source.size = 5;
  EXPECT_EQ(compileError(empty), "error: source has a size but no data");
}
