// SessionTest.cpp - the frame of a compilation, with a compiler of one stage.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/FatalErrors.h"
#include "kernel/Input.h"
#include "kernel/OutOfResources.h"
#include "kernel/Session.h"
#include "kernel/TtirStage.h"

#include "llvm/Support/ErrorHandling.h"

#include <gtest/gtest.h>

namespace nereid::codegen {
namespace {

constexpr char kKernel[] = "tt.func public @k(%n: i32) { tt.return }";

/// Stage 0 is the one that all compilers share; stage 1 does `generate`.
class TestSession : public Session {
public:
  TestSession() {
    call.struct_size = sizeof call;
    call.user = this;
    call.report = [](const nereid_call_t *call,
                     const nereid_diagnostic_t *diagnostic) {
      auto &messages = static_cast<TestSession *>(call->user)->messages;
      if (diagnostic->line)
        messages += std::to_string(diagnostic->line) + ":" +
                    std::to_string(diagnostic->column) + ": ";
      messages.append(diagnostic->message.data, diagnostic->message.size);
      messages += '\n';
    };
    writer.struct_size = sizeof writer;
    writer.user = this;
    writer.write = [](const nereid_writer_t *writer, const void *data,
                      uint64_t size) {
      auto &self = *static_cast<TestSession *>(writer->user);
      self.output.append(static_cast<const char *>(data), size);
      return self.writerStatus;
    };
  }

  nereid_status_t runTtir(llvm::StringRef input) {
    return runStage(0, {input.data(), input.size()}, &writer, nullptr, &call);
  }
  /// Runs stage 1 on what stage 0 left, or on `input`.
  nereid_status_t
  runNext(llvm::function_ref<llvm::Error(mlir::ModuleOp)> generateCode,
          llvm::StringRef input = {}) {
    generate = generateCode;
    return runStage(1, {input.data(), input.size()}, &writer, nullptr, &call);
  }

  std::string messages, output;
  nereid_status_t writerStatus = NEREID_OK;
  bool isAbandoned = false;
  nereid_call_t call = {};

private:
  llvm::Error run(uint32_t stage, llvm::StringRef input,
                  const Report &report) override {
    return stage == 0 ? ttir.run(input, report)
                      : ttir.generate(input, report, generate);
  }
  void abandon() override {
    isAbandoned = true;
    ttir.abandon();
  }

  nereid_writer_t writer = {};
  llvm::function_ref<llvm::Error(mlir::ModuleOp)> generate;
  TtirStage ttir;
};

llvm::Error succeed(mlir::ModuleOp) { return llvm::Error::success(); }

TEST(Session, HandsTheModuleToTheNextStage) {
  TestSession session;
  EXPECT_EQ(session.runTtir(kKernel), NEREID_OK) << session.messages;
  EXPECT_NE(session.output.find("@k"), std::string::npos);
  bool hasKernel = false;
  EXPECT_EQ(session.runNext([&](mlir::ModuleOp module) {
              hasKernel = module.lookupSymbol("k");
              return llvm::Error::success();
            }),
            NEREID_OK);
  EXPECT_TRUE(hasKernel);
}

TEST(Session, AStageReadsInputOfItsOwn) {
  TestSession session;
  EXPECT_EQ(session.runNext(succeed, kKernel), NEREID_OK) << session.messages;
}

TEST(Session, RefusesAStageWithoutInput) {
  TestSession session;
  EXPECT_EQ(session.runNext(succeed), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(session.messages, "no input was given, and no stage ran before\n");
}

TEST(Session, NamesTheKindOfWrongInput) {
  TestSession session;
  EXPECT_EQ(session.runTtir("define void @k() { ret void }"),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(session.messages, "found LLVM IR, expected TTIR\n");
}

TEST(Session, RefusesAKernelThatReturnsAValue) {
  TestSession session;
  EXPECT_EQ(session.runTtir("tt.func public @k(%n: i32) -> i32 {\n"
                            "  tt.return %n : i32\n}"),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(session.messages, "1:1: kernel 'k' returns a value, expected none: "
                              "a kernel stores its results\n");
}

TEST(Session, ReportsAnErrorOfTheInputWithItsPosition) {
  TestSession session;
  EXPECT_EQ(session.runNext(
                [](mlir::ModuleOp) {
                  return llvm::make_error<InputError>(3, 7, "Expected a name");
                },
                kKernel),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(session.messages, "3:7: expected a name\n");
}

TEST(Session, ReportsAnErrorWithALocationOnce) {
  TestSession session;
  EXPECT_EQ(session.runNext(
                [](mlir::ModuleOp module) {
                  mlir::emitError(module.lookupSymbol("k")->getLoc()) << "no";
                  return llvm::createStringError("summary");
                },
                kKernel),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(session.messages, "1:1: no\n");
}

TEST(Session, ReportsWhatAProgramNeedsAndHas) {
  TestSession session;
  EXPECT_EQ(session.runNext(
                [](mlir::ModuleOp) {
                  return llvm::make_error<OutOfResourcesError>(
                      70000, 49152, "bytes of shared memory");
                },
                kKernel),
            NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(session.messages, "out of resources: a program needs 70000 bytes "
                              "of shared memory, and has 49152\n");
}

TEST(Session, PassesOnTheStatusOfTheWriter) {
  TestSession session;
  session.writerStatus = NEREID_OUT_OF_RESOURCES;
  EXPECT_EQ(session.runTtir(kKernel), NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(session.messages, "");
}

TEST(Session, RunsNothingAfterACancellation) {
  TestSession session;
  session.call.cancelled = [](const nereid_call_t *) { return 1; };
  EXPECT_EQ(session.runTtir(kKernel), NEREID_CANCELLED);
  EXPECT_EQ(session.output, "");
}

/// A context goes back to a pool after a compilation, but not one in which LLVM
/// gave up: a diagnostic handler of the failed stage is still registered in it.
TEST(Session, UsesNoContextAgainAfterAFatalError) {
  mlir::MLIRContext *failed = nullptr, *next = nullptr;
  {
    TestSession session;
    EXPECT_EQ(session.runNext(
                  [&](mlir::ModuleOp module) -> llvm::Error {
                    failed = module.getContext();
                    llvm::report_fatal_error("cannot select");
                  },
                  kKernel),
              NEREID_INTERNAL);
    EXPECT_EQ(session.messages, "LLVM: cannot select\n");
    EXPECT_TRUE(session.isAbandoned);
  }
  TestSession session;
  EXPECT_EQ(session.runNext(
                [&](mlir::ModuleOp module) {
                  next = module.getContext();
                  return llvm::Error::success();
                },
                kKernel),
            NEREID_OK);
  EXPECT_NE(failed, next);
}

TEST(FatalErrors, BecomeErrors) {
  llvm::Error error = runGuarded(
      []() -> llvm::Error { llvm::report_fatal_error("cannot go on"); });
  EXPECT_TRUE(error.isA<FatalError>());
  EXPECT_EQ(llvm::toString(std::move(error)), "LLVM: cannot go on");
  EXPECT_FALSE(bool(runGuarded([] { return llvm::Error::success(); })));
}

} // namespace
} // namespace nereid::codegen
