// InstallationTest.cpp - which Python is used, and what is said of one that
// cannot be.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <fstream>
#include <sys/stat.h>

using namespace nereid::triton;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {
class InstallationTest : public TritonFixture {
protected:
  /// An executable that the shell runs.
  std::string script(const std::string &name, const std::string &text) {
    std::string path = folder + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
};
} // namespace

TEST_F(InstallationTest, SaysWhatToInstall) {
  settings.python.clear();
  settings.pythons = {script("none", "echo 'nereid-probe [\"\", \"\"]'"),
                      script("old", "echo 'nereid-probe [\"/x\", \"3.5.1\"]'"),
                      script("new", "echo 'nereid-probe [\"/x\", \"3.10.0\"]'"),
                      script("broken", "echo oh no; exit 3")};
  Compiled result = compile(kernel());
  EXPECT_EQ(result.status, NEREID_UNAVAILABLE);
  EXPECT_THAT(
      result.reported,
      AllOf(HasSubstr("no Python with Triton 3.6 to 3.9 was found"),
            HasSubstr("/none' has no Triton; "),
            HasSubstr("/old' has Triton 3.5.1; "),
            HasSubstr("/new' has Triton 3.10.0; "),
            HasSubstr("/broken' cannot be asked for Triton: it ended with "
                      "status 3: oh no"),
            HasSubstr("'pip install triton==3.9.0'"),
            HasSubstr("NEREID_TRITON_PYTHON")));
}

TEST_F(InstallationTest, UsesTheFirstPythonThatHasOne) {
  settings.python.clear();
  settings.pythons = {script("none", "echo 'nereid-probe [\"\", \"\"]'"),
                      PYTHON};
  EXPECT_EQ(compile(kernel()).status, NEREID_OK);
}

TEST_F(InstallationTest, SaysSoWithoutAnyPython) {
  settings.python.clear();
  EXPECT_THAT(compile(kernel()).reported,
              HasSubstr("there is no python3 in PATH"));
}

// The file says one version, the code another.
TEST_F(InstallationTest, AWorkerRefusesAnotherVersion) {
  setenv("TRITON_FAKE_VERSION", "3.10.0", 1);
  Compiled result = compile(kernel());
  EXPECT_EQ(result.status, NEREID_INCOMPATIBLE);
  EXPECT_THAT(result.reported,
              HasSubstr("has Triton 3.10.0, expected 3.6 to 3.9"));
}

TEST_F(InstallationTest, AWorkerThatCannotStartSaysWhy) {
  backend.worker = "/nonexistent/worker.py";
  Compiled result = compile(kernel());
  EXPECT_EQ(result.status, NEREID_INTERNAL);
  EXPECT_THAT(result.reported, HasSubstr("it ended with status 2"));
  EXPECT_THAT(result.reported, HasSubstr("can't open file"));
}

// What was learned is remembered: no Python runs until something is compiled.
TEST_F(InstallationTest, RemembersFactsInAFile) {
  std::string log = folder + "/started";
  settings.python = script("python", "echo started >> " + log + "\nexec " +
                                         PYTHON + " \"$@\"");
  Compiled first = compile(kernel());
  ASSERT_EQ(first.status, NEREID_OK) << first.reported;
  ASSERT_TRUE(std::filesystem::exists(log));
  std::filesystem::remove(log);

  state.reset();
  nereid_target_t target = cudaTarget();
  std::string canonical, dependencies;
  nereid_writer_t writer = writerTo(canonical), other = writerTo(dependencies);
  nereid_options_t *options = nullptr;
  ASSERT_EQ(kCompiler.parse_options(plugin(), &target, nullptr, 0, &writer,
                                    &options, &call.record),
            NEREID_OK);
  ASSERT_EQ(
      kCompiler.write_dependencies(plugin(), options, &other, &call.record),
      NEREID_OK);
  kCompiler.destroy_options(plugin(), options, &call.record);
  EXPECT_EQ(canonical, first.canonical);
  EXPECT_EQ(dependencies, first.dependencies);
  EXPECT_FALSE(std::filesystem::exists(log));
  EXPECT_EQ(compile(kernel()).status, NEREID_OK);
  EXPECT_TRUE(std::filesystem::exists(log));
}

TEST_F(InstallationTest, AChangedTritonIsAskedAgain) {
  std::string copy = folder + "/copy";
  std::filesystem::copy(FAKE_TRITON, copy,
                        std::filesystem::copy_options::recursive);
  setenv("PYTHONPATH", copy.c_str(), 1);
  std::string before = compile(kernel()).dependencies;
  std::ofstream(copy + "/triton/runtime/cache.py")
      << "def triton_key():\n    return \"changed\"\n";
  state.reset();
  Compiled after = compile(kernel());
  EXPECT_EQ(after.status, NEREID_OK) << after.reported;
  EXPECT_NE(after.dependencies, before);
}

TEST_F(InstallationTest, ADamagedFileIsReplaced) {
  std::string before = compile(kernel()).dependencies;
  for (const auto &entry :
       std::filesystem::directory_iterator(settings.cacheDirectory))
    for (const char *text : {"", "{", "[]", "{\"targets\": 3}"}) {
      std::ofstream(entry.path()) << text;
      state.reset();
      Compiled again = compile(kernel());
      EXPECT_EQ(again.status, NEREID_OK) << again.reported;
      EXPECT_EQ(again.dependencies, before);
    }
}

// ---- Targets.

TEST_F(InstallationTest, ServesCudaAndHip) {
  int32_t score = -1;
  nereid_target_t target = cudaTarget();
  EXPECT_EQ(kCompiler.score_target(plugin(), &target, &score, &call.record),
            NEREID_OK);
  EXPECT_EQ(score, 100);
  target.backend = text("cpu");
  kCompiler.score_target(plugin(), &target, &score, &call.record);
  EXPECT_EQ(score, 0);
}

TEST_F(InstallationTest, NamesAnArchitectureThatIsNone) {
  nereid_target_t target = cudaTarget("hopper");
  std::string canonical;
  nereid_writer_t writer = writerTo(canonical);
  nereid_options_t *options = nullptr;
  EXPECT_EQ(kCompiler.parse_options(plugin(), &target, nullptr, 0, &writer,
                                    &options, &call.record),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(call.reported, HasSubstr("'hopper' is not an architecture of "
                                       "cuda, expected one like sm_90a"));
}
