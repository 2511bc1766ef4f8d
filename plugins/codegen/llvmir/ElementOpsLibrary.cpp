// External functions: calls of the C library, one element at a time, and an
// instruction.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/ElementOpsEmitter.h"

#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <numeric>

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

/// x 2^n on a vector of 128, 256 or 512 bits, by AVX-512's instruction.
static llvm::Value *scaleRegister(llvm::IRBuilderBase &b, llvm::Value *x,
                                  llvm::Value *n) {
  namespace id = llvm::Intrinsic;
  static constexpr id::ID kF32[] = {id::x86_avx512_mask_scalef_ps_128,
                                    id::x86_avx512_mask_scalef_ps_256,
                                    id::x86_avx512_mask_scalef_ps_512};
  static constexpr id::ID kF64[] = {id::x86_avx512_mask_scalef_pd_128,
                                    id::x86_avx512_mask_scalef_pd_256,
                                    id::x86_avx512_mask_scalef_pd_512};
  auto *type = cast<llvm::FixedVectorType>(x->getType());
  unsigned bits = type->getPrimitiveSizeInBits();
  unsigned size = llvm::Log2_32(bits / 128);
  unsigned maskBits = std::max(type->getNumElements(), 8u);
  bool isF32 = type->getElementType()->isFloatTy();
  llvm::SmallVector<llvm::Value *> arguments = {
      x, n, llvm::PoisonValue::get(type),
      llvm::Constant::getAllOnesValue(b.getIntNTy(maskBits))};
  if (bits == 512)
    arguments.push_back(b.getInt32(4)); // rounds as MXCSR says
  return b.CreateIntrinsic((isF32 ? kF32 : kF64)[size], {}, arguments);
}

/// x 2^n on any number of lanes.
static llvm::Value *emitScale(llvm::IRBuilderBase &b, llvm::Value *x,
                              llvm::Value *n) {
  llvm::Type *element = x->getType()->getScalarType();
  unsigned most = 512 / element->getPrimitiveSizeInBits(), least = most / 4;
  auto *type = dyn_cast<llvm::FixedVectorType>(x->getType());
  unsigned lanes = type ? type->getNumElements() : 1;
  auto part = [&](llvm::Value *from, unsigned first, unsigned count) {
    auto indices = llvm::seq<int>(first, first + count);
    return b.CreateShuffleVector(from, llvm::to_vector<16>(indices));
  };
  if (lanes > most) {
    unsigned half = lanes / 2;
    llvm::Value *low = emitScale(b, part(x, 0, half), part(n, 0, half));
    llvm::Value *high = emitScale(b, part(x, half, half), part(n, half, half));
    auto all = llvm::seq<int>(0, lanes);
    return b.CreateShuffleVector(low, high, llvm::to_vector<16>(all));
  }
  if (lanes >= least)
    return scaleRegister(b, x, n);
  auto widen = [&](llvm::Value *value) -> llvm::Value * {
    if (!type)
      return b.CreateVectorSplat(least, value);
    llvm::SmallVector<int> indices(least, 0);
    std::iota(indices.begin(), indices.begin() + lanes, 0);
    return b.CreateShuffleVector(value, indices);
  };
  llvm::Value *wide = scaleRegister(b, widen(x), widen(n));
  return type ? part(wide, 0, lanes) : b.CreateExtractElement(wide, uint64_t(0));
}

ElementEmitter::Values ElementEmitter::emitLibraryCall() {
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  if (!call)
    return {};
  if (call.getSymbol() == kScaleSymbol)
    return {emitScale(b, vec(0), vec(1))};
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
