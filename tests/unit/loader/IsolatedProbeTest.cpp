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

struct Fatal {
  const char *fixture;
  const char *code;
  const char *detail;
};

class FatalPlugin : public LoaderFixture,
                    public testing::WithParamInterface<Fatal> {
protected:
  void SetUp() override {
    LoaderFixture::SetUp();
    options.loader.isProbeIsolated = true;
    options.loader.probeTimeoutMs = 2000;
    options.loader.probeHelper = NEREID_PROBE;
  }
};

TEST_P(FatalPlugin, IsOneLineOfTheReport) {
  Fatal fatal = GetParam();
  if (std::string_view(fatal.code) == "probe-timeout")
    options.loader.probeTimeoutMs = 300;
  place(fatal.fixture, "a.so");
  place("good", "b.so");
  discover();
  EXPECT_EQ(line("a.so").code(), fatal.code) << line("a.so").detail;
  EXPECT_THAT(line("a.so").detail, HasSubstr(fatal.detail));
  if (std::string_view(fatal.code) != "probe-timeout") {
    EXPECT_THAT(loadedIds(), ElementsAre("fixture.good"));
  }
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
        Fatal{"entry_hangs", "probe-timeout",
              "did not return from its entry within 300 ms"},
        Fatal{"create_crashes", "probe-crashed", "in its create"},
        Fatal{"probe_crashes", "probe-crashed", "in its probe"},
        Fatal{"probe_hangs", "probe-timeout",
              "did not return from its probe within 300 ms"},
        Fatal{"shutdown_crashes", "probe-crashed", "in its shutdown"}),
    [](const auto &info) { return std::string(info.param.fixture); });

class IsolatedProbe : public LoaderFixture {
protected:
  void SetUp() override {
    LoaderFixture::SetUp();
    options.loader.isProbeIsolated = true;
    options.loader.probeTimeoutMs = 5000;
    options.loader.probeHelper = NEREID_PROBE;
  }
};

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
  options.loader.probeTimeoutMs = 300;
  EXPECT_EQ(codeOf("destructor_hangs"), "probe-timeout");
}

TEST_F(IsolatedProbe, WorksWhileSignalsInterruptTheHost) {
  struct sigaction handler = {}, before = {};
  handler.sa_handler = [](int) {}; // and without SA_RESTART
  ASSERT_EQ(sigaction(SIGALRM, &handler, &before), 0);
  place("good");
  place("probe_crashes");
  place("probe_hangs");
  options.loader.probeTimeoutMs = 300;
  itimerval often = {{0, 2000}, {0, 2000}}, never = {};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  discover();
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(line("good.so").code(), "loaded") << line("good.so").detail;
  EXPECT_EQ(line("probe_crashes.so").code(), "probe-crashed");
  EXPECT_EQ(line("probe_hangs.so").code(), "probe-timeout");
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
