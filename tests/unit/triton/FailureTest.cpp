// FailureTest.cpp - what a compilation is, and how it fails: in each case the
// next one succeeds.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"
#include "forked_child.h"

#include <filesystem>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nereid::triton;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
class FailureTest : public TritonFixture {};
} // namespace

TEST_F(FailureTest, CompilesThroughEveryStage) {
  Compiled result = compile(kernel());
  ASSERT_EQ(result.status, NEREID_OK) << result.reported;
  EXPECT_EQ(result.output, "\x7f"
                           "cubin of // ptx\n");
  EXPECT_EQ(result.metadata["name"], "kernel");
  EXPECT_EQ(result.metadata["argument_names"], "x,n");
  EXPECT_EQ(result.metadata["argument_types"], "*f32,i32");
  EXPECT_EQ(result.metadata["argument_offsets"], "0,8");
  EXPECT_EQ(result.metadata["argument_size"], "16");
  EXPECT_EQ(result.metadata["shared"], "4096");
  EXPECT_EQ(result.metadata["num_warps"], "4");
  EXPECT_EQ(result.metadata["warp_size"], "32");
  EXPECT_EQ(result.metadata["cooperative"], "0");
  EXPECT_EQ(result.metadata["scratch_parameters"], "2");
  EXPECT_EQ(result.metadata.count("parameters"), 0u);
  EXPECT_THAT(result.dependencies, StartsWith("triton=3.6.0;key="));
}

// docs/cuda.md: both for a whole program, multiples of the alignment.
TEST_F(FailureTest, ScratchIsThatOfAllBlocksOfAProgram) {
  Compiled result = compile(kernel(), {{"num_ctas", "2"}});
  ASSERT_EQ(result.status, NEREID_OK) << result.reported;
  EXPECT_EQ(result.metadata["scratch_alignment"], "128");
  EXPECT_EQ(result.metadata["profile_scratch_size"], "128");
  EXPECT_EQ(result.metadata["scratch_size"], "384"); // 2 * 100 -> 256, + 128
  EXPECT_EQ(result.metadata["num_ctas"], "2");
}

// Each text says what later stages need: no stage depends on a session.
TEST_F(FailureTest, AStageStartsFromTheBytesOfADump) {
  Compiled whole = compile(kernel());
  Compiled half = compile(kernel(), {}, 0, 2);
  ASSERT_EQ(half.status, NEREID_OK) << half.reported;
  EXPECT_THAT(half.output, HasSubstr("\n; nereid.metadata {"));
  Compiled rest = compile(half.output, {}, 3);
  ASSERT_EQ(rest.status, NEREID_OK) << rest.reported;
  EXPECT_EQ(rest.output, whole.output);
  EXPECT_EQ(rest.metadata, whole.metadata);
}

