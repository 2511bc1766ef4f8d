// SettingsTest.cpp - the environment and the options of a runtime.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Settings.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace nereid::host;

namespace {
/// A process without Nereid's variables; a test sets what it needs.
class SettingsTest : public testing::Test {
protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (std::string_view name : environmentVariables())
      unsetenv(std::string(name).c_str());
  }
  static std::string error() {
    Result<Settings> settings = Settings::read(nullptr);
    return settings ? "none" : settings.failure().text;
  }
};
} // namespace

TEST_F(SettingsTest, HasDefaults) {
  Result<Settings> settings = Settings::read(nullptr);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->cacheLimit, uint64_t(5) << 30);
  EXPECT_EQ(settings->probeTimeoutMs, 5000u);
  EXPECT_TRUE(settings->discovers && settings->hasCache);
  EXPECT_EQ(settings->logLevel, NEREID_SEVERITY_WARNING);
}

TEST_F(SettingsTest, OptionsOutrankTheEnvironment) {
  setenv("NEREID_TARGET", "cpu", 1);
  setenv("NEREID_COMPILE", "never", 1);
  setenv("NEREID_LOG", "debug", 1);
  nereid_runtime_options_t options = {};
  options.struct_size = sizeof options;
  options.target = borrow("acme:1");
  options.compiler = borrow("acme");
  options.trace = borrow("/t.json");
  options.log_level = NEREID_SEVERITY_ERROR;
  options.compile_policy = NEREID_COMPILE_POLICY_ALWAYS;
  Result<Settings> settings = Settings::read(&options);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->target, "acme:1");
  EXPECT_EQ(settings->compiler, "acme");
  EXPECT_EQ(settings->traceFile, "/t.json");
  EXPECT_EQ(settings->logLevel, NEREID_SEVERITY_ERROR);
  EXPECT_EQ(settings->compilePolicy, CompilePolicy::Always);
  options.compile_policy = 4;
  EXPECT_FALSE(Settings::read(&options));
  options.compile_policy = 0;
  options.log_level = 9;
  EXPECT_FALSE(Settings::read(&options));
}

TEST_F(SettingsTest, ReadsEveryVariable) {
  setenv("NEREID_PLUGIN_DIRS", "/a;/b", 1);
  setenv("NEREID_TARGET", "cpu", 1);
  setenv("NEREID_CACHE_DIR", "/c", 1);
  setenv("NEREID_CACHE_LIMIT", "512M", 1);
  setenv("NEREID_CACHE_REMOTE", "redis://cache:7000", 1);
  setenv("NEREID_COMPILE", "never", 1);
  setenv("NEREID_PROBE", "isolated", 1);
  setenv("NEREID_LOG", "debug", 1);
  setenv("NEREID_TRACE", "/t.json", 1);
  Result<Settings> settings = Settings::read(nullptr);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->pluginDirs, "/a;/b");
  EXPECT_EQ(settings->target, "cpu");
  EXPECT_EQ(settings->cacheDir, "/c");
  EXPECT_EQ(settings->cacheLimit, uint64_t(512) << 20);
  EXPECT_EQ(settings->cacheRemote->text(), "redis://cache:7000/0");
  EXPECT_EQ(settings->compilePolicy, CompilePolicy::Never);
  EXPECT_TRUE(settings->isProbeIsolated);
  EXPECT_EQ(settings->logLevel, NEREID_SEVERITY_DEBUG);
  EXPECT_EQ(settings->traceFile, "/t.json");
}

TEST_F(SettingsTest, RefusesAWrongRemoteCacheWithoutItsPassword) {
  nereid_runtime_options_t options = {};
  options.struct_size = sizeof options;
  options.cache_remote = borrow("redis://options");
  setenv("NEREID_CACHE_REMOTE", "redis://environment", 1);
  EXPECT_EQ(Settings::read(&options)->cacheRemote->host, "options");
  // A program that knows no such option.
  options.struct_size = offsetof(nereid_runtime_options_t, cache_remote);
  EXPECT_EQ(Settings::read(&options)->cacheRemote->host, "environment");
  options.struct_size = sizeof options;

  options.cache_remote = borrow("redis://:secret@host:x");
  EXPECT_EQ(Settings::read(&options).failure().text,
            "cache_remote: the port is not a number from 1 to 65535");
  setenv("NEREID_CACHE_REMOTE", "redis://:secret@host:x", 1);
  EXPECT_EQ(error(), "environment variable NEREID_CACHE_REMOTE: the port is "
                     "not a number from 1 to 65535");
}

