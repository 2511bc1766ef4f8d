// compile_errors_test.cpp - what the compiler reports and refuses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::cpu::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CompileErrors, NameThePosition) {
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
TEST(CompileErrors, OfCodeGenerationBecomeDiagnostics) {
  Plugin plugin;
  struct {
    std::string kernel, error;
  } const cases[] = {
      {withInstruction("call void asm sideeffect \"nonsense $$1\", \"\"()"),
       "LLVM: invalid instruction mnemonic 'nonsense' in the inline assembly "
       "'nonsense $1'\n"},
      {withInstruction("%zz = call i64 asm sideeffect \"nop\", \"={zzz}\"()"),
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

TEST(CompileErrors, WarningsOfCodeGenerationBecomeDiagnostics) {
  ::testing::internal::CaptureStderr();
  Compiled out = Plugin().compile(
      withInstruction("%huge = alloca [10000000000 x i8]\n"
                      "  call void asm sideeffect \"\", \"r\"(ptr %huge)"),
      "asm", "so", {{"arch", "x86_64"}});
  EXPECT_EQ(out.status, NEREID_OK) << out.errors;
  EXPECT_THAT(out.warnings, StartsWith("LLVM: stack frame size ("));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(CompileErrors, OptionsAreRefusedBeforeAnyStage) {
  Plugin plugin;
  Compiled out = plugin.compile("bogus", "asm", "so",
                                {{"cpu", "pentium9"}, {"arch", "x86_64"}});
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(out.errors, "unknown CPU 'pentium9' for x86_64\n");
  out = plugin.compile("bogus", "asm", "so", {{"fast_paths", "nosuch"}});
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors, StartsWith("unknown fast path 'nosuch', expected "));
}

TEST(CompileErrors, OfTtirNameThePosition) {
  Plugin plugin;
  Compiled out = plugin.compile("module {\n  tt.bogus\n}\n", "ttir", "so");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.errors, StartsWith(":2:3: "));
  EXPECT_EQ(std::count(out.errors.begin(), out.errors.end(), '\n'), 1)
      << out.errors;
}

TEST(CompileErrors, NotesKeepTheirPosition) {
  std::string function = "tt.func public @k() {\n  tt.return\n}\n";
  Compiled out = Plugin().compile(function + function, "ttir", "so");
  EXPECT_EQ(out.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(out.notes, HasSubstr(":1:1: see existing symbol"));
}

TEST(CompileErrors, RefuseAKernelThatReturnsAValue) {
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

TEST(CompileErrors, NameTheKindOfWrongInput) {
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

// In a child because the limit cannot be raised again by everybody.
TEST(CompileErrors, TheLimitOnFilesDoesNotEndTheProcess) {
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

} // namespace
} // namespace nereid::cpu::test
