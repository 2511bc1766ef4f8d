// Avx512.cpp - instructions on vectors of 128, 256 and 512 bits.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/Avx512.h"

#include "nereid/codegen/Expand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace nereid::codegen {

using Vectors = llvm::ArrayRef<llvm::Value *>;

/// An instruction on f32 and f64, by the size of its vectors: 128 bits, 256 and
/// 512.
struct VectorInstruction {
  llvm::Intrinsic::ID f32[3], f64[3];
};

namespace id = llvm::Intrinsic;
static constexpr VectorInstruction kScale = {
    {id::x86_avx512_mask_scalef_ps_128, id::x86_avx512_mask_scalef_ps_256,
     id::x86_avx512_mask_scalef_ps_512},
    {id::x86_avx512_mask_scalef_pd_128, id::x86_avx512_mask_scalef_pd_256,
     id::x86_avx512_mask_scalef_pd_512}};
static constexpr VectorInstruction kReduce = {
    {id::x86_avx512_mask_reduce_ps_128, id::x86_avx512_mask_reduce_ps_256,
     id::x86_avx512_mask_reduce_ps_512},
    {id::x86_avx512_mask_reduce_pd_128, id::x86_avx512_mask_reduce_pd_256,
     id::x86_avx512_mask_reduce_pd_512}};
static constexpr VectorInstruction kGetExponent = {
    {id::x86_avx512_mask_getexp_ps_128, id::x86_avx512_mask_getexp_ps_256,
     id::x86_avx512_mask_getexp_ps_512},
    {id::x86_avx512_mask_getexp_pd_128, id::x86_avx512_mask_getexp_pd_256,
     id::x86_avx512_mask_getexp_pd_512}};
static constexpr VectorInstruction kGetSignificand = {
    {id::x86_avx512_mask_getmant_ps_128, id::x86_avx512_mask_getmant_ps_256,
     id::x86_avx512_mask_getmant_ps_512},
    {id::x86_avx512_mask_getmant_pd_128, id::x86_avx512_mask_getmant_pd_256,
     id::x86_avx512_mask_getmant_pd_512}};
static constexpr VectorInstruction kRange = {
    {id::x86_avx512_mask_range_ps_128, id::x86_avx512_mask_range_ps_256,
     id::x86_avx512_mask_range_ps_512},
    {id::x86_avx512_mask_range_pd_128, id::x86_avx512_mask_range_pd_256,
     id::x86_avx512_mask_range_pd_512}};

/// `count` lanes of a vector, or of copies of a scalar.
static llvm::Value *lanesOf(llvm::IRBuilderBase &b, llvm::Value *value,
                            unsigned first, unsigned count) {
  auto *type = dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!type)
    return b.CreateVectorSplat(count, value);
  llvm::SmallVector<int> indices(count, 0);
  for (unsigned lane = 0; lane < count && first + lane < type->getNumElements();
       ++lane)
    indices[lane] = first + lane;
  return b.CreateShuffleVector(value, indices);
}

/// Calls `instruction` with vectors, the first of the type of the result; lanes
/// in which `mask`, of i1, is false are 0. No mask: all are computed.
static llvm::Value *callVector(llvm::IRBuilderBase &b,
                               const VectorInstruction &instruction,
                               llvm::SmallVector<llvm::Value *> arguments,
                               llvm::Value *mask) {
  auto *type = cast<llvm::FixedVectorType>(arguments.front()->getType());
  unsigned bits = type->getPrimitiveSizeInBits(),
           lanes = type->getNumElements();
  llvm::Type *maskType = b.getIntNTy(std::max(8u, lanes));
  arguments.push_back(llvm::Constant::getNullValue(type));
  arguments.push_back(
      mask ? b.CreateZExt(b.CreateBitCast(mask, b.getIntNTy(lanes)), maskType)
           : llvm::Constant::getAllOnesValue(maskType));
  if (bits == 512)
    arguments.push_back(b.getInt32(4)); // rounds and raises as MXCSR says
  bool isF32 = type->getElementType()->isFloatTy();
  return b.CreateIntrinsic(
      (isF32 ? instruction.f32 : instruction.f64)[llvm::Log2_32(bits / 128)],
      {}, arguments);
}

