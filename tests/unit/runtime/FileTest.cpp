// FileTest.cpp - owners of descriptors, and reads and writes that are
// interrupted.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/File.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

using namespace nereid::host;

TEST(FileTest, AnOwnerClosesOnceAndKeepsErrno) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  errno = ERANGE;
  {
    FileDescriptor first(ends[0]), second(ends[1]);
    FileDescriptor moved(std::move(first));
    // NOLINTNEXTLINE(bugprone-use-after-move): it owns nothing any more
    EXPECT_FALSE(first);
    EXPECT_EQ(moved.get(), ends[0]);
    EXPECT_EQ(moved.close(), 0);
    EXPECT_EQ(moved.close(), 0);
    // The destructor of an owner whose descriptor is gone fails to close it.
    ASSERT_EQ(::close(ends[1]), 0);
  }
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(fcntl(ends[0], F_GETFD), -1);
  EXPECT_EQ(FileDescriptor(ends[0]).close(), EBADF);
}

TEST(FileTest, ASignalDoesNotEndAWrite) {
  // Without SA_RESTART, as some programs install their handlers.
  struct sigaction handler = {}, before = {};
  handler.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &handler, &before), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  FileDescriptor out(ends[0]), in(ends[1]);
  std::string sent, got;
  for (int i = 0; sent.size() < (1 << 20); ++i)
    sent += std::to_string(i) + '\n';
  int error = -1;
  std::thread writer([&] {
    error = writeAll(in.get(), sent);
    in.close();
  });
  char buffer[16384];
  do {
    // The first ends a write that has begun, the second one that is blocked.
    for (int i = 0; i < 2; ++i) {
      pthread_kill(writer.native_handle(), SIGUSR1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ssize_t count = withoutInterruption(
        [&] { return read(out.get(), buffer, sizeof buffer); });
    if (count <= 0)
      break;
    got.append(buffer, static_cast<size_t>(count));
  } while (true);
  writer.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(error, 0);
  EXPECT_EQ(got, sent);
}

TEST(FileTest, ReadsAndWritesAtAnOffset) {
  std::string name = testing::TempDir() + "nereid-file-XXXXXX";
  FileDescriptor file(mkstemp(name.data()));
  ASSERT_TRUE(file);
  unlink(name.c_str());
  EXPECT_EQ(writeAllAt(file.get(), "abcdef", 2), 0);
  char bytes[16] = {};
  EXPECT_EQ(readUpTo(file.get(), bytes, sizeof bytes, 4), 4);
  EXPECT_STREQ(bytes, "cdef");
  EXPECT_TRUE(readExactly(file.get(), bytes, 6, 2));
  EXPECT_STREQ(bytes, "abcdef");
  EXPECT_FALSE(readExactly(file.get(), bytes, 7, 2));
  EXPECT_FALSE(readExactly(file.get(), bytes, 1, UINT64_MAX));
  EXPECT_EQ(readUpTo(-1, bytes, 1), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(writeAll(-1, "x"), EBADF);
}
