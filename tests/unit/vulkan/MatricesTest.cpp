// MatricesTest.cpp - products in cooperative matrices: which, of what shape,
// and where their elements are in shared memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Matrices.h"
#include "Generate.h"

#include "nereid/ttir/Parse.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>
#include <utility>

namespace nereid::vulkan {
namespace {

using spirv::Scalar;
using testing::HasSubstr;
using testing::Not;

constexpr MatrixUnit kF16 = {16, 16, 16, Scalar::F16, Scalar::F32};
constexpr char kDevice[] =
    "subgroup=32-32,threads=1024,shared=49152,push=256,i8,i16,i64,f16,bf16,"
    "bf16-matrix,storage8,storage16,shared-layout,device-scope,"
    "matrix=16x8x16/f16/f16/f32/f32,matrix=16x16x16/f16/f16/f32/f32,"
    "matrix=16x16x16/f16/f16/f16/f16,matrix=16x16x32/u8/u8/u32/u32,"
    "matrix=16x16x32/i8/i8/i32/i32,matrix=16x16x16/bf16/bf16/f32/f32";

DeviceModel device(llvm::StringRef features = kDevice) {
  return llvm::cantFail(DeviceModel::parse(features));
}

TEST(MatrixUnits, AreReadFromTheFeatures) {
  EXPECT_EQ(device().matrices.size(), 5u); // not the unsigned one
  EXPECT_EQ(device().matrices[1], kF16);
  EXPECT_TRUE(device("matrix=16x16/f16/f16/f32/f32,f16").matrices.empty());
  EXPECT_TRUE(device("matrix=16x16x16/f16/f16/f32/f32").matrices.empty())
      << "the device has no f16";
}

TEST(MatrixForm, IsAsSquareAsPossible) {
  MatrixForm form = splitTile(128, 128, kF16, 3);
  EXPECT_EQ(form.warpRows, 2u);
  EXPECT_EQ(form.warpColumns, 4u);
  EXPECT_EQ(form.down(), 4u);
  EXPECT_EQ(form.across(), 2u);
  form = splitTile(32, 128, kF16, 2);
  EXPECT_EQ(form.warpRows, 1u);
  EXPECT_EQ(form.warpColumns, 4u);
}

TEST(MatrixForm, LeavesCopiesToSubgroupsWithoutAMatrix) {
  MatrixForm form = splitTile(16, 32, kF16, 3);
  EXPECT_EQ(form.warps(), 2u);
  EXPECT_EQ(form.matrices(), 1u);
}

TEST(MatrixForm, HasDifferentBatchesInDifferentSubgroups) {
  MatrixForm form = splitTile(4 * 32, 128, kF16, 3, 4);
  EXPECT_EQ(form.warpRows, 4u);
  EXPECT_EQ(form.warpColumns, 2u);
  form = splitTile(8 * 16, 16, kF16, 2, 8);
  EXPECT_EQ(form.warpRows, 4u);
  EXPECT_EQ(form.down(), 2u);
}

/// Simulates the rows of a tile that subgroups store in bands, and the places
/// where threads look for them.
TEST(Bands, HoldEachRowOnceWhereItIsLookedFor) {
  for (uint32_t rows : {16, 64, 256})
    for (uint32_t columns : {16, 128})
      for (unsigned warpBits : {0, 2, 4})
        for (unsigned shared : {8192, 32768, 1 << 20}) {
          MatrixForm form = splitTile(rows, columns, kF16, warpBits);
          Bands bands = bandsFor(form, 4, shared);
          uint32_t inBand = rows / bands.count;
          EXPECT_EQ(bands.bytes, inBand * bands.rowStride);
          if (bands.down > 1) {
            EXPECT_LE(bands.bytes, shared);
          }
          std::set<uint32_t> seen;
          for (uint32_t index = 0; index < bands.count; ++index) {
            Window window = bands.window(form, index);
            for (uint32_t warp = 0; warp < form.warpRows; ++warp)
              for (uint32_t i = 0; i < bands.down; ++i)
                for (uint32_t inside = 0; inside < form.unitRows; ++inside) {
                  uint32_t stored =
                      (warp * bands.down + i) * form.unitRows + inside;
                  uint32_t row = (warp * form.down() + index * bands.down + i) *
                                     form.unitRows +
                                 inside;
                  EXPECT_TRUE(window.contains(row));
                  EXPECT_EQ(window.compact(row), stored);
                  EXPECT_LT(stored, inBand);
                  seen.insert(row);
                }
          }
          EXPECT_EQ(seen.size(), rows);
        }
}

TEST(PaddedRows, AreAlignedAndInDifferentBanks) {
  for (uint32_t bytes : {16, 32, 64, 128, 256}) {
    uint32_t stride = paddedRow(bytes);
    EXPECT_GE(stride, bytes);
    EXPECT_EQ(stride % 16, 0u);
    std::set<uint32_t> banks;
    for (uint32_t row = 0; row < 8; ++row)
      banks.insert(row * stride % 128);
    EXPECT_EQ(banks.size(), bytes == 16 ? 4u : 8u);
  }
}

class MatrixKernel : public testing::Test {
protected:
  MatrixKernel() {
    mlir::DialectRegistry registry;
    tt::registerTTIRDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// A product of `operand`s with sums in `sum`, in a loop of four.
  GeneratedKernel compile(const std::string &operand, const std::string &sum,
                          int rows = 64, int depth = 32,
                          const std::string &mark = "") {
    auto tile = [](int rows, int columns, const std::string &type) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "x" + type + ">";
    };
    std::string left = tile(rows, depth, operand),
                right = tile(depth, 64, operand), sums = tile(rows, 64, sum);
    std::string zero = sum == "i32" ? "0" : "0.0";
    std::string text =
        "tt.func public @kernel(%a: !tt.ptr<" + operand + "> " + mark +
        ", %b: !tt.ptr<" + operand + "> " + mark + ", %c: !tt.ptr<" + sum +
        ">, %n: i32) {\n" +
        "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n" +
        "  %zero = arith.constant dense<" + zero + "> : " + sums + "\n" +
        pointers("a", rows, depth, operand) +
        pointers("b", depth, 64, operand) + pointers("c", rows, 64, sum) +
        "  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (" +
        sums + ") : i32 {\n" + "    %x = tt.load %ap : " +
        tile(rows, depth, "!tt.ptr<" + operand + ">") +
        "\n    %y = tt.load %bp : " +
        tile(depth, 64, "!tt.ptr<" + operand + ">") +
        "\n    %d = tt.dot %x, %y, %s : " + left + " * " + right + " -> " +
        sums + "\n    scf.yield %d : " + sums + "\n  }\n" +
        "  tt.store %cp, %sum : " + tile(rows, 64, "!tt.ptr<" + sum + ">") +
        "\n  tt.return\n}\n";
    auto module = tt::parseTTIR(context, text, "kernel.ttir");
    return llvm::cantFail(
        generate(*llvm::cantFail(std::move(module)), options));
  }
  static std::string pointers(const std::string &name, int rows, int columns,
                              const std::string &element) {
    std::string count = std::to_string(rows * columns);
    std::string flat = "tensor<" + count + "x",
                all =
                    std::to_string(rows) + "x" + std::to_string(columns) + "x";
    std::string pointer = "!tt.ptr<" + element + ">";
    return "  %" + name + "r = tt.make_range {end = " + count +
           " : i32, start = 0 : i32} : " + flat + "i32>\n  %" + name +
           "s = tt.splat %" + name + " : " + pointer + " -> " + flat + pointer +
           ">\n  %" + name + "q = tt.addptr %" + name + "s, %" + name +
           "r : " + flat + pointer + ">, " + flat + "i32>\n  %" + name +
           "p = tt.reshape %" + name + "q : " + flat + pointer +
           "> -> tensor<" + all + pointer + ">\n";
  }
  static int count(const GeneratedKernel &kernel, spv::Op op) {
    int found = 0;
    for (size_t at = 5; at < kernel.words.size(); at += kernel.words[at] >> 16)
      found += (kernel.words[at] & 0xffff) == uint32_t(op);
    return found;
  }
  static int products(const GeneratedKernel &kernel) {
    return count(kernel, spirv::newer::OpCooperativeMatrixMulAddKHR);
  }