/// What `emit` makes of `operands` on vectors of 128, 256 or 512 bits, on any
/// number of lanes; the first operand is of the type of the result.
static llvm::Value *
emitByRegisters(llvm::IRBuilderBase &b, Vectors operands,
                llvm::function_ref<llvm::Value *(Vectors)> emit) {
  llvm::Type *whole = operands.front()->getType();
  unsigned most = 512 / whole->getScalarSizeInBits();
  auto *type = dyn_cast<llvm::FixedVectorType>(whole);
  unsigned lanes = type ? type->getNumElements() : 1;
  auto part = [&](unsigned first, unsigned count) {
    llvm::SmallVector<llvm::Value *> parts;
    for (llvm::Value *operand : operands)
      parts.push_back(lanesOf(b, operand, first, count));
    return emitByRegisters(b, parts, emit);
  };
  if (lanes > most) {
    llvm::Value *low = part(0, lanes / 2), *high = part(lanes / 2, lanes / 2);
    auto all = llvm::to_vector<16>(llvm::seq<int>(0, lanes));
    return b.CreateShuffleVector(low, high, all);
  }
  if (lanes >= most / 4)
    return emit(operands);
  llvm::Value *wide = part(0, most / 4);
  return type ? lanesOf(b, wide, 0, lanes)
              : b.CreateExtractElement(wide, uint64_t(0));
}

llvm::Value *emitScale(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *n,
                       llvm::Value *mask) {
  return emitByRegisters(b, {x, n, mask}, [&](Vectors parts) {
    return callVector(b, kScale, {parts[0], parts[1]}, parts[2]);
  });
}

llvm::Value *emitFraction(llvm::IRBuilderBase &b, llvm::Value *x) {
  constexpr unsigned kNearest = 8; // integer, and raises nothing
  return emitByRegisters(b, {x}, [&](Vectors parts) {
    return callVector(b, kReduce, {parts[0], b.getInt32(kNearest)}, nullptr);
  });
}

llvm::Value *emitExponent(llvm::IRBuilderBase &b, llvm::Value *x) {
  return emitByRegisters(b, {x}, [&](Vectors parts) {
    return callVector(b, kGetExponent, {parts[0]}, nullptr);
  });
}

llvm::Value *emitSignificand(llvm::IRBuilderBase &b, llvm::Value *x) {
  constexpr unsigned kOfPositive = 8; // in [1, 2); of negative numbers NaN
  return emitByRegisters(b, {x}, [&](Vectors parts) {
    return callVector(b, kGetSignificand, {parts[0], b.getInt32(kOfPositive)},
                      nullptr);
  });
}

llvm::Value *emitExtremum(llvm::IRBuilderBase &b, llvm::Value *x,
                          llvm::Value *y, bool isMaximum) {
  constexpr unsigned kMinimum = 4, kMaximum = 5; // with its own sign
  return emitByRegisters(b, {x, y}, [&](Vectors parts) {
    return callVector(
        b, kRange,
        {parts[0], parts[1], b.getInt32(isMaximum ? kMaximum : kMinimum)},
        nullptr);
  });
}

llvm::Value *emitTable(llvm::IRBuilderBase &b, llvm::Value *index,
                       llvm::Constant *table) {
  auto *type = dyn_cast<llvm::FixedVectorType>(index->getType());
  unsigned lanes = type ? type->getNumElements() : 1;
  if (lanes > kTableSize) {
    unsigned half = lanes / 2;
    llvm::Value *low = emitTable(b, lanesOf(b, index, 0, half), table);
    llvm::Value *high = emitTable(b, lanesOf(b, index, half, half), table);
    auto all = llvm::to_vector<16>(llvm::seq<int>(0, lanes));
    return b.CreateShuffleVector(low, high, all);
  }
  if (lanes < kTableSize)
    index = lanesOf(b, index, 0, kTableSize);
  llvm::Value *numbers = b.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512_permvar_sf_512, {}, {table, index});
  if (lanes == kTableSize)
    return numbers;
  return type ? lanesOf(b, numbers, 0, lanes)
              : b.CreateExtractElement(numbers, uint64_t(0));
}

} // namespace nereid::codegen
