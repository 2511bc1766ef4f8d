// RareSelects.cpp - branches around what is rarely selected.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "RareSelects.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace nereid::cpu {

/// With fewer operations a branch is not worth it.
static constexpr size_t kFewestOperations = 24;

static bool isRare(const llvm::Instruction &instruction) {
  uint64_t yes, no;
  return llvm::isa<llvm::SelectInst>(instruction) &&
         llvm::extractBranchWeights(instruction, yes, no) && yes < no;
}

namespace {
/// Selections in a block by one condition.
class RareGroup {
public:
  RareGroup(llvm::SelectInst &first);

  bool isLarge() const { return computed.size() >= kFewestOperations; }
  /// Moves what is computed for the group to a block of its own; the rest of
  /// the block, from its first selection on, becomes another one.
  llvm::BasicBlock *branch();

private:
  bool isOnlyForGroup(llvm::Instruction &instruction) const;
  bool canMoveUp(llvm::Instruction &instruction) const;

  llvm::SelectInst &first;
  llvm::SmallSetVector<llvm::SelectInst *, 4> selects;
  /// What is computed for first operands only, in reverse order.
  llvm::SmallSetVector<llvm::Instruction *, 32> computed;
};
} // namespace

RareGroup::RareGroup(llvm::SelectInst &first) : first(first) {
  llvm::BasicBlock &block = *first.getParent();
  llvm::SelectInst *last = &first;
  for (llvm::User *user : first.getCondition()->users())
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(user);
        select && select->getParent() == &block && isRare(*select) &&
        select->getCondition() == first.getCondition()) {
      selects.insert(select);
      if (last->comesBefore(select))
        last = select;
    }
  for (llvm::Instruction &instruction :
       llvm::reverse(llvm::make_range(block.begin(), last->getIterator())))
    if (isOnlyForGroup(instruction))
      computed.insert(&instruction);
  // What cannot move up needs its operands where it is.
  while (computed.remove_if([&](llvm::Instruction *instruction) {
    return !isOnlyForGroup(*instruction) || !canMoveUp(*instruction);
  })) {
  }
}

/// May it be computed before the first selection, with the others?
bool RareGroup::canMoveUp(llvm::Instruction &instruction) const {
  return llvm::all_of(instruction.operands(), [&](llvm::Value *operand) {
    auto *other = llvm::dyn_cast<llvm::Instruction>(operand);
    return !other || other->getParent() != first.getParent() ||
           other->comesBefore(&first) || computed.contains(other);
  });
}

bool RareGroup::isOnlyForGroup(llvm::Instruction &instruction) const {
  if (llvm::isa<llvm::PHINode>(instruction) ||
      instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() ||
      instruction.use_empty())
    return false;
  return llvm::all_of(instruction.uses(), [&](const llvm::Use &use) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(user);
        select && selects.contains(select))
      return use.getOperandNo() == 1;
    return computed.contains(user);
  });
}

llvm::BasicBlock *RareGroup::branch() {
  llvm::BasicBlock *block = first.getParent();
  llvm::BasicBlock *next = llvm::SplitBlock(block, &first);
  auto *rare = llvm::BasicBlock::Create(block->getContext(), "rare",
                                        block->getParent(), next);
  block->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(block);
  llvm::Value *condition = builder.CreateFreeze(first.getCondition());
  if (condition->getType()->isVectorTy())
    condition = builder.CreateOrReduce(condition);
  builder.CreateCondBr(
      condition, rare, next,
      llvm::MDBuilder(block->getContext()).createBranchWeights(1, 1000));
  builder.SetInsertPoint(rare);
  llvm::Instruction *end = builder.CreateBr(next);
  for (llvm::Instruction *instruction : llvm::reverse(computed))
    instruction->moveBefore(end);
  builder.SetInsertPoint(next, next->begin());
  for (llvm::SelectInst *select : selects) {
    auto *value = llvm::dyn_cast<llvm::Instruction>(select->getTrueValue());
    if (!value || !computed.contains(value))
      continue;
    llvm::PHINode *phi = builder.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, rare);
    phi->addIncoming(llvm::PoisonValue::get(value->getType()), block);
    select->setTrueValue(phi);
  }
  return next;
}

static void branchInFunction(llvm::Function &function) {
  llvm::SmallVector<llvm::BasicBlock *> blocks;
  for (llvm::BasicBlock &block : function)
    blocks.push_back(&block);
  for (llvm::BasicBlock *block : blocks)
    for (auto at = block->begin(); at != block->end(); ++at)
      if (isRare(*at))
        if (RareGroup group(llvm::cast<llvm::SelectInst>(*at));
            group.isLarge()) {
          // The selections of the group are not looked at again: nothing is
          // computed for them in the next block.
          block = group.branch();
          at = block->begin();
        }
}

void branchAroundRareSelects(llvm::Module &module) {
  for (llvm::Function &function : module)
    branchInFunction(function);
}

} // namespace nereid::cpu
