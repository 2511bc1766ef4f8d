// External functions that call the C library.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Extern.h"
#include "MathFormat.h"

#include "nereid/ttir/Dialect.h"

using namespace mlir;

namespace nereid::codegen {

Expr callLibrary(StringRef symbol, ArrayRef<Expr> operands) {
  const Expr &last = operands.back();
  if (!last.scope->options.hasLibm) {
    last.scope->refuse("'" + symbol + "' of the C library");
    return last;
  }
  SmallVector<Value> values;
  for (Expr operand : operands)
    values.push_back(operand.value);
  Value result = last.scope->builder.create<tt::ExternElementwiseOp>(
      last.scope->loc, last.value.getType(), values, /*libname=*/"libm",
      /*libpath=*/"", symbol, /*pure=*/true);
  return {last.scope, result};
}

// An f32 uses the f64 function: more accurate, and often as fast.
static Expr callInF64(StringRef symbol, ArrayRef<Expr> operands) {
  Expr x = operands.back();
  if (!isF32(x))
    return callLibrary(symbol, operands);
  if (!x.scope->options.hasF64) {
    x.scope->refuse("f64 for '" + symbol + "' of the C library");
    return x;
  }
  Builder &b = x.scope->builder;
  SmallVector<Expr> wide(operands);
  wide.back() = extend(x, b.getF64Type());
  return truncate(callLibrary(symbol, wide), b.getF32Type());
}

Expr logGamma(Expr x) { return callInF64("lgamma", {x}); }
Expr gammaFunction(Expr x) { return callInF64("tgamma", {x}); }

// C knows functions of negative order, CUDA does not.
Expr besselJn(Expr n, Expr x) {
  return select(n < 0, kNan, callInF64("jn", {n, x}));
}

Expr besselYn(Expr n, Expr x) {
  return select(n < 0, kNan, callInF64("yn", {n, x}));
}

} // namespace nereid::codegen
