// kernel_info_test.cpp - what is known of a kernel, in its module.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend_harness.h"
#include "kernels.h"

#include <gtest/gtest.h>

namespace nereid::cpu {
namespace {

TEST(KernelInfo, StandardLayout) {
  KernelInfo info;
  for (const char *type : {"i1", "*f32", "bf16", "i32", "f64", "i8"})
    info.arguments.push_back({"x", type, 0});
  ASSERT_FALSE(bool(layOutArguments(info)));
  std::vector<uint64_t> offsets;
  for (const KernelArgument &argument : info.arguments)
    offsets.push_back(argument.offset);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 8, 16, 20, 24, 32}));
  EXPECT_EQ(info.argumentsSize, 40u);
  info.arguments.push_back({"y", "tensor", 0});
  EXPECT_EQ(llvm::toString(layOutArguments(info)),
            "argument 'y' has a type without a layout: tensor");
}

TEST(KernelInfo, MetadataRoundTrip) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  KernelInfo info;
  info.name = "k";
  info.arguments = {{"a", "*f16", 0}, {"b", "i64", 8}};
  info.argumentsSize = 16;
  info.scratchSize = 4096;
  info.scratchAlign = 128;
  info.flags = 5;
  info.bytesPerProgram = 7;
  info.flopsPerProgram = 9;
  info.streamedBytesPerProgram = 11;
  info.streamedStep = 2;
  info.atomicsPerProgram = 13;
  info.atomicsStep = 1;
  info.work = {{NEREID_WORK_ARGUMENT, 8, 8},
               {NEREID_WORK_CONSTANT, -5, 0},
               {NEREID_WORK_MAX, 0, 1},
               {NEREID_WORK_CONSTANT, -5, 0}};
  info.disjointCondition = {{NEREID_WORK_PROGRAM_ID, 2, 0}};
  info.disjointAxis = 2;
  attachKernelInfo(module, info);
  auto back = readKernelInfo(module);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->name, "k");
  ASSERT_EQ(back->disjointCondition.size(), 1u);
  EXPECT_EQ(back->disjointCondition[0].a, 2);
  EXPECT_EQ(back->disjointAxis, 2u);
  ASSERT_EQ(back->arguments.size(), 2u);
  EXPECT_EQ(back->arguments[1].type, "i64");
  EXPECT_EQ(back->scratchAlign, 128u);
  EXPECT_EQ(back->flags, 5u);
  EXPECT_EQ(back->bytesPerProgram, 7u);
  EXPECT_EQ(back->streamedBytesPerProgram, 11u);
  EXPECT_EQ(back->streamedStep, 2u);
  EXPECT_EQ(back->atomicsPerProgram, 13u);
  EXPECT_EQ(back->atomicsStep, 1u);
  EXPECT_EQ(back->flopsPerProgram, 9u);
  ASSERT_EQ(back->work.size(), 4u);
  EXPECT_EQ(back->work[1].a, -5);
  EXPECT_EQ(back->work[2].kind, NEREID_WORK_MAX);
  EXPECT_EQ(back->work[2].b, 1);
}

TEST(KernelInfo, RefusesAStreamedStepThatTheWorkLacks) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  KernelInfo info;
  info.name = "k";
  info.work = {{NEREID_WORK_CONSTANT, 1, 0}, {NEREID_WORK_CONSTANT, 2, 0}};
  info.streamedStep = 2;
  attachKernelInfo(module, info);
  EXPECT_EQ(
      llvm::toString(readKernelInfo(module).takeError()),
      "metadata nereid.cpu.kernel: streamed_step is not a step of the work");
}

TEST(KernelInfo, RefusesInvalidStepsOfWork) {
  const nereid_work_step_t wrong[] = {
      {NEREID_WORK_ADD, 0, 0},       {NEREID_WORK_ARGUMENT, 16, 4},
      {NEREID_WORK_ARGUMENT, -8, 8}, {NEREID_WORK_PROGRAM_ID, 3, 0},
      {NEREID_WORK_MAX + 1, 0, 0},   {-1, 0, 0}};
  for (const nereid_work_step_t &step : wrong) {
    llvm::LLVMContext context;
    llvm::Module module("m", context);
    KernelInfo info;
    info.name = "k";
    info.argumentsSize = 16;
    info.work = {step};
    attachKernelInfo(module, info);
    EXPECT_EQ(llvm::toString(readKernelInfo(module).takeError()),
              "metadata nereid.cpu.kernel: a step of a formula is not valid");
  }
}

} // namespace
} // namespace nereid::cpu
