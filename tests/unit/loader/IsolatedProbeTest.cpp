// IsolatedProbeTest.cpp - a plugin that takes its process down costs one line
// of the report.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "LoaderFixture.h"

#include <sys/time.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace nereid::host {
namespace {

class IsolatedProbe : public LoaderFixture {
protected:
  void SetUp() override {
    LoaderFixture::SetUp();
    options.loader.isProbeIsolated = true;
    options.loader.probeTimeoutMs = 60'000; // only ends a hang
    options.loader.probeHelper = NEREID_PROBE;
  }

  /// Discovers the plugin \p name, which hangs in \p step, with limits that
  /// grow until the child process gets so far on this machine.
  void discoverUntilItHangsIn(const std::string &step,
                              const std::string &name) {
    for (uint32_t limit = 300; limit < 30'000; limit *= 4) {
      options.loader.probeTimeoutMs = limit;
      discover();
      if (line(name).detail.find(step) != std::string::npos)
        break;
    }
    EXPECT_EQ(line(name).code(), "probe-timeout");
    EXPECT_EQ(line(name).detail,
              "it did not return from " + step + " within " +
                  std::to_string(options.loader.probeTimeoutMs) + " ms");
  }
};

struct Fatal {
  const char *fixture;
  const char *code;
  const char *detail;
};

class FatalPlugin : public IsolatedProbe,
                    public testing::WithParamInterface<Fatal> {};

TEST_P(FatalPlugin, IsOneLineOfTheReport) {
  Fatal fatal = GetParam();
  place(fatal.fixture, "a.so");
  place("good", "b.so");
  discover();
  EXPECT_EQ(line("a.so").code(), fatal.code) << line("a.so").detail;
  EXPECT_THAT(line("a.so").detail, HasSubstr(fatal.detail));
  EXPECT_THAT(loadedIds(), ElementsAre("fixture.good"));
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, FatalPlugin,
    testing::Values(
        Fatal{"constructor_crashes", "entry-crashed", "in its constructors"},
        Fatal{"entry_crashes", "entry-crashed", "in its entry"},
        Fatal{"entry_exits", "entry-crashed",
              "ended the process with status 3 in its entry"},
        Fatal{"entry_quits", "entry-crashed",
              "ended the process with status 3 in its entry"},
        Fatal{"entry_leaves_a_process", "entry-crashed", "in its entry"},
        Fatal{"create_crashes", "probe-crashed", "in its create"},
        Fatal{"probe_crashes", "probe-crashed", "in its probe"},
        Fatal{"shutdown_crashes", "probe-crashed", "in its shutdown"}),
    [](const auto &info) { return std::string(info.param.fixture); });

TEST_F(IsolatedProbe, APluginThatHangsIsOneLineOfTheReport) {
  place("entry_hangs");
  discoverUntilItHangsIn("its entry", "entry_hangs.so");
  fs::remove(root / "entry_hangs.so");
  place("probe_hangs");
  discoverUntilItHangsIn("its probe", "probe_hangs.so");
}

TEST_F(IsolatedProbe, APluginThatOnlyRefusesKeepsItsReason) {
  EXPECT_EQ(codeOf("entry_fails"), "entry-failed");
  EXPECT_THAT(line("entry_fails.so").detail, HasSubstr("failed on purpose"));
}

TEST_F(IsolatedProbe, SaysWhereItLookedForAHelperThatIsMissing) {
  options.loader.probeHelper = "/nowhere/nereid-probe";
  EXPECT_EQ(codeOf("good"), "probe-unavailable");
  EXPECT_THAT(line("good.so").detail,
              HasSubstr("'/nowhere/nereid-probe' cannot be run: no such file"));
}

TEST_F(IsolatedProbe, AChildThatWritesForEverIsLate) {
  std::filesystem::path helper = root / "helper.sh";
  std::ofstream(helper) << "#!/bin/sh\nwhile :; do printf 0 >&3; done\n";
  std::filesystem::permissions(helper, std::filesystem::perms::owner_all);
  options.loader.probeHelper = helper;
  options.loader.probeTimeoutMs = 300;
  EXPECT_EQ(codeOf("good"), "probe-timeout");
}

TEST_F(IsolatedProbe, AGoodPluginIsLoaded) {
  EXPECT_EQ(codeOf("good"), "loaded");
}

TEST_F(IsolatedProbe, SeesTheEndOfTheProcess) {
  EXPECT_EQ(codeOf("destructor_crashes"), "probe-crashed");
  EXPECT_THAT(line("destructor_crashes.so").detail,
              HasSubstr("in its destructors"));
  fs::remove(root / "destructor_crashes.so");
  place("destructor_hangs");
  discoverUntilItHangsIn("its destructors", "destructor_hangs.so");
}

TEST_F(IsolatedProbe, WorksWhileSignalsInterruptTheHost) {
  struct sigaction handler = {}, before = {};
  handler.sa_handler = [](int) {}; // and without SA_RESTART
  ASSERT_EQ(sigaction(SIGALRM, &handler, &before), 0);
  // Not while files are placed, where the standard library is interrupted.
  itimerval often = {{0, 2000}, {0, 2000}}, never = {};
  place("good");
  place("probe_crashes");
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  discover();
  ASSERT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
  EXPECT_EQ(line("good.so").code(), "loaded") << line("good.so").detail;
  EXPECT_EQ(line("probe_crashes.so").code(), "probe-crashed");
  fs::remove(root / "good.so");
  fs::remove(root / "probe_crashes.so");
  place("probe_hangs");
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  discoverUntilItHangsIn("its probe", "probe_hangs.so");
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
}

TEST_F(IsolatedProbe, WorksInAHostThatIgnoresItsChildren) {
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGCHLD, &ignore, &before), 0);
  EXPECT_EQ(codeOf("good"), "loaded");
  EXPECT_EQ(codeOf("probe_crashes"), "probe-crashed");
  sigaction(SIGCHLD, &before, nullptr);
}

} // namespace
} // namespace nereid::host
