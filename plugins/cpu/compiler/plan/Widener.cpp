// Widener.cpp - a kernel with one more dimension, for programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Widener.h"

#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace nereid::cpu {

Type Widener::widened(Type type) const {
  auto tile = dyn_cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  if (tile)
    shape.append(tile.getShape().begin(), tile.getShape().end());
  shape.push_back(most);
  return RankedTensorType::get(shape, getElementTypeOrSelf(type));
}

Value Widener::spread(Value scalar) {
  return builder.create<tt::SplatOp>(
      location, RankedTensorType::get({most}, scalar.getType()), scalar);
}

/// What `value` of the original is in each program.
Value Widener::wide(Value value) {
  Value copy = mapping.lookup(value);
  if (differences.differs(value))
    return copy;
  auto tile = codegen::tileType(value);
  if (!tile)
    return spread(copy);
  Value expanded =
      builder.create<tt::ExpandDimsOp>(location, copy, tile.getRank());
  return builder.create<tt::BroadcastOp>(location, widened(tile), expanded);
}

/// Which programs there are, for each element of a tile of `shape`, which is
/// wide.
Value Widener::activeOf(ArrayRef<int64_t> shape) {
  Value mask = active;
  for (size_t dim = 1; dim < shape.size(); ++dim)
    mask = builder.create<tt::ExpandDimsOp>(location, mask, 0);
  if (shape.size() == 1)
    return mask;
  return builder.create<tt::BroadcastOp>(
      location, RankedTensorType::get(shape, builder.getI1Type()), mask);
}

Operation *Widener::createLike(Operation *op, ValueRange operands) {
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(widened(type));
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrDictionary().getValue());
  for (Region &region : op->getRegions()) {
    IRMapping inner;
    region.cloneInto(state.addRegion(), inner);
  }
  return builder.create(state);
}

/// A load or store, by the programs that there are.
void Widener::copyAccess(Operation *op) {
  auto pointers = wide(op->getOperand(0));
  auto shape = cast<RankedTensorType>(pointers.getType()).getShape();
  auto masked = [&](Value mask) -> Value {
    Value there = activeOf(shape);
    return mask ? builder.create<arith::AndIOp>(location, there, wide(mask))
                : there;
  };
  if (auto store = dyn_cast<tt::StoreOp>(op)) {
    Value value = wide(store.getValue()), mask = masked(store.getMask());
    builder.create<tt::StoreOp>(op->getLoc(), pointers, value, mask);
    return;
  }
  auto load = cast<tt::LoadOp>(op);
  Value mask = masked(load.getMask());
  Value other = load.getOther() ? wide(load.getOther()) : Value();
  Value result =
      other ? builder.create<tt::LoadOp>(op->getLoc(), pointers, mask, other)
            : builder.create<tt::LoadOp>(op->getLoc(), pointers, mask);
  mapping.map(load.getResult(), result);
}

