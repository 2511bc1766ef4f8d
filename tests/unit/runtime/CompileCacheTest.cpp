// CompileCacheTest.cpp - what a compilation takes from the cache, and its key.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {
class CompileCacheTest : public RuntimeFixture {};
} // namespace

TEST_F(CompileCacheTest, ReadsTheSecondFromTheCacheAlsoInAnotherProcess) {
  nereid_artifact_t *first = compile(request());
  restart();
  nereid_artifact_t *second = compile(request());
  ASSERT_TRUE(first && second) << lastError();
  EXPECT_EQ(info(second).from_cache, 1u);
  EXPECT_EQ(output(first), output(second));
  EXPECT_EQ(string(info(second).name), "fake");
  EXPECT_EQ(string(info(second).extension), "img");
  EXPECT_EQ(fake_counts().stages, 3);
  EXPECT_THAT(events, ElementsAre("k.ttir: no entry"));
  nereid_artifact_destroy(first);
  nereid_artifact_destroy(second);
}

TEST_F(CompileCacheTest, EveryIngredientChangesTheKey) {
  auto keyOf = [&](nereid_compile_request_t what,
                   const OptionTexts &options = {}) {
    nereid_artifact_t *artifact = compile(what, options);
    EXPECT_NE(artifact, nullptr) << lastError();
    std::string key = string(info(artifact).key);
    nereid_artifact_destroy(artifact);
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

TEST_F(CompileCacheTest, ReportsWhatChangedSinceTheLastTime) {
  nereid_artifact_destroy(compile(request()));
  nereid_artifact_destroy(compile(request(), {{"scale", "3"}}));
  fake_set_dependencies("driver 2");
  nereid_artifact_destroy(compile(request("new"), {{"scale", "3"}}));
  EXPECT_THAT(
      events,
      ElementsAre("k.ttir: no entry",
                  "k.ttir: no entry; changed since the last time: options",
                  "k.ttir: no entry; changed since the last time: "
                  "dependencies, source"));
}

TEST_F(CompileCacheTest, FlagsAndPolicyDecideAboutTheCache) {
  nereid_compile_request_t never = request();
  never.flags = NEREID_COMPILE_NEVER;
  EXPECT_EQ(compileError(never),
            "error: k.ttir: not compiled for plugin 'test.fake', because "
            "compiling is forbidden and it is not in the cache: no entry");
  EXPECT_EQ(status, NEREID_NOT_FOUND);
  nereid_artifact_destroy(compile(request()));
  nereid_artifact_t *found = compile(never);
  ASSERT_NE(found, nullptr) << lastError();
  EXPECT_EQ(info(found).from_cache, 1u);
  nereid_artifact_destroy(found);

  nereid_compile_request_t refresh = request();
  refresh.flags = NEREID_COMPILE_REFRESH;
  nereid_artifact_t *anew = compile(refresh);
  EXPECT_EQ(info(anew).from_cache, 0u);
  nereid_artifact_destroy(anew);

  nereid_compile_request_t without = request("elsewhere");
  without.flags = NEREID_COMPILE_NO_CACHE;
  nereid_artifact_destroy(compile(without));
  nereid_compile_request_t neverElsewhere = request("elsewhere");
  neverElsewhere.flags = NEREID_COMPILE_NEVER;
  EXPECT_THAT(compileError(neverElsewhere), HasSubstr("no entry"));
}

TEST_F(CompileCacheTest, WorksWithoutACache) {
  restart(NEREID_RUNTIME_NO_CACHE);
  nereid_artifact_t *artifact = compile(request());
  ASSERT_NE(artifact, nullptr) << lastError();
  nereid_artifact_destroy(artifact);
  EXPECT_THAT(events, ElementsAre("k.ttir: there is no cache"));
  nereid_cache_stat_t stat = {};
  stat.struct_size = sizeof stat;
  ASSERT_EQ(nereid_cache_stat(runtime, &stat), NEREID_OK);
  EXPECT_EQ(stat.enabled, 0u);
  nereid_buffer_t *json = nullptr;
  EXPECT_EQ(nereid_cache_clear(runtime, &json), NEREID_UNAVAILABLE);
}

TEST_F(CompileCacheTest, CacheFunctionsCountVerifyAndClear) {
  nereid_artifact_destroy(compile(request("a")));
  nereid_artifact_destroy(compile(request("b")));
  nereid_artifact_destroy(compile(request("a")));
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
