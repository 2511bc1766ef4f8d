// StoreFaultTest.cpp - stores that are damaged, full, locked, read-only, or
// used by processes that are killed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "StoreFixture.h"

#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace nereid::ops;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
class StoreFaultTest : public StoreTest {
protected:
  /// Runs work() in a child; its result is the exit code.
  template <typename Work> static pid_t start(Work work) {
    pid_t child = fork();
    if (child == 0)
      _exit(work());
    return child;
  }
  static int wait(pid_t child) {
    int ended = -1;
    waitpid(child, &ended, 0);
    return ended;
  }

  void fill(int count) {
    auto store = open();
    ASSERT_TRUE(store) << failure;
    for (int n = 0; n < count; ++n)
      record(*store, resultOf(n));
  }
};
} // namespace

// ------------------------------------------------------------------ processes

TEST_F(StoreFaultTest, SixteenProcessesWriteAtOnce) {
  std::vector<pid_t> children;
  for (int process = 0; process < 16; ++process)
    children.push_back(start([&] {
      // Each also races to create the file.
      auto store = open();
      for (int i = 0; store && i < 12; ++i) {
        TunedResult result = resultOf(process * 100 + i);
        if (!store->record({&result, 1}))
          return 1;
      }
      return store ? 0 : 2;
    }));
  for (pid_t child : children)
    EXPECT_EQ(wait(child), 0);
  auto store = open();
  ASSERT_TRUE(store) << failure;
  EXPECT_EQ(read(*store).size(), 16u * 12u);
  EXPECT_EQ(store->damagedRows(), 0u);
}

TEST_F(StoreFaultTest, AProcessThatIsKilledLeavesWhatItHadRecorded) {
  std::set<int> acknowledged;
  unsigned delay = 12345;
  for (int round = 0; round < 12; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    pid_t child = start([&] {
      auto store = open();
      for (int i = 0; store; ++i) {
        int n = round * 100000 + i;
        TunedResult result = resultOf(n);
        if (!store->record({&result, 1}) ||
            write(ends[1], &n, sizeof n) != sizeof n)
          break;
      }
      return 1;
    });
    close(ends[1]);
    // At least one is recorded, however slow the machine is.
    int n = 0;
    ASSERT_EQ(::read(ends[0], &n, sizeof n), ssize_t(sizeof n));
    acknowledged.insert(n);
    delay = delay * 1103515245 + 12345;
    usleep(delay / 65536 % 15000);
    kill(child, SIGKILL);
    wait(child);
    while (::read(ends[0], &n, sizeof n) == ssize_t(sizeof n))
      acknowledged.insert(n);
    close(ends[0]);
  }
  auto store = open();
  ASSERT_TRUE(store) << failure;
  EXPECT_TRUE(store->notices().empty());
  std::set<std::string> found;
  for (const TunedResult &row : read(*store))
    found.insert(row.key);
  EXPECT_EQ(store->damagedRows(), 0u);
  for (int n : acknowledged)
    EXPECT_TRUE(found.count(resultOf(n).key)) << n;
  // A round may have recorded one more than it could say.
  EXPECT_LE(found.size(), acknowledged.size() + 12);
}

TEST_F(StoreFaultTest, AChildOfForkUsesTheStoreOfItsParent) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  record(*store, resultOf(1));
  int ended = wait(start([&] {
    TunedResult result = resultOf(2);
    bool isGood = store->record({&result, 1}) && read(*store).size() == 2;
    store.reset();
    return isGood ? 0 : 1;
  }));
  EXPECT_EQ(ended, 0);
  record(*store, resultOf(3));
  EXPECT_EQ(read(*store).size(), 3u);
}