TEST_F(SettingsTest, OptionsTakePrecedenceOverTheEnvironment) {
  setenv("NEREID_CACHE_DIR", "/environment", 1);
  nereid_runtime_options_t options = {};
  options.struct_size = sizeof options;
  options.cache_dir = borrow("/options");
  EXPECT_EQ(Settings::read(&options)->cacheDir, "/options");
  options.cache_dir = {};
  EXPECT_EQ(Settings::read(&options)->cacheDir, "/environment");
  options.flags = NEREID_RUNTIME_IGNORE_ENVIRONMENT;
  EXPECT_EQ(Settings::read(&options)->cacheDir, "");
}

TEST_F(SettingsTest, AnOlderProgramsSmallerStructIsRead) {
  nereid_runtime_options_t options;
  memset(&options, 0xff, sizeof options);
  options.struct_size = offsetof(nereid_runtime_options_t, host_name);
  options.flags = NEREID_RUNTIME_NO_CACHE;
  Result<Settings> settings = Settings::read(&options);
  ASSERT_TRUE(settings);
  EXPECT_FALSE(settings->hasCache);
  EXPECT_EQ(settings->log, nullptr);
}

TEST_F(SettingsTest, ReportsInvalidVariables) {
  setenv("NEREID_COMPILE", "nevr", 1);
  EXPECT_EQ(error(), "environment variable NEREID_COMPILE is 'nevr', "
                     "expected 'never', 'always' or 'isolated', or 'isolated' "
                     "and one of the others with a comma between");
  clear();
  setenv("NEREID_CACHE_LIMIT", "lots", 1);
  EXPECT_EQ(error(), "environment variable NEREID_CACHE_LIMIT is 'lots', "
                     "expected a number of bytes like 4096, 512M or 5G");
}

TEST_F(SettingsTest, ReadsByteCounts) {
  EXPECT_EQ(*parseByteCount("0"), 0u);
  EXPECT_EQ(*parseByteCount("4096"), 4096u);
  EXPECT_EQ(*parseByteCount("2K"), 2048u);
  EXPECT_EQ(*parseByteCount("5GiB"), uint64_t(5) << 30);
  for (const char *wrong : {"", "K", "-1", "1.5G", "5 G", "5X", "5iB",
                            "99999999999999999999", "99999999T"})
    EXPECT_FALSE(parseByteCount(wrong)) << wrong;
}

static std::string readText(const std::filesystem::path &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What the first group of `pattern` matches in `text`.
static std::set<std::string> findAll(const std::string &text,
                                     const char *pattern) {
  std::set<std::string> found;
  std::regex regex(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end;
       match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

TEST_F(SettingsTest, ReadsPoliciesOfCompilation) {
  for (auto [text, policy, isIsolated] :
       {std::tuple("never", CompilePolicy::Never, false),
        std::tuple("isolated", CompilePolicy::Normal, true),
        std::tuple("always,isolated", CompilePolicy::Always, true),
        std::tuple("isolated,never", CompilePolicy::Never, true)}) {
    setenv("NEREID_COMPILE", text, 1);
    Result<Settings> settings = Settings::read(nullptr);
    ASSERT_TRUE(settings) << settings.failure().text;
    EXPECT_EQ(settings->compilePolicy, policy) << text;
    EXPECT_EQ(settings->isCompileIsolated, isIsolated) << text;
  }
  for (const char *text : {"never,always", "isolate", ",", "never;isolated"}) {
    setenv("NEREID_COMPILE", text, 1);
    EXPECT_FALSE(Settings::read(nullptr)) << text;
  }
  unsetenv("NEREID_COMPILE");
}

TEST_F(SettingsTest, DocumentationListsTheSameVariables) {
  std::string page = readText(NEREID_SOURCE_DIR "/docs/environment.md");
  std::set<std::string> read;
  for (std::string_view name : environmentVariables())
    read.emplace(name);
  EXPECT_EQ(findAll(page, R"(\n## `(NEREID_\w+)`)"), read);
}

TEST_F(SettingsTest, DocumentationListsVariablesOfOtherSources) {
  std::string page = readText(NEREID_SOURCE_DIR "/docs/environment.md");
  std::set<std::string> named = findAll(page, R"(`(NEREID_\w+)`)");
  size_t sources = 0;
  for (const char *folder : {"/host", "/plugins"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(
             std::string(NEREID_SOURCE_DIR) + folder)) {
      std::string suffix = entry.path().extension();
      if (suffix != ".cpp" && suffix != ".c" && suffix != ".h")
        continue;
      ++sources;
      for (const std::string &name :
           findAll(readText(entry.path()), R"re(getenv\(\s*"(NEREID_\w+)")re"))
        EXPECT_TRUE(named.count(name)) << entry.path() << " reads " << name;
    }
  EXPECT_GT(sources, 50u);
}
