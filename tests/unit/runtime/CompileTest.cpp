// CompileTest.cpp - compiling: options, stages, cache and failures through the
// C interface.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using testing::ElementsAre;
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

// ---- Cache.

TEST_F(CompileTest, TakesTheSecondFromTheCacheAlsoInAnotherProcess) {
  nereid_compiled_t *first = compile(request());
  restart();
  nereid_compiled_t *second = compile(request());
  ASSERT_TRUE(first && second) << lastError();
  EXPECT_EQ(info(second).from_cache, 1u);
  EXPECT_EQ(output(first), output(second));
  EXPECT_EQ(string(info(second).name), "fake");
  EXPECT_EQ(string(info(second).extension), "img");
  EXPECT_EQ(fake_counts().stages, 3);
  EXPECT_THAT(events, ElementsAre("k.ttir: no entry"));
  nereid_compiled_destroy(first);
  nereid_compiled_destroy(second);
}

TEST_F(CompileTest, EveryIngredientMakesAnotherKey) {
  auto keyOf = [&](nereid_compile_request_t what,
                   std::vector<std::pair<std::string_view, std::string_view>>
                       options = {}) {
    nereid_compiled_t *compiled = compile(what, std::move(options));
    EXPECT_NE(compiled, nullptr) << lastError();
    std::string key = string(info(compiled).key);
    nereid_compiled_destroy(compiled);
    return key;
  };
  std::vector<std::string> keys;
  keys.push_back(keyOf(request()));
  keys.push_back(keyOf(request("other source")));
  keys.push_back(keyOf(request(), {{"scale", "2"}}));
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("fake");
  target.arch = text("f2");
  nereid_compile_request_t elsewhere = request();
  elsewhere.target = &target;
  keys.push_back(keyOf(elsewhere));
  // The fields of a target do not run into each other.
  for (auto [arch, features] : {std::pair("gfx90a", "sramecc+:xnack-"),
                                std::pair("gfx90a:sramecc+", "xnack-")}) {
    target.arch = text(arch);
    target.features = text(features);
    keys.push_back(keyOf(elsewhere));
  }
  fake_set_dependencies("driver 2");
  keys.push_back(keyOf(request()));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
  // Equal meaning, another spelling.
  EXPECT_EQ(keyOf(request(), {{"scale", "2.0"}}),
            keyOf(request(), {{"scale", "2"}}));
}

TEST_F(CompileTest, ADriverTakesTheCompilerWithTheBestScore) {
  // Three compilers for "fake" that know it less or more well, and a driver.
  nereid_compiler_t compilers[3];
  nereid_plugin_t tables[3];
  const char *ids[] = {"test.none", "test.weak", "test.strong"};
  for (int i = 0; i < 3; ++i) {
    compilers[i] = *fake_plugin()->compiler;
    tables[i] = *fake_compiler_only();
    tables[i].id = text(ids[i]);
    tables[i].compiler = &compilers[i];
  }
  compilers[0].score_target = [](auto, auto, int32_t *score, auto) {
    *score = 0;
    return nereid_status_t(NEREID_OK);
  };
  compilers[1].score_target = [](auto, auto, int32_t *score, auto) {
    *score = 1;
    return nereid_status_t(NEREID_OK);
  };
  nereid_plugin_t driver = *fake_plugin();
  driver.id = text("test.driver");
  driver.compiler = nullptr;

  restart();
  ASSERT_EQ(nereid_runtime_unregister(runtime, backend), NEREID_OK);
  nereid_backend_t *handles[3] = {};
  ASSERT_EQ(nereid_runtime_register(runtime, &driver, &backend), NEREID_OK);
  nereid_backend_t *compiler = nullptr;
  EXPECT_EQ(nereid_backend_compiler(backend, 0, &compiler),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(lastError(), HasSubstr("plugin 'test.driver' has no compiler, "
                                     "and no other plugin compiles for its "
                                     "target 'fake:f1::1'"));
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(nereid_runtime_register(runtime, &tables[i], &handles[i]),
              NEREID_OK)
        << lastError();
  ASSERT_EQ(nereid_backend_compiler(backend, 0, &compiler), NEREID_OK);
  EXPECT_EQ(compiler, handles[2]);

  nereid_compiled_t *compiled = compile(request("abc"), {{"scale", "2"}});
  ASSERT_NE(compiled, nullptr) << lastError();
  EXPECT_EQ(jsonOf([&](nereid_buffer_t **out) {
              return nereid_compiled_describe(compiled, out);
            })["key_ingredients"]["plugin"],
            "test.strong");
  nereid_function_t *function = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, compiled, &function), NEREID_OK)
      << lastError();
  nereid_function_destroy(function);
  nereid_compiled_destroy(compiled);
  EXPECT_FALSE(jsonOf([&](nereid_buffer_t **out) {
                 return nereid_backend_options(backend, nullptr, out);
               }).empty());
  stop();
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
  EXPECT_EQ(compile(request()), nullptr);
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  stop();
}

TEST_F(CompileTest, TellsWhatChangedSinceTheLastTime) {
  nereid_compiled_destroy(compile(request()));
  nereid_compiled_destroy(compile(request(), {{"scale", "3"}}));
  fake_set_dependencies("driver 2");
  nereid_compiled_destroy(compile(request("new"), {{"scale", "3"}}));
  EXPECT_THAT(
      events,
      ElementsAre("k.ttir: no entry",
                  "k.ttir: no entry; changed since the last time: options",
                  "k.ttir: no entry; changed since the last time: "
                  "dependencies, source"));
}

