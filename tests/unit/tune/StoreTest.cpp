// StoreTest.cpp - results go into a store and come back, whatever version wrote
// it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "StoreFixture.h"

#include <atomic>
#include <thread>

using namespace nereid::ops;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(StoreTest, CreatesItsFoldersAndKeepsEveryField) {
  path = folder + "/a/b/tuned.db";
  TunedResult written = resultOf(7, 1234.5);
  written.bucket = R"({"n":8})";
  written.isDefault = true;
  written.status = "failed";
  written.note = "out of shared memory";
  {
    auto store = open();
    ASSERT_TRUE(store) << failure;
    EXPECT_FALSE(store->isReadOnly());
    record(*store, written);
  }
  auto store = openWith({.path = path, .isReadOnly = true});
  ASSERT_TRUE(store) << failure;
  std::vector<TunedResult> rows = read(*store);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(checksumOf(rows[0]), checksumOf(written));
  EXPECT_EQ(rows[0].median, 1234.5);
  EXPECT_EQ(rows[0].note, "out of shared memory");
  EXPECT_EQ(store->version(), storeVersion);
}

TEST_F(StoreTest, AnEqualResultIsReplacedAndAnotherOneIsKept) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  record(*store, resultOf(7, 100));
  TunedResult spelledOtherwise = resultOf(7, 200);
  spelledOtherwise.configuration = R"({ "num_warps": 4, "BLOCK": 1024.0 })";
  record(*store, spelledOtherwise);
  ASSERT_EQ(read(*store).size(), 1u);
  EXPECT_EQ(read(*store)[0].median, 200);

  auto differ = [&](auto change) {
    TunedResult other = resultOf(7, 300);
    change(other);
    record(*store, other);
  };
  differ([](TunedResult &r) { r.configuration = R"({"BLOCK":64})"; });
  differ([](TunedResult &r) { r.variant = "long"; });
  differ([](TunedResult &r) { r.protocol = "wall-1"; });
  differ([](TunedResult &r) { r.compiler.build = "b2"; });
  differ([](TunedResult &r) { r.compiler.dependencies = "llvm-20"; });
  differ([](TunedResult &r) { r.device.driver = "2"; });
  differ([](TunedResult &r) { r.device.units = 16; });
  EXPECT_EQ(read(*store).size(), 8u);
}

TEST_F(StoreTest, RecordsAllOrNothing) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  std::vector<TunedResult> results = {resultOf(1), resultOf(2)};
  results[1].status = "fine";
  Outcome done = store->record(results);
  EXPECT_EQ(done.failure().text,
            "status is 'fine', expected one of 'ok', 'wrong', 'failed', "
            "'crashed', 'slow', 'wanted'");
  EXPECT_TRUE(read(*store).empty());
}

TEST_F(StoreTest, AnUpdateSeesWhatIsThereAndIsAllOrNothing) {
  auto store = open(), other = open();
  ASSERT_TRUE(store && other) << failure;
  record(*other, resultOf(1));
  auto grow = [](const std::vector<TunedResult> &there) {
    return std::vector{resultOf(static_cast<int>(there.size()) + 1)};
  };
  EXPECT_TRUE(store->update(grow));
  EXPECT_TRUE(other->update(grow));
  EXPECT_EQ(read(*store).size(), 3u);
  Outcome done = store->update([](const auto &) {
    std::vector<TunedResult> results = {resultOf(10), resultOf(11)};
    results[1].status = "fine";
    return results;
  });
  EXPECT_FALSE(done);
  EXPECT_EQ(read(*store).size(), 3u);
}

TEST_F(StoreTest, RefusesResultsThatMakeNoSense) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  auto refused = [&](auto change) {
    TunedResult result = resultOf(7);
    change(result);
    Outcome done = store->record({&result, 1});
    return done ? "" : done.failure().text;
  };
  EXPECT_EQ(refused([](TunedResult &r) { r.operatorName.clear(); }),
            "operator is empty");
  EXPECT_THAT(refused([](TunedResult &r) { r.median = -1; }),
              HasSubstr("median_ns is negative"));
  EXPECT_THAT(refused([](TunedResult &r) { r.spread = 0.0 / 0.0; }),
              HasSubstr("spread_ns is negative or not a number"));
  EXPECT_THAT(refused([](TunedResult &r) { r.note = "\xff"; }),
              HasSubstr("note is not UTF-8"));
  EXPECT_THAT(refused([](TunedResult &r) { r.key = "7"; }),
              HasSubstr("the key '7' is not an object"));
  EXPECT_THAT(refused([](TunedResult &r) { r.configuration = "3"; }),
              HasSubstr("the configuration '3' is not an object"));
}

TEST_F(StoreTest, RowsThatWereChangedAreCountedAndIgnored) {
  {
    auto store = open();
    ASSERT_TRUE(store) << failure;
    for (int n = 1; n <= 4; ++n)
      record(*store, resultOf(n));
  }
  execute("UPDATE result SET median_ns = 1 WHERE key_exact = '{\"n\":2}'");
  execute("UPDATE result SET samples = 'many' WHERE key_exact = '{\"n\":3}'");
  auto store = open();
  ASSERT_TRUE(store) << failure;
  EXPECT_EQ(read(*store).size(), 2u);
  EXPECT_EQ(store->damagedRows(), 2u);
  EXPECT_EQ(store->rows("softmax").keys.size(), 2u);
}

