// Scan.cpp - inclusive scans: element by element if the vector axis is another
// one, vector by vector along the scanned axis.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The lanes of one vector are combined in log2 steps: with the lane 1, 2, 4,
// ... before them. The result of the preceding vectors, in all lanes of a
// vector, is combined with them, and apart from that with their last lane
// alone: the next vector waits for this one operation, not for a lane of all
// results. Hillis and Steele, Data parallel algorithms, Communications of the
// ACM 29 (1986).

#include "emit/nest/NestEmitter.h"

#include "tile/Combine.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// The lanes that are `distance` before those of a vector; in a reverse scan,
/// after them.
struct LanesBefore {
  SmallVector<int> from; // a shuffle of two vectors; lanes without such a
                         // predecessor are those of the second one
  llvm::Constant *exist;
};
} // namespace

static LanesBefore lanesBefore(llvm::IRBuilder<> &b, int lanes, int distance,
                               bool isReverse) {
  LanesBefore before;
  SmallVector<llvm::Constant *> exist;
  for (int lane = 0; lane < lanes; ++lane) {
    int from = isReverse ? lane + distance : lane - distance;
    bool exists = from >= 0 && from < lanes;
    before.from.push_back(exists ? from : lanes + lane);
    exist.push_back(b.getInt1(exists));
  }
  before.exist = llvm::ConstantVector::get(exist);
  return before;
}

/// Scans the lanes of each of `values`. Lanes without a predecessor are
/// combined with the identity of the operation, if it has one.
SmallVector<llvm::Value *>
NestEmitter::scanLanes(tt::ScanOp op, SmallVector<llvm::Value *> values) {
  Region &region = op->getRegion(0);
  TypedAttr identity = codegen::combineOf(region).identity(
      getElementTypeOrSelf(op->getOperand(0).getType()));
  llvm::Value *rest = nullptr;
  if (identity)
    rest = widen({codegen::emitConstant(identity, emitter.context()), false});
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    LanesBefore before = lanesBefore(builder, lanes, distance, op.getReverse());
    insertAt(levels.size() - 1);
    SmallVector<llvm::Value *> arguments;
    for (llvm::Value *value : values)
      arguments.push_back(
          builder.CreateShuffleVector(value, rest ? rest : value, before.from));
    llvm::append_range(arguments, values);
    SmallVector<llvm::Value *> combined = combine(region, arguments, lanes);
    insertAt(levels.size() - 1);
    for (auto [value, sum] : llvm::zip(values, combined))
      value = rest ? sum : builder.CreateSelect(before.exist, sum, value);
  }
  return values;
}

/// Do only stores of `inner`, which have it in a register, use `result`?
static bool isOnlyStored(Value result, const Inner &inner,
                         const TileProgram &program) {
  llvm::SetVector<Value> values;
  values.insert(result);
  for (unsigned next = 0; next < values.size(); ++next)
    for (Operation *user : values[next].getUsers()) {
      if (llvm::any_of(inner.roots,
                       [&](const Root &root) { return root.op == user; }))
        continue;
      if (!codegen::isElementOp(user) ||
          llvm::any_of(user->getResults(), [&](Value value) {
            return program.isMaterialized(value);
          }))
        return false;
      values.insert(user->result_begin(), user->result_end());
    }
  return true;
}

