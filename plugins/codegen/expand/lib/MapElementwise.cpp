// Maps over elements: packed ones become plain, and straight-line ones become
// operations on tensors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::codegen {

static Value reshape(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(shape, from.getElementType());
  if (from == to)
    return value;
  return builder.create<tt::ReshapeOp>(loc, to, value, false, false);
}

/// Every \p pack th element of \p value, from the first, the second, ... on.
/// The last dimension of a split is the lowest bit of an element's place.
static SmallVector<Value> takeApart(OpBuilder &builder, Location loc,
                                    Value value, int64_t pack) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rest = type.getNumElements() / pack;
  if (pack == 1)
    return {reshape(builder, loc, value, {rest})};
  value = reshape(builder, loc, value, {type.getNumElements() / 2, 2});
  auto split = builder.create<tt::SplitOp>(loc, value);
  SmallVector<Value> even =
      takeApart(builder, loc, split.getOutLHS(), pack / 2);
  SmallVector<Value> odd = takeApart(builder, loc, split.getOutRHS(), pack / 2);
  SmallVector<Value> parts;
  for (auto [first, second] : llvm::zip(even, odd)) {
    parts.push_back(first);
    parts.push_back(second);
  }
  return parts;
}

/// What takeApart() makes parts of.
static Value putTogether(OpBuilder &builder, Location loc,
                         ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<Value> even, odd;
  for (size_t i = 0; i < parts.size(); i += 2) {
    even.push_back(parts[i]);
    odd.push_back(parts[i + 1]);
  }
  Value joined =
      builder.create<tt::JoinOp>(loc, putTogether(builder, loc, even),
                                 putTogether(builder, loc, odd));
  auto type = cast<RankedTensorType>(joined.getType());
  return reshape(builder, loc, joined, {type.getNumElements()});
}

/// The same map with every element of a pack as an operand of its own.
static tt::MapElementwiseOp unpack(OpBuilder &builder,
                                   tt::MapElementwiseOp op) {
  int64_t pack = op.getPack();
  if (pack == 1)
    return op;
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (Value operand : op.getSrcs())
    llvm::append_range(operands, takeApart(builder, loc, operand, pack));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    types.append(pack, RankedTensorType::get({tensor.getNumElements() / pack},
                                             tensor.getElementType()));
  }
  auto plain = builder.create<tt::MapElementwiseOp>(loc, types, operands, 1);
  plain.getScalarOp().takeBody(op.getScalarOp());
  SmallVector<Value> parts(plain.getResults());
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value whole = putTogether(builder, loc,
                              ArrayRef(parts).slice(i * pack, pack));
    auto shape = cast<RankedTensorType>(result.getType()).getShape();
    result.replaceAllUsesWith(reshape(builder, loc, whole, shape));
  }
  op.erase();
  return plain;
}

static bool isElementwise(Operation *op) {
  return op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::ConstantLike>() || isa<tt::LoadOp>(op) ||
          op->hasTrait<OpTrait::Elementwise>() ||
          OpTrait::hasElementwiseMappableTraits(op));
}

namespace {
/// Clones the body of a map onto tensors; what all elements share stays a
/// scalar until it meets a tensor.
struct Vectorizer {
  OpBuilder &builder;
  Location loc;
  ArrayRef<int64_t> shape;
  IRMapping mapping;

  bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

  Value asTensor(Value value) {
    if (isTensor(value))
      return value;
    auto type = RankedTensorType::get(shape, value.getType());
    return builder.create<tt::SplatOp>(loc, type, value);
  }

  void clone(Operation &op) {
    bool shared = llvm::none_of(op.getOperands(), [&](Value operand) {
      return isTensor(mapping.lookupOrDefault(operand));
    });
    if (!shared)
      for (Value operand : op.getOperands())
        mapping.map(operand, asTensor(mapping.lookupOrDefault(operand)));
    Operation *copy = builder.clone(op, mapping);
    if (!shared)
      for (Value result : copy->getResults())
        result.setType(RankedTensorType::get(shape, result.getType()));
  }
};
} // namespace

void expandMapElementwise(Scope &scope, tt::MapElementwiseOp packed) {
  scope.moveTo(packed);
  OpBuilder &builder = scope.builder;
  tt::MapElementwiseOp op = unpack(builder, packed);
  Region &region = op.getScalarOp();
  if (!region.hasOneBlock() ||
      !llvm::all_of(region.front().without_terminator(),
                    [](Operation &inner) { return isElementwise(&inner); }))
    return;
  builder.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getSrcs().front().getType());
  Vectorizer vectorizer{builder, op.getLoc(), type.getShape(), {}};
  for (auto [argument, source] :
       llvm::zip(region.getArguments(), op.getSrcs()))
    vectorizer.mapping.map(argument, source);
  for (Operation &inner : region.front().without_terminator())
    vectorizer.clone(inner);
  Operation *terminator = region.front().getTerminator();
  for (auto [result, value] :
       llvm::zip(op.getResults(), terminator->getOperands()))
    result.replaceAllUsesWith(vectorizer.asTensor(
        vectorizer.mapping.lookupOrDefault(value)));
  op.erase();
}

} // namespace nereid::codegen
