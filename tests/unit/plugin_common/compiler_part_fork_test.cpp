// compiler_part_fork_test.cpp - a child of fork() loads the compiler part, or
// uses the one that its parent is loading.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/compiler_part.h"
#include "common/text.h"
#include "forked_child.h"
#include "temporary_folder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace nereid::plugin {
namespace {

class CompilerPartForkTest : public ::testing::Test {
protected:
  CompilerPartForkTest() {
    std::filesystem::create_directories(folder / "toy");
    std::filesystem::copy_file(
        SLOW_COMPILER_PART, folder / "toy" / "libnereid-toy-compiler.so",
        std::filesystem::copy_options::overwrite_existing);
    plugin = folder / "toy.so";
    host.plugin_path = text(plugin);
  }
  /// True if a child of fork() gets the table.
  static bool childGets(CompilerPart &part) {
    return test::succeedsInChild([&] { return part.load(nullptr) != nullptr; });
  }

  test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path;
  std::string plugin;
  nereid_host_t host = {};
};

TEST_F(CompilerPartForkTest, TheChildLoadsWhatItsParentDidNot) {
  CompilerPart part(&host, "toy", 8);
  EXPECT_TRUE(childGets(part));
  EXPECT_NE(part.load(nullptr), nullptr);
  EXPECT_TRUE(childGets(part));
}

// fork() waits until the other thread is done, else nobody would unlock the
// part in the child.
TEST_F(CompilerPartForkTest, AForkWhileAnotherThreadLoads) {
  CompilerPart part(&host, "toy", 8);
  std::thread loads([&] { EXPECT_NE(part.load(nullptr), nullptr); });
  usleep(50000);
  bool isWell = childGets(part);
  loads.join();
  EXPECT_TRUE(isWell);
}

} // namespace
} // namespace nereid::plugin
