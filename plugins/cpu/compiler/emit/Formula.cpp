// Formula.cpp - a formula of a launch, computed by the entry.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/Formula.h"

#include "emit/Entry.h"

namespace nereid::cpu {

namespace {
class FormulaEmitter {
public:
  FormulaEmitter(llvm::IRBuilder<> &builder, llvm::Function &entry)
      : b(builder), entry(entry) {}

  llvm::Value *run(llvm::ArrayRef<nereid_work_step_t> steps) {
    llvm::SmallVector<llvm::Value *> values;
    for (const auto &[kind, x, y] : steps)
      values.push_back(kind < NEREID_WORK_ADD
                           ? leaf(kind, x, y)
                           : combine(kind, values[x], values[y]));
    return values.back();
  }

private:
  llvm::Value *leaf(int64_t kind, int64_t x, int64_t y);
  llvm::Value *combine(int64_t kind, llvm::Value *x, llvm::Value *y);
  /// x / y, rounded; 0 if y is.
  llvm::Value *quotient(llvm::Intrinsic::ID rounding, llvm::Value *x,
                        llvm::Value *y) {
    llvm::Value *rounded = b.CreateUnaryIntrinsic(rounding, b.CreateFDiv(x, y));
    llvm::Value *zero = llvm::ConstantFP::get(b.getDoubleTy(), 0);
    return b.CreateSelect(b.CreateFCmpOEQ(y, zero), zero, rounded);
  }

  llvm::IRBuilder<> &b;
  llvm::Function &entry;
};
} // namespace

llvm::Value *FormulaEmitter::leaf(int64_t kind, int64_t x, int64_t y) {
  llvm::Type *f64 = b.getDoubleTy();
  switch (kind) {
  case NEREID_WORK_ARGUMENT:
    return b.CreateSIToFP(
        b.CreateLoad(b.getIntNTy(8 * y),
                     b.CreateConstGEP1_64(b.getInt8Ty(), entry.getArg(0), x)),
        f64);
  case NEREID_WORK_GRID_SIZE:
    return b.CreateUIToFP(loadGridSize(b, entry.getArg(1), x), f64);
  default:
    return llvm::ConstantFP::get(f64, static_cast<double>(x));
  }
}

llvm::Value *FormulaEmitter::combine(int64_t kind, llvm::Value *x,
                                     llvm::Value *y) {
  switch (kind) {
  case NEREID_WORK_ADD:
    return b.CreateFAdd(x, y);
  case NEREID_WORK_SUBTRACT:
    return b.CreateFSub(x, y);
  case NEREID_WORK_MULTIPLY:
    return b.CreateFMul(x, y);
  case NEREID_WORK_DIVIDE:
    return quotient(llvm::Intrinsic::trunc, x, y);
  case NEREID_WORK_CEIL_DIVIDE:
    return quotient(llvm::Intrinsic::ceil, x, y);
  case NEREID_WORK_REMAINDER:
    return b.CreateFSub(
        x, b.CreateFMul(quotient(llvm::Intrinsic::trunc, x, y), y));
  case NEREID_WORK_MIN:
    return b.CreateSelect(b.CreateFCmpOLT(y, x), y, x);
  default:
    return b.CreateSelect(b.CreateFCmpOLT(x, y), y, x);
  }
}

llvm::Value *emitFormula(llvm::IRBuilder<> &builder, llvm::Function &entry,
                         llvm::ArrayRef<nereid_work_step_t> steps) {
  return FormulaEmitter(builder, entry).run(steps);
}

} // namespace nereid::cpu
