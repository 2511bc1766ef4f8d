// compile_repeatedly_test.cpp - compilations that do not disturb each other: in
// sequence, in threads, in a forked child.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "forked_child.h"
#include "harness.h"
#include "kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace nereid::cpu::test {
namespace {

TEST(CompileRepeatedly, AFailureHarmsNoLaterCompilation) {
  Plugin plugin;
  for (int round = 0; round < 3; ++round) {
    EXPECT_NE(plugin.compile("broken", "asm", "so").status, NEREID_OK);
    EXPECT_EQ(plugin.compile(addKernel(), "asm", "so").status, NEREID_OK);
  }
}

TEST(CompileRepeatedly, EarlierCompilationsDoNotChangeAnImage) {
  Plugin plugin;
  std::vector<std::string> sources;
  for (const char *name : {"layer_norm_1024", "vector_add_1024",
                           "matmul_64x64x32_bf16", "flash_attention_64"})
    sources.push_back(kernelFile(name));
  std::vector<std::string> images;
  for (const std::string &source : sources) {
    Compiled out = plugin.compile(source, "ttir", "so");
    ASSERT_EQ(out.status, NEREID_OK) << out.errors;
    images.push_back(out.output);
  }
  for (int round = 0; round < 3; ++round)
    for (size_t i = sources.size(); i-- > 0;)
      EXPECT_TRUE(plugin.compile(sources[i], "ttir", "so").output == images[i])
          << "kernel " << i << ", round " << round;
}

TEST(CompileRepeatedly, AllThreadsGetTheSameImage) {
  Plugin plugin;
  std::vector<std::thread> threads;
  std::string outputs[4];
  for (std::string &output : outputs)
    threads.emplace_back([&] {
      for (int round = 0; round < 4; ++round)
        output = plugin.compile(addKernel(), "asm", "so").output;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &output : outputs)
    EXPECT_EQ(output, outputs[0]);
}

// ThreadSanitizer ends a child of fork() that starts a thread, and lld has one.
#if defined(__SANITIZE_THREAD__)
#define NEREID_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NEREID_TSAN 1
#endif
#endif

#ifndef NEREID_TSAN
// The locks that other threads hold when a process forks are nobody's in the
// child. Linking is half of a compilation, so some of these forks come then.
TEST(CompileRepeatedly, AForkedChildCompilesWhateverOtherThreadsDid) {
  Plugin plugin;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!done)
        plugin.compile(fmodKernel(), "asm", "so");
    });
  int hung = 0;
  for (int round = 0; round < 25 && hung == 0; ++round) {
    bool succeeds = nereid::test::succeedsInChild([&] {
      return plugin.compile(fmodKernel(), "asm", "so").status == NEREID_OK;
    });
    hung += !succeeds;
  }
  done = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(hung, 0);
}
#endif

} // namespace
} // namespace nereid::cpu::test
