// FilesTest.cpp - files are whole or not there.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace nereid;
using namespace nereid::tools;
namespace fs = std::filesystem;

namespace {
class FilesTest : public testing::Test {
protected:
  FilesTest() {
    std::string pattern = (fs::temp_directory_path() / "nereid-XXXXXX");
    folder = mkdtemp(pattern.data());
  }
  ~FilesTest() override { fs::remove_all(folder); }
  size_t fileCount() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder), {}));
  }
  fs::path folder;
};
} // namespace

TEST_F(FilesTest, WritesPiecesAndReadsThemBack) {
  std::string path = folder / "x";
  ASSERT_TRUE(writeFile(path, {"one", "two"}));
  ASSERT_TRUE(writeFile(path, {"three"}));
  Expected<std::string> bytes = readFile(path);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, "three");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(FilesTest, NewFilesHaveThePermissionsOfTheUmask) {
  std::string path = folder / "x";
  mode_t before = umask(027);
  Expected<void> written = writeFile(path, {"x"});
  umask(before);
  ASSERT_TRUE(written);
  EXPECT_EQ(static_cast<int>(fs::status(path).permissions()), 0640);
}

TEST_F(FilesTest, AFailureLeavesNothing) {
  std::string path = folder / "directory";
  fs::create_directory(path);
  EXPECT_FALSE(writeFile(path, {"x"}));
  EXPECT_FALSE(writeFile(folder / "missing" / "x", {"x"}));
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(FilesTest, NamesFilesThatCannotBeRead) {
  auto problem = [](const fs::path &path) {
    Expected<std::string> bytes = readFile(path);
    return bytes ? "no error" : bytes.error().text;
  };
  EXPECT_TRUE(problem(folder / "x").ends_with("no such file or directory"));
  EXPECT_TRUE(problem(folder).ends_with("is a directory"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(problem(folder / "pipe").ends_with("not a regular file"));
}
