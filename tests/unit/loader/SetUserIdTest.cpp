// SetUserIdTest.cpp - a process with more rights than its user takes nothing
// from the environment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "LoaderFixture.h"

#include <unistd.h>

namespace nereid::host {
namespace {

using testing::Not;

/// Runs a copy of privileged_host, which belongs to root, as user 12345.
class SetUserId : public LoaderFixture {
protected:
  void SetUp() override {
    LoaderFixture::SetUp();
    if (geteuid() != 0)
      GTEST_SKIP() << "only root can run a program as another user";
    fs::permissions(root, fs::perms(0755));
    place("good", "plugins/good.so");
    program = root / "host";
    fs::copy_file(NEREID_PRIVILEGED_HOST, program);
    fs::create_directory(root / "open");
    fs::permissions(root / "open", fs::perms(01777));
  }

  /// What it prints, on stderr too.
  std::string run(fs::perms mode) {
    fs::permissions(program, mode);
    std::string command =
        "env -i NEREID_PLUGIN_DIRS='" + (root / "plugins").string() +
        "' NEREID_TRACE='" + trace().string() +
        "' NEREID_CACHE_DIR=/nonexistent setpriv --reuid=12345 --regid=12345 "
        "--clear-groups '" +
        program.string() + "' 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char piece[4096];
    while (size_t size = fread(piece, 1, sizeof piece, pipe))
      text.append(piece, size);
    EXPECT_EQ(pclose(pipe), 0) << text;
    return text;
  }
  /// In a directory that every user can write.
  fs::path trace() const { return root / "open/trace.json"; }

  fs::path program;
};

TEST_F(SetUserId, AnOrdinaryProgramTakesDirectoriesFromTheEnvironment) {
  std::string text = run(fs::perms(0755));
  EXPECT_THAT(text, HasSubstr("privileged: 0"));
  EXPECT_THAT(text, HasSubstr("fixture.good"));
  EXPECT_TRUE(fs::exists(trace()));
}

TEST_F(SetUserId, APrivilegedOneDoesNot) {
  std::string text = run(fs::perms(04755));
  if (text.find("privileged: 1") == text.npos)
    GTEST_SKIP() << "set-user-id means nothing in " << root;
  EXPECT_THAT(text, HasSubstr("NEREID_PLUGIN_DIRS is ignored because"));
  EXPECT_THAT(text, Not(HasSubstr("fixture.good")));
  EXPECT_FALSE(fs::exists(trace()));
}

} // namespace
} // namespace nereid::host
