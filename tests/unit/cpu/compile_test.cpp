// compile_test.cpp - the compiler's slots: stages, options, dependencies.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace nereid::cpu::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Compile, FromLlvmIrToAnImage) {
  Plugin plugin;
  Compiled out = plugin.compile(addKernel(), "asm", "so");
  ASSERT_EQ(out.status, NEREID_OK) << out.errors;
  EXPECT_THAT(out.output, StartsWith("\x7f"
                                     "ELF"));
  EXPECT_EQ(out.metadata["name"].text, "add_kernel");
  EXPECT_THAT(out.metadata["argument_names"].texts,
              ElementsAre("a", "b", "out", "n"));
  EXPECT_THAT(out.metadata["argument_types"].texts,
              ElementsAre("*f32", "*f32", "*f32", "i32"));
  EXPECT_THAT(out.metadata["argument_offsets"].numbers,
              ElementsAre(0, 8, 16, 24));
  EXPECT_EQ(out.metadata["argument_size"].number, 32);
}

TEST(Compile, BytesBetweenStagesMakeTheSameKernel) {
  Plugin plugin;
  Compiled kept = plugin.compile(addKernel(), "asm", "so");
  Compiled passed = plugin.compile(addKernel(), "asm", "so", {}, false);
  ASSERT_EQ(passed.status, NEREID_OK) << passed.errors;
  EXPECT_EQ(passed.metadata["argument_types"].texts,
            kept.metadata["argument_types"].texts);
  Compiled assembly = plugin.compile(addKernel(), "asm", "asm");
  EXPECT_THAT(assembly.output, HasSubstr("add_kernel.cpu:"));
  Compiled again = plugin.compile(assembly.output, "so", "so");
  ASSERT_EQ(again.status, NEREID_OK) << again.errors;
  EXPECT_EQ(again.output, passed.output);
}

TEST(Compile, OptionsReachTheCode) {
  Plugin plugin;
  Compiled wide = plugin.compile(addKernel(), "asm", "asm",
                                 {{"cpu", "x86-64-v4"}, {"arch", "x86_64"}});
  EXPECT_THAT(wide.output, HasSubstr("zmm"));
  Compiled arm =
      plugin.compile(addKernel(), "asm", "asm", {{"arch", "aarch64"}});
  ASSERT_EQ(arm.status, NEREID_OK) << arm.errors;
  EXPECT_THAT(arm.output, HasSubstr(".4s"));
  EXPECT_NE(wide.canonical, arm.canonical);
}

TEST(Compile, ErrorsNameThePlace) {
  Plugin plugin;
  Compiled out = plugin.compile("define void @f( {\n", "asm", "so");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors, StartsWith(":2:1: "));
  out = plugin.compile("define i32 @f() {\n ret i64 0\n}", "asm", "so");
  EXPECT_THAT(out.errors, StartsWith(":2:"));
  out = plugin.compile("bogus", "so", "so");
  EXPECT_THAT(out.errors, StartsWith(":1:1: "));
}

/// The kernel with `line` as the first instruction of its function.
static std::string withInstruction(const std::string &line) {
  std::string text = addKernel();
  size_t at = text.find("entry:\n");
  EXPECT_NE(at, std::string::npos);
  return text.insert(at + 7, "  " + line + "\n");
}

// LLVM's default handler would end the process.
TEST(Compile, ErrorsOfCodeGenerationBecomeDiagnostics) {
  Plugin plugin;
  struct {
    std::string kernel, error;
  } const cases[] = {
      {withInstruction("call void asm sideeffect \"nonsense $$1\", \"\"()"),
       "LLVM: invalid instruction mnemonic 'nonsense' in the inline assembly "
       "'nonsense $1'\n"},
      {withInstruction(
           "%zz = call i64 asm sideeffect \"nop\", \"={zzz}\"()"),
       "LLVM: couldn't allocate output register for constraint '{zzz}'\n"},
      {addKernel() + "module asm \"nonsense\"\n",
       "LLVM: invalid instruction mnemonic 'nonsense' in the inline assembly "
       "'nonsense'\n"},
  };
  for (const auto &[kernel, error] : cases)
    for (const char *last : {"asm", "so"}) {
      Compiled out = plugin.compile(kernel, "asm", last, {{"arch", "x86_64"}});
      EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
      EXPECT_EQ(out.errors, error) << last;
      Compiled good =
          plugin.compile(addKernel(), "asm", "so", {{"arch", "x86_64"}});
      EXPECT_EQ(good.status, NEREID_OK) << good.errors;
    }
}

