// External functions: calls of the C library, one element at a time, and
// instructions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/ElementOpsEmitter.h"

#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace nereid::codegen {

// Declared pure: a kernel's errno is never read.
static llvm::FunctionCallee declare(llvm::Module &module,
                                    llvm::StringRef symbol,
                                    llvm::FunctionType *type) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(symbol, type);
  auto *function = cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  return callee;
}

/// x 2^n under a mask, on a vector of 128, 256 or 512 bits, by AVX-512's
/// instruction.
static llvm::Value *scaleRegister(llvm::IRBuilderBase &b, llvm::Value *x,
                                  llvm::Value *n, llvm::Value *mask) {
  namespace id = llvm::Intrinsic;
  static constexpr id::ID kF32[] = {id::x86_avx512_mask_scalef_ps_128,
                                    id::x86_avx512_mask_scalef_ps_256,
                                    id::x86_avx512_mask_scalef_ps_512};
  static constexpr id::ID kF64[] = {id::x86_avx512_mask_scalef_pd_128,
                                    id::x86_avx512_mask_scalef_pd_256,
                                    id::x86_avx512_mask_scalef_pd_512};
  auto *type = cast<llvm::FixedVectorType>(x->getType());
  unsigned bits = type->getPrimitiveSizeInBits();
  llvm::Value *lanes =
      b.CreateBitCast(mask, b.getIntNTy(type->getNumElements()));
  if (type->getNumElements() < 8)
    lanes = b.CreateZExt(lanes, b.getInt8Ty());
  llvm::SmallVector<llvm::Value *> arguments = {
      x, n, llvm::Constant::getNullValue(type), lanes};
  if (bits == 512)
    arguments.push_back(b.getInt32(4)); // rounds as MXCSR says
  bool isF32 = type->getElementType()->isFloatTy();
  return b.CreateIntrinsic((isF32 ? kF32 : kF64)[llvm::Log2_32(bits / 128)], {},
                           arguments);
}

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

/// x minus the nearest integer, on a vector of 128, 256 or 512 bits, by
/// AVX-512's instruction.
static llvm::Value *fractionOfRegister(llvm::IRBuilderBase &b, llvm::Value *x) {
  namespace id = llvm::Intrinsic;
  static constexpr id::ID kF32[] = {id::x86_avx512_mask_reduce_ps_128,
                                    id::x86_avx512_mask_reduce_ps_256,
                                    id::x86_avx512_mask_reduce_ps_512};
  static constexpr id::ID kF64[] = {id::x86_avx512_mask_reduce_pd_128,
                                    id::x86_avx512_mask_reduce_pd_256,
                                    id::x86_avx512_mask_reduce_pd_512};
  constexpr unsigned kNearest = 8; // integer, and raises nothing
  auto *type = cast<llvm::FixedVectorType>(x->getType());
  unsigned bits = type->getPrimitiveSizeInBits();
  unsigned lanes = std::max(8u, type->getNumElements());
  llvm::SmallVector<llvm::Value *> arguments = {
      x, b.getInt32(kNearest), llvm::Constant::getNullValue(type),
      llvm::Constant::getAllOnesValue(b.getIntNTy(lanes))};
  if (bits == 512)
    arguments.push_back(b.getInt32(4)); // raises what MXCSR says
  bool isF32 = type->getElementType()->isFloatTy();
  return b.CreateIntrinsic((isF32 ? kF32 : kF64)[llvm::Log2_32(bits / 128)], {},
                           arguments);
}

/// What `emit` makes of `operands` on vectors of 128, 256 or 512 bits, on any
/// number of lanes; the first operand is of the type of the result.
static llvm::Value *emitByRegisters(
    llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> operands,
    llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> emit) {
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

/// The number of `table` for each index, by AVX-512's permutation.
static llvm::Value *emitTable(llvm::IRBuilderBase &b, llvm::Value *index,
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

ElementEmitter::Values ElementEmitter::emitLibraryCall() {
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  if (!call)
    return {};
  if (call.getSymbol() == kScaleSymbol)
    return {emitByRegisters(b, {vec(0), vec(1), vec(2)}, [&](auto parts) {
      return scaleRegister(b, parts[0], parts[1], parts[2]);
    })};
  if (call.getSymbol() == kFractionSymbol)
    return {emitByRegisters(b, {vec(0)}, [&](auto parts) {
      return fractionOfRegister(b, parts[0]);
    })};
  if (call.getSymbol() == kTableSymbol) {
    auto numbers = call->getAttrOfType<DenseF32ArrayAttr>(kTableAttribute);
    return {emitTable(
        b, vec(0),
        llvm::ConstantDataVector::get(b.getContext(), numbers.asArrayRef()))};
  }
  Values arguments;
  llvm::SmallVector<llvm::Type *> types;
  for (unsigned i = 0; i < operands.size(); ++i) {
    arguments.push_back(vec(i));
    types.push_back(arguments.back()->getType()->getScalarType());
  }
  llvm::Type *scalar = resultType()->getScalarType();
  llvm::FunctionCallee callee =
      declare(*b.GetInsertBlock()->getModule(), call.getSymbol(),
              llvm::FunctionType::get(scalar, types, /*isVarArg=*/false));
  if (lanes == 1)
    return {b.CreateCall(callee, arguments)};
  llvm::Value *result = llvm::PoisonValue::get(resultType());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Values elements;
    for (llvm::Value *argument : arguments)
      elements.push_back(b.CreateExtractElement(argument, lane));
    result = b.CreateInsertElement(result, b.CreateCall(callee, elements), lane);
  }
  return {result};
}

} // namespace nereid::codegen
