// Maps operations of the math dialect to their expansions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"
#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::codegen {

using Unary = Expr (*)(Expr);

static Unary unaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Unary>(op)
      .Case([](math::ExpOp) { return expandExp; })
      .Case([](math::Exp2Op) { return expandExp2; })
      .Case([](math::ExpM1Op) { return expandExpm1; })
      .Case([](math::LogOp) { return expandLog; })
      .Case([](math::Log2Op) { return expandLog2; })
      .Case([](math::Log10Op) { return expandLog10; })
      .Case([](math::Log1pOp) { return expandLog1p; })
      .Case([](math::ErfOp) { return expandErf; })
      .Case([](math::SinOp) { return expandSin; })
      .Case([](math::CosOp) { return expandCos; })
      .Case([](math::TanOp) { return expandTan; })
      .Case([](math::AsinOp) { return expandAsin; })
      .Case([](math::AcosOp) { return expandAcos; })
      .Case([](math::AtanOp) { return expandAtan; })
      .Case([](math::SinhOp) { return expandSinh; })
      .Case([](math::CoshOp) { return expandCosh; })
      .Case([](math::TanhOp) { return expandTanh; })
      .Case([](math::AsinhOp) { return expandAsinh; })
      .Case([](math::AcoshOp) { return expandAcosh; })
      .Case([](math::AtanhOp) { return expandAtanh; })
      .Case([](math::RsqrtOp) { return expandRsqrt; })
      .Case([](math::CbrtOp) { return expandCbrt; })
      .Default([](Operation *) { return nullptr; });
}

std::optional<Expr> expandMath(Scope &scope, Operation *op) {
  if (!isa<math::MathDialect>(op->getDialect()))
    return {};
  if (isa<math::Exp2Op>(op) && scope.options.hasExp2 &&
      getElementTypeOrSelf(op->getOperand(0)).isF32())
    return {};
  if (Unary function = unaryFunction(op))
    return function({&scope, op->getOperand(0)});
  if (auto fused = dyn_cast<math::FmaOp>(op)) {
    if (scope.options.hasFma)
      return {};
    return roundedMultiplyAdd({&scope, fused.getA()}, {&scope, fused.getB()},
                              {&scope, fused.getC()})
        .nearest;
  }
  if (auto power = dyn_cast<math::PowFOp>(op))
    return expandPow({&scope, power.getLhs()}, {&scope, power.getRhs()});
  if (auto arc = dyn_cast<math::Atan2Op>(op))
    return expandAtan2({&scope, arc.getLhs()}, {&scope, arc.getRhs()});
  return {};
}

} // namespace nereid::codegen
