// StoreFixture.h - a folder for a store, and results to put into it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_STORE_FIXTURE_H
#define NEREID_TEST_STORE_FIXTURE_H

#include "store/SqliteBackend.h"
#include "store/Store.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

inline nereid::ops::TunedResult resultOf(int n, double median = 1000) {
  nereid::ops::TunedResult result;
  result.operatorName = "softmax";
  result.key = R"({"n":)" + std::to_string(n) + "}";
  result.bucket = result.key;
  result.variant = "row";
  result.configuration = R"({"BLOCK":1024,"num_warps":4})";
  result.status = "ok";
  result.median = median;
  result.spread = 10;
  result.samples = 25;
  result.protocol = "events-1";
  result.compiler = {"cpu", "0.1.0", "b1", "llvm-19.1.7"};
  result.device = {"EPYC", "znver4", 8, "1"};
  result.time = 1'790'000'000;
  result.source = "0123";
  return result;
}

class StoreTest : public testing::Test {
protected:
  StoreTest() {
    std::string name = testing::TempDir() + "nereid-tuned-XXXXXX";
    folder = mkdtemp(name.data());
    path = folder + "/tuned.db";
  }
  ~StoreTest() override {
    std::error_code ignored;
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                                 ignored);
    std::filesystem::remove_all(folder, ignored);
  }

  std::unique_ptr<nereid::ops::Store>
  openWith(nereid::ops::StoreOptions options) {
    auto store = nereid::ops::Store::open(std::move(options));
    failure = store ? "" : store.failure().text;
    status = store ? NEREID_OK : store.failure().status;
    return store ? std::move(*store) : nullptr;
  }
  std::unique_ptr<nereid::ops::Store> open() {
    return openWith({.path = path});
  }
  std::unique_ptr<nereid::ops::Store> openOptional() {
    return openWith({.path = path, .isOptional = true});
  }

  /// Records \p result, with an error for the test if that fails.
  static void record(nereid::ops::Store &store,
                     const nereid::ops::TunedResult &result) {
    nereid::ops::Outcome done = store.record({&result, 1});
    EXPECT_TRUE(done) << done.failure().text;
  }

  static std::vector<nereid::ops::TunedResult> read(nereid::ops::Store &store) {
    auto rows = store.read();
    EXPECT_TRUE(rows) << rows.failure().text;
    return rows ? *rows : std::vector<nereid::ops::TunedResult>();
  }

  /// Runs SQL on the file, behind the store's back.
  void execute(const char *sql) {
    nereid::ops::Database database;
    auto failed = database.open(path, nereid::ops::Database::Write, 1000);
    if (!failed)
      failed = database.execute(sql);
    EXPECT_FALSE(failed) << failed.text;
  }

  std::string folder, path, failure;
  nereid_status_t status = NEREID_OK;
};

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

#endif // NEREID_TEST_STORE_FIXTURE_H
