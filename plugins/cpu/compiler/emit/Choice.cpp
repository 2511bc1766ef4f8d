// Choice.cpp - the choice, at launch, between two forms of a kernel.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/Choice.h"

#include "emit/Entry.h"
#include "emit/Formula.h"

using namespace mlir;

namespace nereid::cpu {

llvm::Function *emitChoice(llvm::Function &special, llvm::Function &general,
                           const FormCondition &condition,
                           const KernelInfo &info, llvm::StringRef name) {
  auto *function = llvm::Function::Create(special.getFunctionType(),
                                          llvm::Function::InternalLinkage, name,
                                          special.getParent());
  function->copyAttributesFrom(&special);
  llvm::LLVMContext &context = function->getContext();
  auto *isSpecial = llvm::BasicBlock::Create(context, "special", function);
  auto *isGeneral = llvm::BasicBlock::Create(context, "general", function);
  llvm::IRBuilder<> b(
      llvm::BasicBlock::Create(context, "entry", function, isSpecial));
  llvm::Value *holds = b.getTrue();
  for (BlockArgument argument : condition.ones) {
    llvm::Type *type = b.getIntNTy(argument.getType().getIntOrFloatBitWidth());
    llvm::Value *value = b.CreateLoad(
        type,
        b.CreateConstGEP1_64(b.getInt8Ty(), function->getArg(0),
                             info.arguments[argument.getArgNumber()].offset));
    holds = b.CreateAnd(holds,
                        b.CreateICmpEQ(value, llvm::ConstantInt::get(type, 1)));
  }
  for (auto [axis, most] : llvm::enumerate(condition.mostPrograms))
    if (most < UINT32_MAX)
      holds = b.CreateAnd(
          holds, b.CreateICmpULE(loadGridSize(b, function->getArg(1), axis),
                                 b.getInt32(most)));
  if (!condition.formula.empty())
    holds = b.CreateAnd(
        holds, b.CreateFCmpOGE(emitFormula(b, *function, condition.formula),
                               llvm::ConstantFP::get(b.getDoubleTy(), 0)));
  b.CreateCondBr(holds, isSpecial, isGeneral);
  llvm::SmallVector<llvm::Value *> operands;
  for (llvm::Argument &argument : function->args())
    operands.push_back(&argument);
  for (auto [block, form] :
       {std::pair(isSpecial, &special), std::pair(isGeneral, &general)}) {
    b.SetInsertPoint(block);
    llvm::CallInst *call = b.CreateCall(form, operands);
    call->setTailCall();
    b.CreateRet(call);
  }
  return function;
}

} // namespace nereid::cpu
