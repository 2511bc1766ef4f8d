// Levels.cpp - loops around the code of a nest, and loop-invariant code motion:
// the outermost loop where a value can be computed.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

Loop NestEmitter::beginLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
                            bool isKnownNotEmpty) {
  llvm::LLVMContext &context = emitter.context();
  auto *body = llvm::BasicBlock::Create(context, "loop", emitter.function);
  auto *exit = llvm::BasicBlock::Create(context, "exit", emitter.function);
  insertAt(levels.size() - 1);
  llvm::BasicBlock *entry = builder.GetInsertBlock();
  auto *first = dyn_cast<llvm::ConstantInt>(begin);
  auto *last = dyn_cast<llvm::ConstantInt>(end);
  llvm::Instruction *branch;
  if (first && last && first->getSExtValue() < last->getSExtValue())
    isKnownNotEmpty = true;
  if (isKnownNotEmpty)
    branch = builder.CreateBr(body);
  else
    branch = builder.CreateCondBr(builder.CreateICmpSLT(begin, end), body, exit);
  // Loop-invariant code is inserted before the test that enters the loop.
  llvm::Instruction *point = branch;
  if (auto *conditional = dyn_cast<llvm::BranchInst>(branch);
      conditional->isConditional())
    if (auto *test = dyn_cast<llvm::Instruction>(conditional->getCondition()))
      if (test->getParent() == entry && test->getNextNode() == branch)
        point = test;
  levels.back().before = point;
  levels.back().block = exit;

  builder.SetInsertPoint(body);
  llvm::PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2, "i");
  index->addIncoming(begin, entry);
  pushLevel(body);
  place(index, levels.size() - 1);
  return {index, body, exit, end, step};
}

void NestEmitter::endLoop(const Loop &loop) {
  insertAt(levels.size() - 1);
  llvm::Value *next = loop.next;
  if (!next)
    next =
        builder.CreateAdd(loop.index, emitter.i64(loop.step), "", true, true);
  llvm::Value *again = builder.CreateICmpSLT(next, loop.end);
  loop.index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(again, loop.body, loop.exit);
  popLevel();
  levels.back().before = nullptr;
  levels.back().block = loop.exit;
  builder.SetInsertPoint(loop.exit);
}

/// Opens a level that runs only if `range`, in which all conditions of `plans`
/// are true, is not empty. Code that relies on the conditions is not hoisted
/// out of it.
void NestEmitter::beginAssumption(AxisRange range,
                                  ArrayRef<const codegen::MaskPlan *> plans) {
  llvm::LLVMContext &context = emitter.context();
  insertAt(levels.size() - 1);
  auto *body = llvm::BasicBlock::Create(context, "full", emitter.function);
  auto *exit = llvm::BasicBlock::Create(context, "rest", emitter.function);
  llvm::Value *some = builder.CreateICmpSLT(range.begin, range.end);
  llvm::Instruction *branch = builder.CreateCondBr(some, body, exit);
  levels.back().before = branch;
  levels.back().block = exit;
  pushLevel(body);
  builder.SetInsertPoint(body);
  held.assign(plans.begin(), plans.end());
  assumptionLevel = levels.size() - 1;
}

void NestEmitter::endAssumption() {
  insertAt(levels.size() - 1);
  popLevel();
  builder.CreateBr(levels.back().block);
  levels.back().before = nullptr;
  builder.SetInsertPoint(levels.back().block);
  held.clear();
  assumptionLevel = 0;
}

void NestEmitter::pushLevel(llvm::BasicBlock *block) {
  levels.emplace_back();
  levels.back().block = block;
}

void NestEmitter::popLevel() { levels.pop_back(); }

void NestEmitter::insertAt(unsigned level) {
  Level &at = levels[level];
  // Inserting before an instruction would set its source line.
  llvm::DebugLoc line = builder.getCurrentDebugLocation();
  if (at.before)
    builder.SetInsertPoint(at.before);
  else
    builder.SetInsertPoint(at.block);
  builder.SetCurrentDebugLocation(line);
}

unsigned NestEmitter::levelOf(llvm::Value *value) const {
  auto known = placed.find(value);
  // The builder may fold a new value to an existing one whose recorded level is
  // deeper than needed.
  return known == placed.end()
             ? 0
             : std::min<unsigned>(known->second, levels.size() - 1);
}

unsigned NestEmitter::levelOf(ArrayRef<llvm::Value *> values) const {
  unsigned level = 0;
  for (llvm::Value *value : values)
    level = std::max(level, levelOf(value));
  return level;
}

void NestEmitter::place(llvm::Value *value, unsigned level) {
  if (isa<llvm::Instruction>(value) && level > 0 && !placed.contains(value))
    placed[value] = level;
}

/// Emits a value at the outermost level where its operands are available.
llvm::Value *NestEmitter::at(ArrayRef<llvm::Value *> operands,
                             llvm::function_ref<llvm::Value *()> make) {
  unsigned level = std::max(levelOf(operands), minimumLevel);
  insertAt(level);
  llvm::Value *value = make();
  place(value, level);
  return value;
}

} // namespace nereid::cpu