TEST_F(StoreFaultTest, ALockThatIsNotReleasedIsReported) {
  fill(1);
  Database other;
  ASSERT_FALSE(other.open(path, Database::Write, 0));
  ASSERT_FALSE(other.execute("BEGIN IMMEDIATE"));
  auto store = openWith({.path = path, .busyMilliseconds = 50});
  ASSERT_TRUE(store) << failure;
  EXPECT_EQ(read(*store).size(), 1u); // readers do not wait
  TunedResult result = resultOf(2);
  Outcome done = store->record({&result, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().status, NEREID_UNAVAILABLE);
  EXPECT_THAT(done.failure().text,
              HasSubstr(": another process has locked it for"));
  ASSERT_FALSE(other.execute("ROLLBACK"));
  record(*store, resultOf(2));
}

// --------------------------------------------------------------------- damage

TEST_F(StoreFaultTest, DamageIsReportedByThoseWhoNamedTheFile) {
  fill(200);
  std::string whole = readFile(path);
  for (size_t size : {size_t(50), size_t(5000), whole.size() / 2}) {
    writeFile(path, whole.substr(0, size));
    EXPECT_FALSE(open()) << size;
    EXPECT_THAT(failure, StartsWith(path + ": damaged, or not a store of tuned "
                                           "results ("));
    EXPECT_EQ(readFile(path).size(), size);
  }
}

TEST_F(StoreFaultTest, DamageIsMovedAwayByALibrary) {
  fill(200);
  std::string whole = readFile(path);
  std::string header = whole, middle = whole;
  header.replace(0, 40, 40, 'x');
  middle.replace(4096 * 2, 4096 * 4, 4096 * 4, '\x5a');
  int number = 0;
  for (const std::string &damaged :
       {header, middle, whole.substr(0, whole.size() - 4096)}) {
    std::string kept = path + ".damaged-" + std::to_string(++number);
    std::filesystem::remove(path + "-wal");
    writeFile(path, damaged);
    auto store = openOptional();
    ASSERT_TRUE(store) << failure;
    ASSERT_EQ(store->notices().size(), 1u);
    EXPECT_THAT(store->notices()[0], StartsWith(path + ": damaged ("));
    EXPECT_THAT(store->notices()[0], HasSubstr("), moved to '" + kept +
                                               "'; tuned results start again"));
    EXPECT_EQ(readFile(kept), damaged);
    EXPECT_TRUE(store->rows("softmax").keys.empty());
    record(*store, resultOf(7));
    EXPECT_EQ(read(*store).size(), 1u);
  }
}

TEST_F(StoreFaultTest, DamageThatIsFoundLaterIsMovedAwayToo) {
  {
    // More than SQLite keeps in memory.
    std::vector<TunedResult> results;
    for (int n = 0; n < 3000; ++n) {
      results.push_back(resultOf(n));
      results.back().note.assign(2000, 'x');
    }
    auto store = open();
    ASSERT_TRUE(store && store->record(results)) << failure;
  }
  auto store = openOptional();
  ASSERT_TRUE(store) << failure;
  std::string bytes = readFile(path);
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  std::string junk(bytes.size() - 4096, '\x5a');
  ASSERT_EQ(pwrite(file, junk.data(), junk.size(), 4096), ssize_t(junk.size()));
  close(file);
  EXPECT_TRUE(store->rows("softmax").keys.empty());
  EXPECT_EQ(store->notices().size(), 1u);
  record(*store, resultOf(7));
  store->refresh();
  EXPECT_EQ(store->rows("softmax").keys.size(), 1u);
}

TEST_F(StoreFaultTest, OneOfManyProcessesMovesTheDamageAway) {
  fill(200);
  std::filesystem::remove(path + "-wal");
  writeFile(path, readFile(path).substr(0, 9000));
  std::vector<pid_t> children;
  for (int process = 0; process < 8; ++process)
    children.push_back(start([&] {
      auto store = openOptional();
      TunedResult result = resultOf(process);
      return store && store->record({&result, 1}) ? 0 : 1;
    }));
  for (pid_t child : children)
    EXPECT_EQ(wait(child), 0);
  auto store = open();
  ASSERT_TRUE(store) << failure;
  EXPECT_EQ(read(*store).size(), 8u);
  store.reset();
  EXPECT_TRUE(std::filesystem::exists(path + ".damaged-1"));
  EXPECT_FALSE(std::filesystem::exists(path + ".damaged-2"));
}

TEST_F(StoreFaultTest, AFileThatWasMovedAwayIsMadeAgain) {
  auto store = open();
  ASSERT_TRUE(store) << failure;
  record(*store, resultOf(1));
  std::filesystem::rename(path, path + ".moved");
  record(*store, resultOf(2));
  auto again = open();
  ASSERT_TRUE(again) << failure;
  ASSERT_EQ(read(*again).size(), 1u);
  EXPECT_EQ(read(*again)[0].key, resultOf(2).key);
}

TEST_F(StoreFaultTest, FilesOfOthersAreNotTouched) {
  fill(1);
  execute("PRAGMA application_id = 1");
  std::string before = readFile(path);
  EXPECT_FALSE(open());
  EXPECT_EQ(failure, path + ": an SQLite database of another program");
  std::vector<std::string> expected = {failure};
  auto store = openOptional();
  ASSERT_TRUE(store);
  EXPECT_EQ(store->notices(), expected);
  TunedResult result = resultOf(1);
  EXPECT_EQ(store->record({&result, 1}).failure().status, NEREID_UNAVAILABLE);
  store.reset();
  EXPECT_EQ(readFile(path), before);
}

TEST_F(StoreFaultTest, AFolderOrAMissingFileIsNoStore) {
  EXPECT_FALSE(openWith({.path = path, .isReadOnly = true}));
  EXPECT_EQ(status, NEREID_NOT_FOUND);
  EXPECT_EQ(failure, path + ": no such file or directory");
  EXPECT_FALSE(openWith({.path = path, .mayCreate = false}));
  EXPECT_EQ(status, NEREID_NOT_FOUND);
  EXPECT_FALSE(openWith({.path = folder}));
  EXPECT_EQ(failure, folder + ": it is a directory, expected a file");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(open());
  EXPECT_EQ(failure, path + ": it is a FIFO, expected a file");
  EXPECT_FALSE(openWith({.path = path + "/tuned.db"}));
}

// --------------------------------------------------------- full and read-only

TEST_F(StoreFaultTest, AFullDiskLosesNothingThatWasRecorded) {
  // Files may not grow: a disk that is full for this process alone.
  int ended = wait(start([&] {
    auto store = open();
    if (!store)
      return 1;
    rlimit limit = {};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 256 * 1024;
    setrlimit(RLIMIT_FSIZE, &limit);
    size_t recorded = 0;
    std::string why;
    for (int n = 0; why.empty() && n < 5000; ++n) {
      TunedResult result = resultOf(n);
      result.note.assign(2000, 'x');
      Outcome done = store->record({&result, 1});
      if (done)
        ++recorded;
      else
        why = done.failure().text;
    }
    if (!why.starts_with(path + ": writing failed: a quota or a limit") &&
        why != path + ": no space left on device") {
      std::cerr << why << '\n';
      return 2;
    }
    if (recorded < 5 || read(*store).size() != recorded)
      return 3;
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    TunedResult result = resultOf(1'000'000);
    if (!store->record({&result, 1}))
      return 4;
    return read(*store).size() == recorded + 1 ? 0 : 5;
  }));
  EXPECT_EQ(ended, 0);
  auto store = open();
  ASSERT_TRUE(store) << failure;
  EXPECT_TRUE(store->notices().empty());
  EXPECT_GT(read(*store).size(), 5u);
}

TEST_F(StoreFaultTest, AFullDiskAtTheStartIsAnErrorOrANotice) {
  int ended = wait(start([&] {
    rlimit limit = {1024, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    if (open() || failure.empty())
      return 1;
    auto store = openOptional();
    return store && store->notices().size() == 1 &&
                   store->rows("softmax").keys.empty()
               ? 0
               : 2;
  }));
  EXPECT_EQ(ended, 0);
}

// A user who is not the owner, and not root, whom permissions do not bind.
static bool becomeNobody() {
  return geteuid() != 0 || (setegid(65534) == 0 && seteuid(65534) == 0);
}

TEST_F(StoreFaultTest, AStoreThatCannotBeWrittenIsRead) {
  fill(3);
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
  int ended = wait(start([&] {
    if (!becomeNobody())
      return 9;
    auto store = open();
    if (!store || read(*store).size() != 3 || !store->isReadOnly())
      return 1;
    TunedResult result = resultOf(4);
    Outcome done = store->record({&result, 1});
    if (done || done.failure().text !=
                    path + ": it is read-only, no results are recorded")
      return 2;
    auto named = openWith({.path = path, .isReadOnly = true});
    return named && read(*named).size() == 3 ? 0 : 3;
  }));
  EXPECT_EQ(ended, 0);
}

TEST_F(StoreFaultTest, ALogThatCannotBeMergedIsReported) {
  int ended = wait(start([&] {
    auto store = open();
    if (!store)
      return 1;
    record(*store, resultOf(1));
    kill(getpid(), SIGKILL);
    return 2;
  }));
  ASSERT_TRUE(WIFSIGNALED(ended));
  std::filesystem::remove(path + "-shm");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
  ended = wait(start([&] {
    if (!becomeNobody())
      return 9;
    if (open())
      return 1;
    return failure.find("its folder cannot be written, and its log '" + path +
                        "-wal' has results") == std::string::npos
               ? 2
               : 0;
  }));
  EXPECT_EQ(ended, 0);
}