void Widener::copyLoop(scf::ForOp loop) {
  auto copyOf = [&](Value value, bool isWide) {
    return isWide ? wide(value) : mapping.lookup(value);
  };
  SmallVector<Value> inits;
  for (BlockArgument argument : loop.getRegionIterArgs())
    inits.push_back(copyOf(loop.getTiedLoopInit(argument)->get(),
                           differences.differs(argument)));
  auto copy = builder.create<scf::ForOp>(loop.getLoc(),
                                         mapping.lookup(loop.getLowerBound()),
                                         mapping.lookup(loop.getUpperBound()),
                                         mapping.lookup(loop.getStep()), inits);
  copy->setAttrs(loop->getAttrs());
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  mapping.map(loop.getRegionIterArgs(), copy.getRegionIterArgs());
  mapping.map(loop.getResults(), copy.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(copy.getBody());
  copyBlock(*loop.getBody());
  SmallVector<Value> yielded;
  for (BlockArgument argument : loop.getRegionIterArgs())
    yielded.push_back(copyOf(loop.getTiedLoopYieldedValue(argument)->get(),
                             differences.differs(argument)));
  builder.create<scf::YieldOp>(loop.getLoc(), yielded);
}

void Widener::copyWide(Operation *op) {
  if (isa<LLVM::AssumeOp>(op))
    return;
  // Scalars, which are tiles of one in each program, are spread over a tile.
  auto tile = codegen::tileType(op->getResult(0));
  bool spreads = isa<tt::SplatOp>(op) || (isa<arith::SelectOp>(op) && tile);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value value = wide(operand);
    if (spreads && !codegen::tileType(operand)) {
      for (int64_t dim = 0; dim < tile.getRank(); ++dim)
        value = builder.create<tt::ExpandDimsOp>(location, value, 0);
      Type element = getElementTypeOrSelf(value.getType());
      value = builder.create<tt::BroadcastOp>(
          location, widened(tile.clone(element)), value);
    }
    operands.push_back(value);
  }
  Operation *copy = nullptr;
  if (isa<tt::SplatOp>(op)) {
    mapping.map(op->getResult(0), operands.front());
    return;
  }
  if (auto trans = dyn_cast<tt::TransOp>(op)) {
    SmallVector<int32_t> order(trans.getOrder());
    order.push_back(order.size());
    copy = builder.create<tt::TransOp>(op->getLoc(), operands.front(), order);
  } else {
    copy = createLike(op, operands);
  }
  mapping.map(op->getResults(), copy->getResults());
}

void Widener::copy(Operation *op) {
  location = op->getLoc();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return copyLoop(loop);
  bool differs = op->getNumResults() && differences.differs(op->getResult(0));
  if (differences.isNeighbour(op->getNumResults() ? op->getResult(0)
                                                  : Value()) ||
      llvm::is_contained(differences.divisions, op)) {
    IRMapping first(mapping);
    if (op->getNumOperands())
      first.map(op->getOperand(0), base.lookup(op->getOperand(0)));
    Value result = builder.clone(*op, first)->getResult(0);
    base[op->getResult(0)] = result;
    if (differs)
      result = builder.create<arith::AddIOp>(location, spread(result), lanes);
    mapping.map(op->getResult(0), result);
    return;
  }
  if (!differences.differsAny(op->getOperands())) {
    builder.clone(*op, mapping);
    return;
  }
  if (isa<tt::LoadOp, tt::StoreOp>(op))
    return copyAccess(op);
  copyWide(op);
}

void Widener::copyBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    copy(&op);
}

SideBySide Widener::run() {
  SideBySide result;
  auto type = kernel.getFunctionType();
  SmallVector<Type> inputs(type.getInputs());
  inputs.push_back(builder.getI32Type());
  // Like the original, with an argument more.
  result.kernel = cast<tt::FuncOp>(kernel->cloneWithoutRegions());
  builder.insert(result.kernel);
  result.kernel.setFunctionType(builder.getFunctionType(inputs, {}));
  if (ArrayAttr attributes = kernel.getArgAttrsAttr()) {
    SmallVector<Attribute> all(attributes.begin(), attributes.end());
    all.push_back(builder.getDictionaryAttr({}));
    result.kernel.setArgAttrsAttr(builder.getArrayAttr(all));
  }
  Block *body = result.kernel.addEntryBlock();
  for (auto [from, to] : llvm::zip(kernel.getArguments(), body->getArguments()))
    mapping.map(from, to);
  result.count = body->getArguments().back();
  result.most = most;
  result.axis = differences.axis;
  result.divisions = differences.divisions;
  builder.setInsertionPointToStart(body);
  auto numbers = RankedTensorType::get({most}, builder.getI32Type());
  lanes = builder.create<tt::MakeRangeOp>(location, numbers, 0, most);
  active = builder.create<arith::CmpIOp>(location, arith::CmpIPredicate::slt,
                                         lanes, spread(result.count));
  copyBlock(kernel.getBody().front());
  builder.create<tt::ReturnOp>(location);
  return result;
}

} // namespace nereid::cpu
