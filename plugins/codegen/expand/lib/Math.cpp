// Which function of the math dialect is expanded by what.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"
#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::codegen {

Expr expandRsqrt(Expr x) { return 1.0 / sqrt(x); }

using Unary = Expr (*)(Expr);

static Unary unaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Unary>(op)
      .Case([](math::ExpOp) { return expandExp; })
      .Case([](math::Exp2Op) { return expandExp2; })
      .Case([](math::LogOp) { return expandLog; })
      .Case([](math::Log2Op) { return expandLog2; })
      .Case([](math::Log10Op) { return expandLog10; })
      .Case([](math::ErfOp) { return expandErf; })
      .Case([](math::SinOp) { return expandSin; })
      .Case([](math::CosOp) { return expandCos; })
      .Case([](math::RsqrtOp) { return expandRsqrt; })
      .Default([](Operation *) { return nullptr; });
}

std::optional<Expr> expandMath(Scope &scope, Operation *op) {
  if (!isa<math::MathDialect>(op->getDialect()))
    return {};
  if (Unary function = unaryFunction(op))
    return function({&scope, op->getOperand(0)});
  return {};
}

} // namespace nereid::codegen
