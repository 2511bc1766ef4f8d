// ArgumentWrites.cpp: which memory a kernel may write to.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A forward data-flow over the uses of an argument: operations that compute
// addresses from addresses propagate, loads and prints end a path, everything
// else is taken for a write.

#include "ArgumentWrites.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nereid::tt;

namespace {

/// Values that hold addresses derived from one argument, in order of discovery.
class Derived {
public:
  explicit Derived(Value root) { values.insert(root); }

  /// Follows every use; false as soon as one may write.
  bool isOnlyRead() {
    // NOLINTNEXTLINE(modernize-loop-convert): followsUse() adds values
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        if (!followsUse(use))
          return false;
    return true;
  }

private:
  bool followsUse(OpOperand &use);
  bool followsRegions(RegionBranchOpInterface branch, OpOperand &use);
  bool followsTerminator(RegionBranchTerminatorOpInterface terminator,
                         OpOperand &use);
  bool followsResults(Operation *op);
  void addMatching(OperandRange operands, ValueRange targets, OpOperand &use);

  llvm::SetVector<Value> values;
};

} // namespace

/// The target of \p use among \p targets, which receive \p operands.
void Derived::addMatching(OperandRange operands, ValueRange targets,
                          OpOperand &use) {
  if (operands.empty())
    return;
  unsigned first = operands.getBeginOperandIndex();
  unsigned index = use.getOperandNumber();
  if (index >= first && index - first < targets.size())
    values.insert(targets[index - first]);
}

bool Derived::followsRegions(RegionBranchOpInterface branch, OpOperand &use) {
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (RegionSuccessor &successor : successors)
    addMatching(branch.getEntrySuccessorOperands(successor),
                successor.getSuccessorInputs(), use);
  return true;
}

bool Derived::followsTerminator(RegionBranchTerminatorOpInterface terminator,
                                OpOperand &use) {
  if (!isa<RegionBranchOpInterface>(terminator->getParentOp()))
    return false;
  SmallVector<Attribute> constants(terminator->getNumOperands());
  SmallVector<RegionSuccessor> successors;
  terminator.getSuccessorRegions(constants, successors);
  for (RegionSuccessor &successor : successors)
    addMatching(terminator.getSuccessorOperands(successor),
                successor.getSuccessorInputs(), use);
  return true;
}

/// Addresses computed from addresses. Anything else that is computed from one
/// is an escape: what becomes of an integer is not followed.
bool Derived::followsResults(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isAddress(result.getType()))
      return false;
    values.insert(result);
  }
  return true;
}

bool Derived::followsUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<PrintOp>(op))
    return true;
  if (auto load = dyn_cast<LoadOp>(op)) // a volatile one claims to write
    return use.get() == load.getPtr() || followsResults(op);
  if (isa<DescriptorLoadOp, DescriptorGatherOp>(op))
    return true;
  if (isa<ExternElementwiseOp, ElementwiseInlineAsmOp>(op))
    return false;
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    std::optional<BlockArgument> target =
        branch.getSuccessorBlockArgument(use.getOperandNumber());
    if (!target)
      return false;
    values.insert(*target);
    return true;
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return followsRegions(branch, use);
  if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op))
    return followsTerminator(terminator, use);
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         followsResults(op);
}

bool nereid::tt::isAddress(Type type) {
  return isa<PointerType, TensorDescType>(getElementTypeOrSelf(type));
}

bool nereid::tt::mayWriteThrough(BlockArgument argument) {
  return !Derived(argument).isOnlyRead();
}
