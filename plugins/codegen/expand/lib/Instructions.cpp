// Instructions.cpp - operations that stand for single instructions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Expr.h"

#include "nereid/ttir/Dialect.h"

using namespace mlir;

namespace nereid::codegen {

Expr scaleIf(Expr condition, Expr x, Expr n) {
  Value result = x.scope->builder.create<tt::ExternElementwiseOp>(
      x.scope->loc, x.value.getType(),
      mlir::ValueRange{x.value, n.value, condition.value},
      /*libname=*/"", /*libpath=*/"", kScaleSymbol, /*pure=*/true);
  return {x.scope, result};
}

bool isInstruction(llvm::StringRef symbol) {
  return llvm::is_contained({kScaleSymbol, kFractionSymbol, kExponentSymbol,
                             kSignificandSymbol, kTableSymbol},
                            symbol);
}

/// What the operation of one symbol yields for `x`, of its type.
static Expr instruction(llvm::StringRef symbol, Expr x) {
  Value result = x.scope->builder.create<tt::ExternElementwiseOp>(
      x.scope->loc, x.value.getType(), x.value, /*libname=*/"", /*libpath=*/"",
      symbol, /*pure=*/true);
  return {x.scope, result};
}

Expr fraction(Expr x) { return instruction(kFractionSymbol, x); }
Expr exponent(Expr x) { return instruction(kExponentSymbol, x); }
Expr significand(Expr x) { return instruction(kSignificandSymbol, x); }

Expr lookUp(Expr index, llvm::ArrayRef<float> numbers) {
  assert(numbers.size() == kTableSize && index.width() == 32);
  OpBuilder &builder = index.scope->builder;
  auto result = builder.create<tt::ExternElementwiseOp>(
      index.scope->loc, index.shapedAs(builder.getF32Type()), index.value,
      /*libname=*/"", /*libpath=*/"", kTableSymbol, /*pure=*/true);
  result->setAttr(kTableAttribute, builder.getDenseF32ArrayAttr(numbers));
  return {index.scope, result};
}

} // namespace nereid::codegen
