// Tiles that are joined with themselves, as `tl.interleave(x, x)` does to
// repeat the elements of packed integers, are broadcast: a shape operation,
// whose elements are known to be equal.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

using namespace mlir;

namespace nereid::codegen {

void repeatJoined(tt::JoinOp op) {
  if (op.getLhs() != op.getRhs())
    return;
  OpBuilder builder(op);
  RankedTensorType type = op.getType();
  Value expanded = builder.create<tt::ExpandDimsOp>(op.getLoc(), op.getLhs(),
                                                    type.getRank() - 1);
  Value repeated = builder.create<tt::BroadcastOp>(op.getLoc(), type, expanded);
  op.replaceAllUsesWith(repeated);
  op.erase();
}

} // namespace nereid::codegen