TEST_F(CompileTest, FlagsAndPolicyDecideAboutTheCache) {
  nereid_compile_request_t never = request();
  never.flags = NEREID_COMPILE_NEVER;
  EXPECT_EQ(compileError(never),
            "error: k.ttir: not compiled for plugin 'test.fake', because "
            "compiling is forbidden and it is not in the cache: no entry");
  EXPECT_EQ(status, NEREID_NOT_FOUND);
  nereid_compiled_destroy(compile(request()));
  nereid_compiled_t *found = compile(never);
  ASSERT_NE(found, nullptr) << lastError();
  EXPECT_EQ(info(found).from_cache, 1u);
  nereid_compiled_destroy(found);

  nereid_compile_request_t refresh = request();
  refresh.flags = NEREID_COMPILE_REFRESH;
  nereid_compiled_t *anew = compile(refresh);
  EXPECT_EQ(info(anew).from_cache, 0u);
  nereid_compiled_destroy(anew);

  nereid_compile_request_t without = request("elsewhere");
  without.flags = NEREID_COMPILE_NO_CACHE;
  nereid_compiled_destroy(compile(without));
  nereid_compile_request_t neverElsewhere = request("elsewhere");
  neverElsewhere.flags = NEREID_COMPILE_NEVER;
  EXPECT_THAT(compileError(neverElsewhere), HasSubstr("no entry"));
}

TEST_F(CompileTest, WorksWithoutACache) {
  restart(NEREID_RUNTIME_NO_CACHE);
  nereid_compiled_t *compiled = compile(request());
  ASSERT_NE(compiled, nullptr) << lastError();
  nereid_compiled_destroy(compiled);
  EXPECT_THAT(events, ElementsAre("k.ttir: there is no cache"));
  nereid_cache_stat_t stat = {};
  stat.struct_size = sizeof stat;
  ASSERT_EQ(nereid_cache_stat(runtime, &stat), NEREID_OK);
  EXPECT_EQ(stat.enabled, 0u);
  nereid_buffer_t *json = nullptr;
  EXPECT_EQ(nereid_cache_clear(runtime, &json), NEREID_UNAVAILABLE);
}

TEST_F(CompileTest, CacheFunctionsCountVerifyAndClear) {
  nereid_compiled_destroy(compile(request("a")));
  nereid_compiled_destroy(compile(request("b")));
  nereid_compiled_destroy(compile(request("a")));
  nereid_cache_stat_t stat = {};
  stat.struct_size = sizeof stat;
  ASSERT_EQ(nereid_cache_stat(runtime, &stat), NEREID_OK);
  EXPECT_EQ(stat.entries, 2u);
  EXPECT_EQ(stat.hits, 1u);
  EXPECT_EQ(stat.misses, 2u);
  EXPECT_EQ(string(stat.directory), directory + "/cache");
  auto verified = jsonOf(
      [&](nereid_buffer_t **out) { return nereid_cache_verify(runtime, out); });
  EXPECT_EQ(verified["entries"], 2);
  EXPECT_TRUE(verified["damaged"].empty());
  auto cleared = jsonOf(
      [&](nereid_buffer_t **out) { return nereid_cache_clear(runtime, out); });
  EXPECT_EQ(cleared["removed"], 2);
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

TEST_F(CompileTest, APluginThatGivesNoReasonIsBlamed) {
  EXPECT_EQ(compileError(request(), {{"break", "silent"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': "
            "run_stage failed with internal and gave no reason, which is a "
            "fault of the plugin");
}

TEST_F(CompileTest, MalformedMetadataIsTheFaultOfThePlugin) {
  EXPECT_THAT(compileError(request(), {{"break", "metadata"}}),
              HasSubstr("plugin 'test.fake' gave malformed metadata: a value "
                        "has no name"));
}

TEST_F(CompileTest, MalformedPipelinesAreRefused) {
  EXPECT_EQ(compileError(request(), {{"break", "chain"}}),
            "error: plugin 'test.fake': malformed pipeline: stage 'parse' "
            "makes 'ttir', but stage 'lower' after it takes 'other.ir'");
  EXPECT_THAT(compileError(request(), {{"break", "twice"}}),
              HasSubstr("two stages have the name 'parse'"));
  EXPECT_THAT(compileError(request(), {{"break", "none"}}),
              HasSubstr("has no stages"));
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

TEST_F(CompileTest, ATargetThatIsNotServedIsRefused) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("cuda");
  target.arch = text("sm90");
  nereid_compile_request_t elsewhere = request();
  elsewhere.target = &target;
  EXPECT_EQ(compileError(elsewhere),
            "error: plugin 'test.fake' does not compile for target "
            "'cuda:sm90::0'");
}

TEST_F(CompileTest, ACompilerWithoutDriverNeedsATargetAndCannotLoad) {
  ASSERT_EQ(nereid_runtime_register(runtime, fake_compiler_only(), &backend),
            NEREID_OK);
  EXPECT_EQ(compileError(request()),
            "error: plugin 'test.compiler' has no driver, so the target must "
            "be given");
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("fake");
  nereid_compile_request_t offline = request();
  offline.target = &target;
  nereid_compiled_t *compiled = compile(offline);
  ASSERT_NE(compiled, nullptr) << lastError();
  nereid_function_t *function = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, compiled, &function),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(lastError(), HasSubstr("has no driver"));
  // Another plugin with the driver for it loads the image.
  nereid_backend_t *driver = nullptr;
  ASSERT_EQ(nereid_runtime_backend(runtime, text("test.fake"), &driver),
            NEREID_OK);
  ASSERT_EQ(nereid_function_load(driver, 0, compiled, &function), NEREID_OK)
      << lastError();
  nereid_function_destroy(function);
  nereid_compiled_destroy(compiled);
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
