// AccessCodeTest.cpp - how many instructions loads and stores of a tile take.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Generate.h"

#include "nereid/ttir/Parse.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>

namespace nereid::vulkan {
namespace {

/// Instructions of one kernel, by opcode.
class Counts {
public:
  explicit Counts(const spirv::Words &words) {
    for (size_t at = 5; at < words.size(); at += words[at] >> 16)
      ++counts[words[at] & 0xffff];
  }
  unsigned of(spv::Op op) const {
    auto found = counts.find(static_cast<uint32_t>(op));
    return found == counts.end() ? 0 : found->second;
  }

private:
  std::map<uint32_t, unsigned> counts;
};

/// Adds two rows of 4096 numbers: eight accesses of 16 bytes for each thread
/// and row.
constexpr char kAdd[] = R"(
tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                    %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                    %n: i32 {tt.divisibility = 16 : i32}) {
  %c4096 = arith.constant 4096 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c4096 : i32
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %s = tt.splat %start : i32 -> tensor<4096xi32>
  %o = arith.addi %s, %r : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %a = tt.load %xp, %m : tensor<4096x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %o : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp, %a, %m : tensor<4096x!tt.ptr<f32>>
  tt.return
}
)";

GeneratedKernel compile(const char *text, const std::string &features) {
  mlir::DialectRegistry registry;
  tt::registerTTIRDialects(registry);
  mlir::MLIRContext context(registry);
  GenerateOptions options;
  options.device = llvm::cantFail(DeviceModel::parse(
      "subgroup=32-32,threads=1024,shared=49152,push=256," + features));
  auto module = tt::parseTTIR(context, text, "kernel.ttir");
  return llvm::cantFail(generate(*llvm::cantFail(std::move(module)), options));
}

TEST(AccessCode, HasOneOffsetForAllAccessesOfAThread) {
  Counts counts(compile(kAdd, "i64").words);
  // To 64 bits and bytes: once for the load, once for the store.
  EXPECT_EQ(counts.of(spv::Op::OpSConvert), 2u);
}

TEST(AccessCode, ComparesOnceForEachAccess) {
  Counts counts(compile(kAdd, "i64").words);
  EXPECT_EQ(counts.of(spv::Op::OpSLessThan), 8u);
}

TEST(AccessCode, HasABlockForAllLoadsOfAThread) {
  spirv::Words words = compile(kAdd, "i64").words;
  unsigned inBlock = 0, most = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    spv::Op op = spv::Op(words[at] & 0xffff);
    if (op == spv::Op::OpLabel)
      inBlock = 0;
    // Through an address, with memory operands.
    if (op == spv::Op::OpLoad && words[at] >> 16 > 4)
      most = std::max(most, ++inBlock);
  }
  EXPECT_EQ(most, 8u);
}

} // namespace
} // namespace nereid::vulkan
