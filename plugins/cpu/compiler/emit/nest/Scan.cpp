// Scan.cpp - inclusive scans: element by element if the vector axis is another
// one, vector by vector along the scanned axis.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The lanes of one vector are combined in log2 steps: with the lane 1, 2, 4,
// ... before them. The result of the preceding vectors is combined with all
// lanes. Hillis and Steele, Data parallel algorithms, Communications of the ACM
// 29 (1986).

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// The shuffle by `distance` lanes, and the mask of lanes that have such a
/// predecessor. In a reverse scan, predecessors are the higher lanes.
static std::pair<SmallVector<int>, llvm::Constant *>
lanesBefore(llvm::IRBuilder<> &b, int lanes, int distance, bool isReverse) {
  SmallVector<int> from;
  SmallVector<llvm::Constant *> takes;
  for (int lane = 0; lane < lanes; ++lane) {
    int before = isReverse ? lane + distance : lane - distance;
    bool exists = before >= 0 && before < lanes;
    from.push_back(exists ? before : lane);
    takes.push_back(b.getInt1(exists));
  }
  return {from, llvm::ConstantVector::get(takes)};
}

SmallVector<llvm::Value *>
NestEmitter::scanLanes(tt::ScanOp op, SmallVector<llvm::Value *> values) {
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    auto [from, takes] = lanesBefore(builder, lanes, distance, op.getReverse());
    insertAt(levels.size() - 1);
    SmallVector<llvm::Value *> arguments;
    for (llvm::Value *value : values)
      arguments.push_back(builder.CreateShuffleVector(value, from));
    llvm::append_range(arguments, values);
    SmallVector<llvm::Value *> combined =
        combine(op->getRegion(0), arguments, lanes);
    insertAt(levels.size() - 1);
    for (auto [value, sum] : llvm::zip(values, combined))
      value = builder.CreateSelect(takes, sum, value);
  }
  return values;
}

/// One element or vector of the scan, at `number` along its axis.
void NestEmitter::emitScanStep(tt::ScanOp op,
                               ArrayRef<llvm::AllocaInst *> carries,
                               llvm::Value *number, bool isFirst) {
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
  if (isAlong)
    values = scanLanes(op, values);
  if (!isFirst) {
    SmallVector<llvm::Value *> arguments;
    insertAt(levels.size() - 1);
    for (llvm::AllocaInst *carry : carries) {
      llvm::Value *before =
          builder.CreateLoad(carry->getAllocatedType(), carry);
      arguments.push_back(isAlong ? builder.CreateVectorSplat(lanes, before)
                                  : before);
    }
    llvm::append_range(arguments, values);
    values = combine(op->getRegion(0), arguments, lanes);
  }
  for (auto [carry, value, result] :
       llvm::zip(carries, values, op->getResults())) {
    insertAt(levels.size() - 1);
    llvm::Value *last = value;
    if (isAlong)
      last = builder.CreateExtractElement(
          value, uint64_t(op.getReverse() ? 0 : lanes - 1));
    builder.CreateStore(last, carry);
    place(value, levels.size() - 1);
    auto type = cast<RankedTensorType>(result.getType());
    writeBuffer(emitter.bufferPointer(result), type, TileLayout::rowMajor(type.getShape()), current,
                {value, isVector});
  }
}

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
    if (isVector && !isAlong)
      type = llvm::FixedVectorType::get(type, lanes);
    carries.push_back(emitter.allocate(type, "carry"));
  }
  int64_t extent = nest.shape[axis], width = isAlong ? lanes : 1;
  emitScanStep(op, carries, emitter.i64(0), true);
  if (extent > width) {
    Loop loop = beginLoop(emitter.i64(width), emitter.i64(extent), width);
    emitScanStep(op, carries, loop.index, false);
    endLoop(loop);
  }
  while (!loops.empty())
    endLoop(loops.pop_back_val());
}

} // namespace nereid::cpu
