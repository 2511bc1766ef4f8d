// Rewrites prints of types that a backend's print service need not support.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

using namespace mlir;

namespace nereid::codegen {

// Prints an fp8 as f32. In hexadecimal, the bits are printed.
void widenPrint(tt::PrintOp op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op.getArgsMutable()) {
    Type type = operand.get().getType();
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element || element.getWidth() != 8)
      continue;
    auto withElement = [&](Type wide) -> Type {
      auto tile = dyn_cast<RankedTensorType>(type);
      return tile ? tile.clone(wide) : wide;
    };
    Value wide =
        op.getHex()
            ? Value(builder.create<tt::BitcastOp>(
                  op.getLoc(), withElement(builder.getI8Type()), operand.get()))
            : builder.create<tt::FpToFpOp>(
                  op.getLoc(), withElement(builder.getF32Type()), operand.get(),
                  tt::RoundingModeAttr());
    operand.set(wide);
  }
}

} // namespace nereid::codegen