TEST(Compile, WarningsOfCodeGenerationBecomeDiagnostics) {
  ::testing::internal::CaptureStderr();
  Compiled out = Plugin().compile(
      withInstruction("%huge = alloca [10000000000 x i8]\n"
                      "  call void asm sideeffect \"\", \"r\"(ptr %huge)"),
      "asm", "so", {{"arch", "x86_64"}});
  EXPECT_EQ(out.status, NEREID_OK) << out.errors;
  EXPECT_THAT(out.warnings, StartsWith("LLVM: stack frame size ("));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Compile, OptionsAreRefusedBeforeAnyStage) {
  Plugin plugin;
  Compiled out = plugin.compile("bogus", "asm", "so",
                                {{"cpu", "pentium9"}, {"arch", "x86_64"}});
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(out.errors, "unknown CPU 'pentium9' for x86_64\n");
  out = plugin.compile("bogus", "asm", "so", {{"fast_paths", "nosuch"}});
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors, StartsWith("unknown fast path 'nosuch', expected "));
}

static std::string kernelFile(const std::string &name) {
  std::ifstream file(CPU_KERNELS "/" + name + ".ttir");
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Compile, TtirErrorsHaveAPlace) {
  Plugin plugin;
  Compiled out = plugin.compile("module {\n  tt.bogus\n}\n", "ttir", "so");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors, StartsWith(":2:3: "));
  EXPECT_EQ(std::count(out.errors.begin(), out.errors.end(), '\n'), 1)
      << out.errors;
}

TEST(Compile, AKernelThatReturnsAValueIsRefused) {
  Plugin plugin;
  std::string helper = "tt.func private @h() -> i32 {\n"
                       "  %c = arith.constant 1 : i32\n"
                       "  tt.return %c : i32\n}\n";
  std::string kernel = "tt.func public @k() -> i32 {\n"
                       "  %x = tt.call @h() : () -> i32\n"
                       "  tt.return %x : i32\n}\n";
  Compiled out = plugin.compile(helper + kernel, "ttir", "ttir");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(out.errors, ":5:1: kernel 'k' returns a value, expected none: a "
                        "kernel stores its results\n");
}

// In a child because the limit cannot be raised again by everybody.
TEST(Compile, TheLimitOnFilesDoesNotEndTheProcess) {
  Plugin plugin;
  pid_t child = fork();
  if (child == 0) {
    rlimit limit = {1, 1};
    setrlimit(RLIMIT_FSIZE, &limit);
    Compiled out = plugin.compile(addKernel(), "asm", "so");
    bool isTold = out.status == NEREID_IO_ERROR &&
                  out.errors.find("raise it ('ulimit -f')") != out.errors.npos;
    _exit(isTold ? 0 : 1);
  }
  int ended = -1;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_EQ(ended, 0);
}

TEST(Compile, InputOfAnotherKindIsNamed) {
  Plugin plugin;
  std::string ttir = kernelFile("vector_add_1024");
  Compiled assembly = plugin.compile(addKernel(), "asm", "asm");
  auto error = [&](const std::string &input, const char *stage) {
    return plugin.compile(input, stage, stage).errors;
  };
  EXPECT_EQ(error(ttir, "asm"), "found TTIR, expected LLVM IR\n");
  EXPECT_EQ(error(ttir, "so"), "found TTIR, expected assembly\n");
  EXPECT_EQ(error(addKernel(), "ttir"), "found LLVM IR, expected TTIR\n");
  EXPECT_EQ(error(assembly.output, "llir"), "found assembly, expected TTIR\n");
  EXPECT_EQ(error("\x7f"
                  "ELF\2\1\1",
                  "so"),
            "found an ELF file, expected assembly\n");
}

TEST(Compile, AFailedCompilationHarmsNoLaterOne) {
  Plugin plugin;
  for (int round = 0; round < 3; ++round) {
    EXPECT_NE(plugin.compile("broken", "asm", "so").status, NEREID_OK);
    EXPECT_EQ(plugin.compile(addKernel(), "asm", "so").status, NEREID_OK);
  }
}