// ------------------------------------------------------------------- versions

// The own steps and one more, which a newer library might add.
static const std::vector<const char *> &newerSteps() {
  static const std::vector<const char *> steps = [] {
    std::vector<const char *> all(SqliteBackend::ownSteps().begin(),
                                  SqliteBackend::ownSteps().end());
    all.push_back("ALTER TABLE result ADD COLUMN energy_j REAL");
    return all;
  }();
  return steps;
}

TEST_F(StoreTest, ANewerVersionThatWeCanReadIsReadOnly) {
  {
    auto store = open();
    ASSERT_TRUE(store) << failure;
    record(*store, resultOf(7));
    Database database;
    ASSERT_FALSE(database.open(path, Database::Write, 1000));
    ASSERT_FALSE(SqliteBackend::upgrade(database, newerSteps(), storeVersion));
  }
  auto store = open();
  ASSERT_TRUE(store) << failure;
  EXPECT_EQ(read(*store).size(), 1u);
  EXPECT_TRUE(store->isReadOnly());
  EXPECT_EQ(store->notices(),
            std::vector<std::string>{
                path + ": format 2 is newer than 1 of this Nereid: results are "
                       "read, none are recorded"});
  TunedResult result = resultOf(8);
  Outcome done = store->record({&result, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().text,
            path + ": it is read-only, no results are recorded");
}

TEST_F(StoreTest, ANewerVersionThatWeCannotReadIsRefused) {
  {
    auto store = open();
    Database database;
    ASSERT_FALSE(database.open(path, Database::Write, 1000));
    ASSERT_FALSE(
        SqliteBackend::upgrade(database, newerSteps(), storeVersion + 1));
  }
  EXPECT_FALSE(open());
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_THAT(failure,
              StartsWith(path + ": format 2, written by a newer Nereid; this "
                                "one reads up to format 1\nnote: "));
  std::string before = readFile(path);
  auto store = openOptional();
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->rows("softmax").keys.empty());
  EXPECT_EQ(store->notices().size(), 1u);
  EXPECT_EQ(readFile(path), before);
}

TEST_F(StoreTest, AnUpgradeKeepsResultsAndOneThatFailsChangesNothing) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  record(*store, resultOf(7));
  Database database;
  ASSERT_FALSE(database.open(path, Database::Write, 1000));
  std::vector<const char *> broken = newerSteps();
  broken.push_back("CREATE TABLE other (a); CREATE NONSENSE");
  EXPECT_TRUE(SqliteBackend::upgrade(database, broken, 1));
  int64_t number = 0;
  ASSERT_FALSE(database.read("PRAGMA user_version", number));
  EXPECT_EQ(number, storeVersion);
  ASSERT_FALSE(database.read("SELECT count(*) FROM pragma_table_info('result') "
                             "WHERE name = 'energy_j'",
                             number));
  EXPECT_EQ(number, 0);

  ASSERT_FALSE(SqliteBackend::upgrade(database, newerSteps(), 1));
  ASSERT_FALSE(
      SqliteBackend::upgrade(database, newerSteps(), 1)); // once is enough
  ASSERT_FALSE(database.read("PRAGMA user_version", number));
  EXPECT_EQ(number, storeVersion + 1);
  ASSERT_FALSE(database.read("SELECT count(*) FROM result", number));
  EXPECT_EQ(number, 1);
}

// ---------------------------------------------------------- reading in memory

TEST_F(StoreTest, AKnownOperatorIsNotReadAgain) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  record(*store, resultOf(7));
  const OperatorRows &first = store->rows("softmax");
  ASSERT_EQ(first.keys.size(), 1u);
  EXPECT_TRUE(store->rows("matmul").keys.empty());
  record(*store, resultOf(8));
  // Were the file needed, this would be found.
  execute("DROP TABLE result");
  EXPECT_EQ(&store->rows("softmax"), &first);
  EXPECT_EQ(&store->rows("matmul"), &store->rows("matmul"));
  EXPECT_EQ(first.keys[0].rows[0].median, 1000);
}

TEST_F(StoreTest, RefreshFindsWhatOthersRecorded) {
  auto store = open(), other = open();
  ASSERT_TRUE(store && other) << failure;
  EXPECT_TRUE(store->rows("softmax").keys.empty());
  record(*other, resultOf(7));
  EXPECT_TRUE(store->rows("softmax").keys.empty());
  store->refresh();
  EXPECT_EQ(store->rows("softmax").keys.size(), 1u);
}

TEST_F(StoreTest, ThreadsReadWhileOthersRefreshAndRecord) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  record(*store, resultOf(1));
  std::atomic<bool> isOver = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&, i] {
      std::string name = i % 2 ? "softmax" : "other" + std::to_string(i);
      while (!isOver)
        if (store->rows(name).keys.empty() == bool(i % 2))
          ++wrong;
    });
  for (int n = 2; n < 40; ++n) {
    record(*store, resultOf(n));
    store->refresh();
  }
  isOver = true;
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(store->rows("softmax").keys.size(), 39u);
}
