// External functions: calls of the C library, one element at a time, and
// instructions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/Avx512.h"
#include "llvmir/ElementOpsEmitter.h"

#include "nereid/ttir/Dialect.h"
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

ElementEmitter::Values ElementEmitter::emitLibraryCall() {
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  if (!call)
    return {};
  if (call.getSymbol() == kScaleSymbol)
    return {emitScale(b, vec(0), vec(1), vec(2))};
  if (call.getSymbol() == kFractionSymbol)
    return {emitFraction(b, vec(0))};
  if (call.getSymbol() == kExponentSymbol)
    return {emitExponent(b, vec(0))};
  if (call.getSymbol() == kSignificandSymbol)
    return {emitSignificand(b, vec(0))};
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