/// One element or vector of the scan, at `number` along its axis, and the
/// stores that follow it.
void NestEmitter::emitScanStep(tt::ScanOp op,
                               ArrayRef<llvm::AllocaInst *> carries,
                               llvm::Value *number, bool isFirst) {
  const Inner &inner = nest.inners.front();
  unsigned axis = op.getAxis();
  bool isVector = lanes > 1, isAlong = isVector && nest.vectorAxis == axis;
  int64_t width = isAlong ? lanes : 1;
  llvm::Value *index = number;
  if (op.getReverse())
    index = at({number}, [&] {
      return builder.CreateSub(emitter.i64(nest.shape[axis] - width), number);
    });
  current[axis] = {index, 0, nullptr};
  if (isAlong)
    setVectorIndex(index);
  SmallVector<llvm::Value *> values;
  for (Value operand : op->getOperands())
    values.push_back(widen(get(operand, current)));
  SmallVector<llvm::Value *> before;
  insertAt(levels.size() - 1);
  if (!isFirst)
    for (llvm::AllocaInst *carry : carries)
      before.push_back(builder.CreateLoad(carry->getAllocatedType(), carry));
  auto after = [&](ArrayRef<llvm::Value *> these) {
    SmallVector<llvm::Value *> arguments(before);
    llvm::append_range(arguments, these);
    return isFirst ? SmallVector<llvm::Value *>(these)
                   : combine(op->getRegion(0), arguments, lanes);
  };
  SmallVector<llvm::Value *> carried;
  if (isAlong) {
    values = scanLanes(op, values);
    SmallVector<int> last(lanes, op.getReverse() ? 0 : int(lanes) - 1);
    SmallVector<llvm::Value *> lasts;
    insertAt(levels.size() - 1);
    for (llvm::Value *value : values)
      lasts.push_back(builder.CreateShuffleVector(value, last));
    carried = after(lasts);
  }
  values = after(values);
  if (!isAlong)
    carried = values;
  for (auto [carry, next, value, result] :
       llvm::zip(carries, carried, values, op->getResults())) {
    insertAt(levels.size() - 1);
    builder.CreateStore(next, carry);
    place(value, levels.size() - 1);
    remember(result, current, {value, isVector}, levels.size() - 1);
    if (isOnlyStored(result, inner, emitter.program))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    writeBuffer(emitter.bufferPointer(result), type, TileLayout::rowMajor(type.getShape()), current,
                {value, isVector});
  }
  emitRoots(inner, 0);
}

/// The elements with these numbers, in the order of the scan.
void NestEmitter::emitScanLoop(tt::ScanOp op,
                               ArrayRef<llvm::AllocaInst *> carries,
                               AxisRange range) {
  bool isAlong = lanes > 1 && nest.vectorAxis == op.getAxis();
  Loop loop = beginLoop(range.begin, range.end, isAlong ? lanes : 1);
  emitScanStep(op, carries, loop.index, false);
  endLoop(loop);
}

/// The part of `all`, numbers of elements in the order of the scan, where all
/// masks are true.
AxisRange NestEmitter::unmaskedNumbers(tt::ScanOp op, AxisRange all) {
  AxisRange full =
      wholeVectors(ifInterval(rangeOf(false), 0, 0), emitter.i64(0), 1);
  auto toNumber = [&](llvm::Value *index) {
    return at({index}, [&] {
      llvm::Value *inside = emitter.smaller(index, all.end);
      if (op.getReverse())
        inside = builder.CreateSub(all.end, inside);
      return emitter.larger(inside, all.begin);
    });
  };
  if (op.getReverse())
    std::swap(full.begin, full.end);
  return {toNumber(full.begin), toNumber(full.end)};
}

/// Where all masks are true, and before and after that.
void NestEmitter::emitScan(tt::ScanOp op) {
  unsigned axis = op.getAxis();
  bool isVector = lanes > 1, isAlong = isVector && nest.vectorAxis == axis;
  SmallVector<Loop> loops;
  for (unsigned dim = 0; dim < nest.shape.size(); ++dim) {
    if (dim == axis)
      continue;
    bool isAxis = isVector && dim == nest.vectorAxis;
    Loop loop = beginLoop(emitter.i64(0), emitter.i64(nest.shape[dim]),
                          isAxis ? lanes : 1);
    current[dim] = {loop.index, 0, nullptr};
    if (isAxis)
      setVectorIndex(loop.index);
    loops.push_back(loop);
  }
  SmallVector<llvm::AllocaInst *> carries;
  for (Value operand : op->getOperands()) {
    llvm::Type *type = emitter.typeOf(operand);
    if (isVector)
      type = llvm::FixedVectorType::get(type, lanes);
    carries.push_back(emitter.allocate(type, "carry"));
  }
  int64_t extent = nest.shape[axis], width = isAlong ? lanes : 1;
  masks = &nest.inners.front().masks;
  emitScanStep(op, carries, emitter.i64(0), true);
  AxisRange rest{emitter.i64(width), emitter.i64(extent)};
  if (extent > width && !masks->isEmpty()) {
    AxisRange full = unmaskedNumbers(op, rest);
    auto *begin = dyn_cast<llvm::ConstantInt>(full.begin);
    if (!begin || !begin->equalsInt(width))
      emitScanLoop(op, carries, {rest.begin, full.begin});
    beginAssumption(full, masks);
    emitScanLoop(op, carries, full);
    endAssumption();
    rest.begin = full.end;
  }
  if (extent > width)
    emitScanLoop(op, carries, rest);
  while (!loops.empty())
    endLoop(loops.pop_back_val());
}

} // namespace nereid::cpu
