// compiler_part_test.cpp - a compiler part that is missing, or is not one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/compiler_part.h"
#include "common/text.h"
#include "temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace nereid::plugin {
namespace {

class CompilerPartTest : public ::testing::Test {
protected:
  CompilerPartTest() {
    plugin = folder / "toy.so";
    host.plugin_path = text(plugin);
    std::filesystem::create_directories(folder / "toy");
    call.struct_size = sizeof call;
    call.user = &errors;
    call.report = [](const nereid_call_t *self,
                     const nereid_diagnostic_t *one) {
      *static_cast<std::string *>(self->user) += view(one->message);
    };
  }
  static constexpr uint32_t kOptionsSize = 16;

  // One for each test: the dynamic loader knows its files by name.
  test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path;
  std::string plugin;
  nereid_host_t host = {};
  nereid_call_t call = {};
  std::string errors;
};

TEST_F(CompilerPartTest, AMissingFileIsReportedEachTime) {
  CompilerPart part(&host, "toy", kOptionsSize);
  EXPECT_EQ(part.load(&call), nullptr);
  EXPECT_NE(errors.find("toy/libnereid-toy-compiler.so"), std::string::npos)
      << errors;
  errors.clear();
  EXPECT_EQ(part.load(&call), nullptr);
  EXPECT_NE(errors, "");
  EXPECT_EQ(part.buildId(), "");
}

TEST_F(CompilerPartTest, AFileThatIsNoLibraryIsReported) {
  std::ofstream(folder / "toy" / "libnereid-toy-compiler.so") << "text";
  CompilerPart part(&host, "toy", kOptionsSize);
  EXPECT_EQ(part.load(&call), nullptr);
  EXPECT_NE(errors.find("cannot load the compiler"), std::string::npos)
      << errors;
}

// Any shared object that the process can load, but without the function.
TEST_F(CompilerPartTest, ALibraryOfAnotherVersionIsRefused) {
  std::filesystem::copy_file(OTHER_LIBRARY,
                             folder / "toy" / "libnereid-toy-compiler.so");
  CompilerPart part(&host, "toy", kOptionsSize);
  EXPECT_EQ(part.load(&call), nullptr);
  EXPECT_NE(errors.find("is from another version than the plugin"),
            std::string::npos)
      << errors;
}

// The slow part's functions read options of 8 bytes.
TEST_F(CompilerPartTest, OptionsOfAnotherSizeAreRefused) {
  std::filesystem::copy_file(SLOW_COMPILER_PART,
                             folder / "toy" / "libnereid-toy-compiler.so");
  CompilerPart part(&host, "toy", kOptionsSize);
  EXPECT_EQ(part.load(&call), nullptr);
  EXPECT_NE(errors.find("is from another version than the plugin"),
            std::string::npos)
      << errors;
  CompilerPart same(&host, "toy", 8);
  EXPECT_NE(same.load(&call), nullptr);
}

} // namespace
} // namespace nereid::plugin
