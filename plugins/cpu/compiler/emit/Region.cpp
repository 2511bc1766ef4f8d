// Region.cpp - the regions of reductions, scans and maps.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/Emitter.h"

using namespace mlir;

namespace nereid::cpu {

bool isStraightLine(Region &region) {
  return region.hasOneBlock() &&
         llvm::all_of(region.front().without_terminator(),
                      [](Operation &op) { return codegen::isElementOp(&op); });
}

/// Emits a single block, on scalars or vectors.
static SmallVector<llvm::Value *>
emitStraightLine(Emitter &emitter, Block &body, ArrayRef<llvm::Value *> in,
                 unsigned lanes, KnownBits known) {
  llvm::DenseMap<Value, llvm::Value *> values;
  for (auto [argument, value] : llvm::zip(body.getArguments(), in))
    values[argument] = value;
  for (auto [result, bit] : known) {
    llvm::Constant *value = emitter.builder.getInt1(bit);
    values[result] = lanes > 1 ? llvm::ConstantVector::getSplat(
                                     llvm::ElementCount::getFixed(lanes), value)
                               : value;
  }
  auto lookup = [&](Value value) {
    auto found = values.find(value);
    return found != values.end() ? found->second : emitter.scalar(value);
  };
  for (Operation &op : body.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>() ||
        (op.getNumResults() == 1 && values.contains(op.getResult(0))))
      continue;
    SmallVector<llvm::Value *> operands;
    for (Value operand : op.getOperands())
      operands.push_back(lookup(operand));
    for (auto [result, value] :
         llvm::zip(op.getResults(), emitter.elementOp(&op, operands, lanes)))
      values[result] = value;
  }
  SmallVector<llvm::Value *> results;
  for (Value operand : body.getTerminator()->getOperands()) {
    llvm::Value *value = lookup(operand);
    if (lanes > 1 && !value->getType()->isVectorTy())
      value = emitter.builder.CreateVectorSplat(lanes, value);
    results.push_back(value);
  }
  return results;
}

SmallVector<llvm::Value *> Emitter::region(Region &region,
                                           ArrayRef<llvm::Value *> in,
                                           unsigned lanes, KnownBits known) {
  if (isStraightLine(region))
    return emitStraightLine(*this, region.front(), in, lanes, known);
  assert(lanes == 1 && "control flow is for scalars");
  return emitScalarRegion(*this, region, in);
}

} // namespace nereid::cpu
