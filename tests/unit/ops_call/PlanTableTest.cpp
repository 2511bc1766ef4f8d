// PlanTableTest.cpp - keys that are added while others read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/PlanTable.h"

#include <gtest/gtest.h>

#include <thread>

using namespace nereid::ops;

TEST(PlanTableTest, FindsWhatWasAdded) {
  PlanTable<uint64_t> table;
  for (uint64_t i = 0; i < 5000; ++i) {
    std::vector<uint64_t> key(1 + i % 5, i);
    EXPECT_EQ(table.find(key), nullptr);
    table.add(key, std::make_unique<uint64_t>(i));
  }
  EXPECT_EQ(table.size(), 5000u);
  for (uint64_t i = 0; i < 5000; ++i) {
    std::vector<uint64_t> key(1 + i % 5, i);
    const uint64_t *found = table.find(key);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, i);
    key.push_back(0);
    EXPECT_EQ(table.find(key), nullptr);
  }
}

TEST(PlanTableTest, KeepsTheFirstValueOfAKey) {
  PlanTable<int> table;
  std::vector<uint64_t> key{1, 2, 3};
  const int *first = table.add(key, std::make_unique<int>(1));
  EXPECT_EQ(table.add(key, std::make_unique<int>(2)), first);
  EXPECT_EQ(*table.find(key), 1);
}

TEST(PlanTableTest, ReadersSeeWholeEntriesWhileOthersAreAdded) {
  PlanTable<uint64_t> table;
  std::vector<std::thread> threads;
  std::atomic<uint64_t> wrong = 0;
  for (uint64_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 3000; ++i) {
        std::vector<uint64_t> key{i, ~i};
        if (i % 3 == t)
          table.add(key, std::make_unique<uint64_t>(i));
        const uint64_t *found = table.find(key);
        wrong += found ? *found != i : i % 3 == t;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(table.size(), 3000u);
}
