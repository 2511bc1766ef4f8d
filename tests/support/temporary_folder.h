// temporary_folder.h - a folder that no other run of a test has, not even one
// in another container with the same /tmp.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_SUPPORT_TEMPORARY_FOLDER_H
#define NEREID_TESTS_SUPPORT_TEMPORARY_FOLDER_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace nereid::test {

/// A new folder, which is removed with its owner.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "nereid-test-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path = std::filesystem::canonical(name);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// The path of a file in it.
  std::string file(const std::string &name) const { return path / name; }

  std::filesystem::path path;
};

} // namespace nereid::test

#endif // NEREID_TESTS_SUPPORT_TEMPORARY_FOLDER_H