  mlir::MLIRContext context;
  GenerateOptions options = {.device = device(), .threads = 128};
};

TEST_F(MatrixKernel, UsesTheLargestShapeOfItsTypes) {
  GeneratedKernel kernel = compile("f16", "f32");
  EXPECT_THAT(kernel.layouts,
              HasSubstr(": matrices 16x16x16 f16 to f32, 2x2 subgroups of 2x2, "
                        "depth 32 of 32"));
  // 2 x 2 matrices for each 16 of the depth.
  EXPECT_EQ(products(kernel), 8);
  EXPECT_THAT(compile("f16", "f16").layouts, HasSubstr("f16 to f16"));
  EXPECT_THAT(compile("bf16", "f32").layouts, HasSubstr("bf16 to f32"));
  EXPECT_THAT(compile("i8", "i32").layouts,
              HasSubstr("matrices 16x16x32 i8 to i32"));
  EXPECT_THAT(compile("f8E5M2", "f32").layouts, HasSubstr("f16 to f32"));
}

TEST_F(MatrixKernel, StagesAsMuchOfTheDepthAsFits) {
  options.device = device(std::string(kDevice) + ",shared=16384");
  GeneratedKernel kernel = compile("f16", "f32", 64, 128);
  EXPECT_THAT(kernel.layouts, HasSubstr("depth 32 of 128"));
  EXPECT_LE(kernel.facts.shared, 16384u);
  EXPECT_EQ(products(kernel), 32);
}

TEST_F(MatrixKernel, StagesRoundsInTurn) {
  options.device = device(std::string(kDevice) + ",shared=16384");
  // Shorter rounds, so that there are two buffers.
  GeneratedKernel kernel =
      compile("f16", "f32", 64, 64, "{tt.divisibility = 16 : i32}");
  EXPECT_THAT(kernel.layouts,
              HasSubstr("depth 16 of 64, at 256 and 6400 of shared memory, "
                        "left in turn, right in turn"));
  EXPECT_EQ(products(kernel), 16);
  // Between the rounds, one barrier each.
  int barriers = 0, between = 0;
  for (size_t at = 5; at < kernel.words.size(); at += kernel.words[at] >> 16) {
    auto op = spv::Op(kernel.words[at] & 0xffff);
    barriers += op == spv::Op::OpControlBarrier;
    if (op != spirv::newer::OpCooperativeMatrixMulAddKHR)
      continue;
    between += std::exchange(barriers, 0);
  }
  EXPECT_EQ(between - 2, 3) << "two are before the first product";
}

TEST_F(MatrixKernel, LeavesOtherProductsToArithmetic) {
  GeneratedKernel other = compile("f32", "f32");
  EXPECT_EQ(products(other), 0);
  EXPECT_THAT(other.layouts, HasSubstr("no matrices of f32 to f32"));
  other = compile("f16", "f32", 8);
  EXPECT_EQ(products(other), 0);
  EXPECT_THAT(other.layouts, HasSubstr("smaller than matrices of f16 to f32"));
  options.device.matrices.clear();
  GeneratedKernel kernel = compile("f16", "f32");
  EXPECT_EQ(products(kernel), 0);
  EXPECT_THAT(kernel.layouts, Not(HasSubstr("in matrices")));
}

TEST_F(MatrixKernel, LoadsSumsWhoseThreadsHoldColumns) {
  const std::string tile = "tensor<64x64xf16>";
  std::string text =
      "tt.func public @kernel(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}) "
      "{\n" +
      pointers("a", 64, 64, "f16") +
      "  %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>\n"
      "  %c = tt.trans %x {order = array<i32: 1, 0>} : " +
      tile + " -> " + tile + "\n  %d = tt.dot %x, %x, %c : " + tile + " * " +
      tile + " -> " + tile +
      "\n  tt.store %ap, %d : tensor<64x64x!tt.ptr<f16>>\n"
      "  tt.return\n}\n";
  auto module = tt::parseTTIR(context, text, "kernel.ttir");
  GeneratedKernel kernel =
      llvm::cantFail(generate(*llvm::cantFail(std::move(module)), options));
  EXPECT_THAT(kernel.layouts, HasSubstr("f16 to f16"));
  EXPECT_GT(products(kernel), 0);
}

TEST_F(MatrixKernel, ReadsTheSameMemoryAsWordsAndQuadsIfTheDeviceCan) {
  auto variables = [&](const GeneratedKernel &kernel) {
    int found = 0;
    for (size_t at = 5; at < kernel.words.size(); at += kernel.words[at] >> 16)
      found += (kernel.words[at] & 0xffff) == uint32_t(spv::Op::OpVariable) &&
               kernel.words[at + 3] == uint32_t(spv::StorageClass::Workgroup);
    return found;
  };
  EXPECT_EQ(variables(compile("f16", "f32")), 2);
  std::string plain = kDevice;
  plain.erase(plain.find("shared-layout,"), strlen("shared-layout,"));
  options.device = device(plain);
  EXPECT_EQ(variables(compile("f16", "f32")), 1);
}

} // namespace
} // namespace nereid::vulkan
