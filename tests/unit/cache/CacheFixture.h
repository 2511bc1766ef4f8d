// CacheFixture.h - a cache in a temporary directory, for tests.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_CACHE_FIXTURE_H
#define NEREID_TESTS_CACHE_FIXTURE_H

#include "cache/Cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

namespace nereid::host {

class CacheFixture : public testing::Test {
protected:
  CacheFixture() {
    std::string name = testing::TempDir() + "nereid-cache-XXXXXX";
    folder = mkdtemp(name.data());
    options.directory = folder / "cache";
    options.warn = [this](const std::string &text) {
      std::lock_guard lock(mutex);
      warnings.push_back(text);
    };
  }
  ~CacheFixture() override {
    std::error_code ignored;
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                                 ignored);
    std::filesystem::remove_all(folder, ignored);
  }

  static Digest keyOf(const std::string &name) { return sha256(name); }

  std::filesystem::path pathOf(const Digest &key) const {
    return std::filesystem::path(options.directory) / key.hex().substr(0, 2) /
           (key.hex() + ".entry");
  }

  /// Every file below the cache directory whose name starts with \p prefix.
  std::vector<std::filesystem::path> files(std::string_view prefix) const {
    std::vector<std::filesystem::path> found;
    for (const auto &item :
         std::filesystem::recursive_directory_iterator(options.directory))
      if (item.path().filename().string().starts_with(prefix))
        found.push_back(item.path());
    return found;
  }

  static std::string read(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Replaces a file of the cache, which is not writable in place.
  static void write(const std::filesystem::path &path,
                    const std::string &bytes) {
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::filesystem::path folder;
  CacheOptions options;
  std::mutex mutex;
  std::vector<std::string> warnings;
};

} // namespace nereid::host

#endif // NEREID_TESTS_CACHE_FIXTURE_H