TEST_F(FailureTest, RefusesTextThatDoesNotDescribeItsArguments) {
  Compiled result = compile("// ptx of a user\n", {}, 4);
  EXPECT_EQ(result.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(result.reported,
              HasSubstr("the ptx does not end with a line '// nereid.metadata "
                        "{...}'"));
  result = compile("// ptx\n// nereid.metadata {broken\n", {}, 4);
  EXPECT_THAT(result.reported, HasSubstr("at the end of the ptx is damaged"));
}

TEST_F(FailureTest, TheImageMayBePtx) {
  Compiled result = compile(kernel(), {{"image", "ptx"}});
  ASSERT_EQ(result.status, NEREID_OK) << result.reported;
  EXPECT_THAT(result.output, StartsWith("// ptx\n// nereid.metadata {"));
  EXPECT_EQ(result.metadata["shared"], "4096");
}

// ---- Options.

TEST_F(FailureTest, OptionsAreThoseOfTriton) {
  Compiled result = compile(kernel(), {{"num_warp", "4"}});
  EXPECT_EQ(result.status, NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(result.reported,
              HasSubstr("unknown option 'num_warp' of Triton 3.6.0, expected "
                        "one of: num_warps, num_ctas, maxnreg"));
  result = compile(kernel(), {{"num_warps", "many"}});
  EXPECT_THAT(result.reported, HasSubstr("'many' is not of its type"));
  result = compile(kernel(), {{"image", "elf"}});
  EXPECT_THAT(result.reported, HasSubstr("\"elf\" is not a legal value"));
  // Triton itself judges the rest.
  result = compile(kernel(), {{"num_warps", "3"}});
  EXPECT_EQ(result.status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(result.reported, "error: num_warps must be a power of 2\n");
}

TEST_F(FailureTest, EquivalentOptionsAreEqual) {
  std::string plain = compile(kernel()).canonical;
  EXPECT_EQ(compile(kernel(), {{"num_warps", "4"}, {"maxnreg", "0"}}).canonical,
            plain);
  EXPECT_NE(compile(kernel(), {{"maxnreg", "64"}}).canonical, plain);
}

TEST_F(FailureTest, OptionsHaveTheCommentsOfTheirSource) {
  std::string found;
  nereid_option_sink_t sink = {
      sizeof(nereid_option_sink_t), 0, &found,
      [](const nereid_option_sink_t *sink, const nereid_option_t *option) {
        auto &out = *static_cast<std::string *>(sink->user);
        out += std::string(view(option->name)) + '=' +
               std::string(view(option->default_value)) + ": " +
               std::string(view(option->doc)) + '\n';
        return nereid_status_t(NEREID_OK);
      }};
  nereid_target_t target = cudaTarget();
  ASSERT_EQ(kCompiler.visit_options(plugin(), &target, &sink, &call.record),
            NEREID_OK)
      << call.reported;
  EXPECT_THAT(found, HasSubstr("num_warps=4: warps of a program"));
  EXPECT_THAT(found, HasSubstr("maxnreg=0: most registers of a thread; unset"));
  EXPECT_THAT(found, HasSubstr("image=cubin: "));
}

// ---- Failures of the worker.

namespace {
struct Mishap {
  const char *what;
  nereid_status_t status;
  const char *reported;
};
} // namespace

TEST_F(FailureTest, AFailureIsOfOneCompilation) {
  const Mishap mishaps[] = {
      {"crash", NEREID_INTERNAL,
       "the compiler's process failed: it crashed with signal 11"},
      {"crash", NEREID_INTERNAL, "it printed: the fake assembler dies"},
      {"exit", NEREID_INTERNAL,
       "it ended with status 7\nnote: it printed: "
       "exit as told"},
      {"sys-leave", NEREID_INTERNAL, "it printed: leaving"},
      {"killed", NEREID_OUT_OF_RESOURCES, "it was killed with signal 9"},
      {"raise", NEREID_INTERNAL, "KeyError: 'a bug of the backend'"},
      {"refused-ptx", NEREID_INVALID_ARGUMENT,
       "error: the PTX assembler failed: `ptxas` failed with error code "
       "255\nnote: ptxas input.ptx, line 9; error   : no such instruction\n"},
      {"located", NEREID_INVALID_ARGUMENT,
       "k.py:7:3: error: this cannot be lowered\nk.py:6:1: note: because of "
       "this\nnote: Triton failed: PassManager::run failed\n"},
  };
  for (const Mishap &mishap : mishaps) {
    Compiled result = compile(kernel(mishap.what));
    EXPECT_EQ(result.status, mishap.status) << mishap.what;
    EXPECT_THAT(result.reported, HasSubstr(mishap.reported)) << mishap.what;
    result = compile(kernel());
    EXPECT_EQ(result.status, NEREID_OK) << mishap.what << result.reported;
  }
}

TEST_F(FailureTest, ASourceThatIsNotTtirHasALine) {
  Compiled result = compile("not a kernel");
  EXPECT_EQ(result.status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(result.reported, ":3:7: error: expected a kernel\nnote: it is not "
                             "ttir of this Triton\n");
}

TEST_F(FailureTest, WhatIsPrintedIsNoFailure) {
  Compiled result = compile(kernel("print"));
  EXPECT_EQ(result.status, NEREID_OK) << result.reported;
}

TEST_F(FailureTest, AWorkerIsKeptToItsMemory) {
  settings.memory = uint64_t(2) << 30;
  Compiled result = compile(kernel("exhaust"));
  EXPECT_EQ(result.status, NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(result.reported, "error: the worker is out of memory\n");
  EXPECT_EQ(compile(kernel()).status, NEREID_OK);
}

TEST_F(FailureTest, AHangEndsAtTheLimit) {
  // Long enough for the next compilation, too, on a machine that is busy.
  settings.timeLimit = std::chrono::seconds(10);
  Compiled result = compile(kernel("hang"));
  EXPECT_EQ(result.status, NEREID_OUT_OF_RESOURCES);
  EXPECT_THAT(result.reported,
              AllOf(HasSubstr("it did not answer within 10000 ms"),
                    HasSubstr("NEREID_TRITON_TIME_LIMIT")));
  EXPECT_EQ(compile(kernel()).status, NEREID_OK);
}

TEST_F(FailureTest, ACancelledCompilationEndsSoon) {
  ASSERT_EQ(compile(kernel()).status, NEREID_OK);
  call.isCancelled = true;
  // Without the cancellation it would be late.
  Compiled result = compile(kernel("hang"));
  EXPECT_EQ(result.status, NEREID_CANCELLED);
  EXPECT_THAT(result.reported, HasSubstr("the compilation was cancelled"));
  call.isCancelled = false;
  EXPECT_EQ(compile(kernel()).status, NEREID_OK);
}

TEST_F(FailureTest, ParallelCompilationsGetSeveralWorkers) {
  settings.workers = 2;
  plugin();
  // Each worker leaves a file there; the first goes on once there are two.
  std::string meeting = folder + "/meet";
  std::filesystem::create_directory(meeting);
  std::vector<std::future<Compiled>> pending;
  for (int i = 0; i < 4; ++i)
    pending.push_back(std::async(std::launch::async, [&] {
      return compile(kernel("meet=" + meeting), {{"image", "ptx"}});
    }));
  for (auto &each : pending) {
    Compiled result = each.get();
    EXPECT_EQ(result.status, NEREID_OK) << result.reported;
  }
  std::filesystem::directory_iterator files(meeting);
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

// ---- Processes.

// It starts a thread, which ThreadSanitizer does not allow.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NEREID_TEST_WITHOUT_FORK
#endif
#endif
#if !defined(__SANITIZE_THREAD__) && !defined(NEREID_TEST_WITHOUT_FORK)
TEST_F(FailureTest, AForkedChildCompiles) {
  ASSERT_EQ(compile(kernel()).status, NEREID_OK);
  EXPECT_TRUE(nereid::test::succeedsInChild([&] {
    bool isGood = compile(kernel()).status == NEREID_OK;
    state.reset();
    return isGood;
  }));
  EXPECT_EQ(compile(kernel()).status, NEREID_OK);
}
#endif
