// SideBySide.cpp - the loop over groups of programs that run together.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/SideBySide.h"

#include "../image.h"
#include "emit/Entry.h"
#include "llvmir/ElementOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// Emits scalars of the kernel that depend on its arguments and on one id
/// alone.
class LaunchScalars {
public:
  LaunchScalars(llvm::IRBuilder<> &builder, llvm::Function &entry,
                const KernelInfo &info)
      : b(builder), entry(entry), info(info) {}

  llvm::Value *get(Value value) {
    Attribute attribute;
    if (matchPattern(value, m_Constant(&attribute)))
      return codegen::emitConstant(attribute, b.getContext());
    if (auto argument = dyn_cast<BlockArgument>(value))
      return b.CreateLoad(
          b.getInt32Ty(),
          b.CreateConstGEP1_64(b.getInt8Ty(), entry.getArg(0),
                               info.arguments[argument.getArgNumber()].offset));
    Operation *op = value.getDefiningOp();
    if (isa<tt::GetProgramIdOp>(op))
      return id;
    llvm::SmallVector<llvm::Value *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    return cantFail(codegen::emitElementOp(b, op, operands, 1, {})).front();
  }

  llvm::Value *id = nullptr; // i32, of the program

private:
  template <typename T> static T cantFail(FailureOr<T> result) {
    assert(succeeded(result) && "integer operations on scalars");
    return *result;
  }

  llvm::IRBuilder<> &b;
  llvm::Function &entry;
  const KernelInfo &info;
};
} // namespace

llvm::Function *emitSideBySide(llvm::Function &together,
                               llvm::Function &general, const SideBySide &side,
                               const KernelInfo &info, llvm::StringRef name) {
  auto *function = llvm::Function::Create(together.getFunctionType(),
                                          llvm::Function::InternalLinkage, name,
                                          together.getParent());
  function->copyAttributesFrom(&together);
  llvm::LLVMContext &context = function->getContext();
  auto makeBlock = [&](const char *block) {
    return llvm::BasicBlock::Create(context, block, function);
  };
  auto *entry = makeBlock("entry"), *alone = makeBlock("alone"),
       *group = makeBlock("group"), *next = makeBlock("next"),
       *done = makeBlock("done");
  llvm::IRBuilder<> b(entry);
  llvm::Value *launch = function->getArg(1), *from = function->getArg(2);
  LaunchScalars scalars(b, *function, info);
  llvm::Value *ids = b.CreateAlloca(llvm::ArrayType::get(b.getInt32Ty(), 3));
  auto place = [&](llvm::Value *array, unsigned axis) {
    return b.CreateConstGEP1_64(b.getInt32Ty(), array, axis);
  };
  // The axes in the order in which ids vary, as the launch does.
  unsigned axes[] = {0, 1, 2};
  std::swap(axes[0], axes[side.axis]);
  llvm::Value *first[3], *grid[3];
  for (unsigned number = 0; number < 3; ++number) {
    first[number] = b.CreateLoad(b.getInt32Ty(), place(from, axes[number]));
    grid[number] = loadGridSize(b, launch, axes[number]);
  }
  // A quarter of a group takes less than its programs one after the other.
  llvm::Value *areLarge = b.getTrue();
  if (side.axis)
    areLarge = hasLaunchFlag(b, launch,
                             side.axis == 1 ? NEREID_CPU_LAUNCH_ALONG_Y
                                            : NEREID_CPU_LAUNCH_ALONG_Z);
  llvm::SmallVector<llvm::Value *> divisors;
  for (Operation *division : side.divisions) {
    divisors.push_back(scalars.get(division->getOperand(1)));
    areLarge = b.CreateAnd(
        areLarge,
        b.CreateICmpSGE(divisors.back(),
                        b.getInt32(std::max<int64_t>(1, side.most / 4))));
  }
  b.CreateCondBr(areLarge, group, alone);

  b.SetInsertPoint(alone);
  llvm::CallInst *all =
      b.CreateCall(&general, {function->getArg(0), launch, from,
                              function->getArg(3), function->getArg(4)});
  all->setTailCall();
  b.CreateRet(all);

  b.SetInsertPoint(group);
  llvm::PHINode *left = b.CreatePHI(b.getInt64Ty(), 2, "left");
  left->addIncoming(function->getArg(3), entry);
  llvm::PHINode *current[3];
  for (auto [id, start] : llvm::zip(current, first)) {
    id = b.CreatePHI(b.getInt32Ty(), 2);
    id->addIncoming(start, entry);
  }
  scalars.id = current[0];
  auto smaller = [&](llvm::Value *x, llvm::Value *y) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y);
  };
  llvm::Value *size =
      b.CreateTrunc(smaller(left, b.getInt64(side.most)), b.getInt32Ty());
  size = smaller(size, b.CreateSub(grid[0], current[0]));
  for (auto [division, divisor] : llvm::zip(side.divisions, divisors)) {
    // Of numbers that are not negative, by one that is positive.
    llvm::Value *rest =
        b.CreateURem(scalars.get(division->getOperand(0)), divisor);
    size = smaller(size, b.CreateSub(divisor, rest));
  }
  for (auto [id, axis] : llvm::zip(current, axes))
    b.CreateStore(id, place(ids, axis));
  llvm::Value *wide = b.CreateZExt(size, b.getInt64Ty());
  llvm::Value *status = b.CreateCall(
      &together, {function->getArg(0), launch, ids, wide, function->getArg(4)});
  llvm::Value *rest = b.CreateSub(left, wide);
  llvm::Value *isLast = b.CreateOr(b.CreateICmpNE(status, b.getInt32(0)),
                                   b.CreateICmpEQ(rest, b.getInt64(0)));
  b.CreateCondBr(isLast, done, next);

  b.SetInsertPoint(next);
  llvm::Value *by = size;
  for (auto [id, end] : llvm::zip(current, grid)) {
    llvm::Value *after = b.CreateAdd(id, by);
    llvm::Value *isEnd = b.CreateICmpEQ(after, end);
    id->addIncoming(b.CreateSelect(isEnd, b.getInt32(0), after), next);
    by = b.CreateZExt(isEnd, b.getInt32Ty());
  }
  left->addIncoming(rest, next);
  b.CreateBr(group);

  b.SetInsertPoint(done);
  b.CreateRet(status);
  return function;
}

} // namespace nereid::cpu