TEST(Compile, WhatRanBeforeDoesNotChangeAnImage) {
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

TEST(Compile, ManyThreads) {
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
/// True if `child` ends well within ten seconds; else it is killed.
static bool endsWell(pid_t child) {
  for (int round = 0; round < 1000; ++round) {
    int ended = -1;
    if (waitpid(child, &ended, WNOHANG) == child)
      return ended == 0;
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return false;
}

// The locks that other threads hold when a process forks are nobody's in the
// child. Linking is half of a compilation, so some of these forks come then.
TEST(Compile, AChildCompilesWhateverOtherThreadsDid) {
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
    pid_t child = fork();
    if (child == 0) {
      Compiled out = plugin.compile(fmodKernel(), "asm", "so");
      _exit(out.status == NEREID_OK ? 0 : 1);
    }
    hung += !endsWell(child);
  }
  done = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(hung, 0);
}
#endif

/// A kernel of `count` operations each of which uses the one before; `step`
/// makes %v1 from %v0, or %p1 from %p0.
std::string chainKernel(unsigned count, const std::string &step) {
  std::string kernel = R"(
  tt.func public @k(%p: !tt.ptr<f32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p0 = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v0 = tt.load %p0 : tensor<64x!tt.ptr<f32>>
)";
  for (unsigned i = 0; i < count; ++i)
    for (char c : step)
      kernel += c == '0'   ? std::to_string(i)
                : c == '1' ? std::to_string(i + 1)
                           : std::string(1, c);
  std::string n = std::to_string(count);
  bool pointers = step.find("addptr") != std::string::npos;
  return kernel + "    tt.store %p" + (pointers ? n : "0") + ", %v" +
         (pointers ? "0" : n) +
         " : tensor<64x!tt.ptr<f32>>\n    tt.return\n  }\n";
}

constexpr const char *kSums =
    "    %v1 = arith.addf %v0, %v0 : tensor<64xf32>\n";

/// Compiles on a thread with little stack.
Compiled compileOnSmallStack(const Plugin &plugin, const std::string &kernel) {
  struct Job {
    const Plugin &plugin;
    const std::string &kernel;
    Compiled out;
  } job{plugin, kernel, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t(1) << 20);
  pthread_t thread;
  auto run = [](void *argument) -> void * {
    auto *job = static_cast<Job *>(argument);
    job->out = job->plugin.compile(job->kernel, "ttir", "so");
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &job), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return job.out;
}

TEST(Compile, LongChainsNeedNoStackOfTheCaller) {
  Plugin plugin;
  for (unsigned count : {3000, 20000})
    for (const char *step :
         {kSums, "    %p1 = tt.addptr %p0, %r : tensor<64x!tt.ptr<f32>>, "
                 "tensor<64xi32>\n"}) {
      Compiled out = compileOnSmallStack(plugin, chainKernel(count, step));
      EXPECT_EQ(out.status, NEREID_OK) << out.errors;
    }
}

TEST(Compile, AnAddressMayUseAValueManyTimesOver) {
  std::string kernel = R"(
  tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
    %x = tt.load %p : !tt.ptr<f32>
    %v0 = tt.get_program_id x : i32
)";
  for (unsigned i = 0; i < 64; ++i) {
    std::string v = "%v" + std::to_string(i);
    kernel += "    %v" + std::to_string(i + 1) + " = arith.muli " + v + ", " +
              v + " : i32\n";
  }
  Compiled out = Plugin().compile(
      kernel + "    %q = tt.addptr %p, %v64 : !tt.ptr<f32>, i32\n"
               "    tt.store %q, %x : !tt.ptr<f32>\n    tt.return\n  }\n",
      "ttir", "so");
  EXPECT_EQ(out.status, NEREID_OK) << out.errors;
}

TEST(Compile, NotesKeepTheirPlace) {
  std::string function = "tt.func public @k() {\n  tt.return\n}\n";
  Compiled out = Plugin().compile(function + function, "ttir", "so");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.notes, HasSubstr(":1:1: see existing symbol"));
}

TEST(Compile, WhatInliningMakesIsLimited) {
  std::string kernel = "tt.func public @k() {\n  tt.call @f0() : () -> ()\n"
                       "  tt.return\n}\n";
  for (unsigned i = 0; i < 40; ++i) {
    std::string call =
        "  tt.call @f" + std::to_string(i + 1) + "() : () -> ()\n";
    kernel += "tt.func private @f" + std::to_string(i) + "() {\n" + call +
              call + "  tt.return\n}\n";
  }
  kernel += "tt.func private @f40() {\n  gpu.barrier\n  tt.return\n}\n";
  Compiled out = Plugin().compile(kernel, "ttir", "so");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors,
              HasSubstr("@f25 has more than 200000 operations once its calls "
                        "are inlined"));
}

TEST(Compile, TheLongestChainsAreRefused) {
  Plugin plugin;
  Compiled out = compileOnSmallStack(plugin, chainKernel(100000, kSums));
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors, HasSubstr(":100007:"));
  EXPECT_THAT(out.errors, HasSubstr("ends a chain of 100005 operations"));
}

TEST(Compile, DependenciesAreTheCompilersBuild) {
  Plugin plugin;
  std::string text;
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.user = &text;
  writer.write = [](const nereid_writer_t *self, const void *data,
                    uint64_t size) -> nereid_status_t {
    static_cast<std::string *>(self->user)
        ->append(static_cast<const char *>(data), size);
    return NEREID_OK;
  };
  Messages messages;
  ASSERT_EQ(plugin.compiler->write_dependencies(plugin.state, nullptr, &writer,
                                                messages.call()),
            NEREID_OK);
  EXPECT_THAT(text, ::testing::MatchesRegex("compiler=[0-9a-f]+;host=.*"));
}

} // namespace
} // namespace nereid::cpu::test
