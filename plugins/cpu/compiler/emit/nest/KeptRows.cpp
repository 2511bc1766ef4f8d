// KeptRows.cpp - rows that a nest would multiply by one, where they are.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// A row of fewer vectors is multiplied in the time of a branch that is not
/// predicted: on a Zen 5, attention with such rows was 2 % slower.
static constexpr int64_t kFewestKept = 8;

/// An i1: is the row, which is multiplied where it is, multiplied by one? Null:
/// `inner` does something else. Attention scales its sums by such factors, of
/// which few are not one after some iterations.
llvm::Value *NestEmitter::isKeptRow(const Inner &inner) {
  if (!emitter.options.fastPaths.has(FastPath::UnitFactors) ||
      inner.roots.size() != 1 || nest.inners.size() > 1 ||
      nest.shape.size() < 2 ||
      nest.shape[nest.vectorAxis] < kFewestKept * int64_t(lanes))
    return nullptr;
  const Root &root = inner.roots.front();
  auto product = root.kind == RootKind::Materialize
                     ? root.value.getDefiningOp<arith::MulFOp>()
                     : nullptr;
  if (!product)
    return nullptr;
  Value operands[] = {product.getLhs(), product.getRhs()};
  for (auto [kept, factor] : {std::pair(operands[0], operands[1]),
                              std::pair(operands[1], operands[0])}) {
    auto broadcast = factor.getDefiningOp<tt::BroadcastOp>();
    if (emitter.program.carried.lookup(kept).current != root.target ||
        !broadcast ||
        broadcast.getSrc().getType().getShape()[nest.vectorAxis] != 1)
      continue;
    current[nest.vectorAxis] = zero();
    Element element = get(factor, current);
    if (element.isVector)
      return nullptr;
    return at({element.value}, [&] {
      llvm::Type *type = element.value->getType();
      return builder.CreateFCmpOEQ(element.value,
                                   llvm::ConstantFP::get(type, 1.0));
    });
  }
  return nullptr;
}

} // namespace nereid::cpu
