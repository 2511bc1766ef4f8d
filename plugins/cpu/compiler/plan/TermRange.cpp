// TermRange.cpp - which quotients and remainders have known ranges.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/TermRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

/// Is `stride` a constant by which no index of a tile overflows an i64?
static bool isSmall(const codegen::Polynomial &stride) {
  std::optional<int64_t> by = stride.constant();
  return by && llvm::isInt<32>(*by);
}

std::optional<DividedForm> dividedFormOf(Value tile,
                                         codegen::TileForms &forms) {
  Operation *op = tile.getDefiningOp();
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(tile.getType()));
  if (!op || !type || type.getWidth() > 64 || forms.isOpaque(tile) ||
      !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return std::nullopt;
  const codegen::TileForm *dividend = forms.of(op->getOperand(0));
  const codegen::TileForm *divisor = forms.of(op->getOperand(1));
  if (!dividend || !divisor || dividend->pointer || dividend->mayWrap ||
      divisor->pointer || !divisor->isUniform() ||
      !llvm::all_of(dividend->strides, isSmall))
    return std::nullopt;
  return DividedForm{dividend, divisor->base, llvm::maxIntN(type.getWidth()),
                     isa<arith::RemSIOp, arith::RemUIOp>(op)};
}

bool hasRange(const codegen::TileForm &form, codegen::TileForms &forms,
              llvm::function_ref<bool(const codegen::Polynomial &)> isKnown,
              llvm::function_ref<std::optional<bool>(Value)> isRead) {
  return isKnown(form.base) && llvm::all_of(form.strides, isKnown) &&
         llvm::all_of(form.terms, [&](const codegen::TileTerm &term) {
           if (!isKnown(term.coefficient))
             return false;
           if (codegen::numbersOf(term.tensor))
             return true;
           if (std::optional<bool> isReadable = isRead(term.tensor))
             return *isReadable;
           auto divided = dividedFormOf(term.tensor, forms);
           return divided && isKnown(divided->divisor) &&
                  hasRange(*divided->dividend, forms, isKnown, isRead);
         });
}

} // namespace nereid::cpu
