// Widen.cpp - left operands in memory that are converted before they are
// multiplied.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A dot reads each element of its left operand once for each panel of the right
// one, so that narrow floats are converted once, in scratch. Rows of several
// iterations are one there, as in memory: a nest for each iteration would spend
// most of its time between rows.

#include "emit/CountedLoop.h"
#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

llvm::Value *loadAs(llvm::IRBuilder<> &b, llvm::Type *wide, llvm::Value *place,
                    llvm::Type *type, int64_t count) {
  auto several = [&](llvm::Type *one) -> llvm::Type * {
    return count > 1 ? llvm::FixedVectorType::get(one, count) : one;
  };
  llvm::Align align(type->getScalarSizeInBits() / 8);
  if (!type->isBFloatTy()) {
    llvm::Value *value = b.CreateAlignedLoad(several(type), place, align);
    if (type == wide)
      return value;
    return type->isIntegerTy() ? b.CreateSExt(value, several(wide))
                               : b.CreateFPExt(value, several(wide));
  }
  llvm::Value *bits =
      b.CreateAlignedLoad(several(b.getInt16Ty()), place, align);
  bits = b.CreateShl(b.CreateZExt(bits, several(b.getInt32Ty())), 16);
  return b.CreateBitCast(bits, several(wide));
}

/// Writes the body of the function: its arguments are the first element and the
/// distance of rows in bytes, where to, how many iterations, and the first row
/// and the end of those that are needed.
static void writeWiden(Emitter &emitter, const DotShape &shape,
                       llvm::Type *narrow, llvm::Function *function) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Value *from = function->getArg(0), *row = function->getArg(1),
              *to = function->getArg(2), *first = function->getArg(4);
  llvm::Type *wide = convertElementType(shape.factor, emitter.context());
  int64_t lanes =
      std::min<int64_t>(shape.depth, emitter.options.cpu.vectorBits /
                                         wide->getScalarSizeInBits());
  constexpr int64_t kUnrolled = 4;
  int64_t step = std::min(shape.depth, kUnrolled * lanes);
  llvm::Value *columns =
      b.CreateMul(function->getArg(3), emitter.i64(shape.depth));
  llvm::Value *rows = b.CreateSub(function->getArg(5), first);
  emitIf(emitter, b.CreateICmpSGT(rows, emitter.i64(0)), [&] {
    emitLoop(b, rows, 1, {}, [&](llvm::Value *index) {
      index = b.CreateAdd(first, index);
      llvm::Value *source =
          b.CreateGEP(b.getInt8Ty(), from, b.CreateMul(index, row));
      llvm::Value *target = b.CreateGEP(
          wide, to, b.CreateMul(index, emitter.i64(shape.left.line)));
      emitLoop(b, columns, step, {}, [&](llvm::Value *column) {
        for (int64_t lane = 0; lane < step; lane += lanes) {
          llvm::Value *place = b.CreateAdd(column, emitter.i64(lane));
          llvm::Value *value = loadAs(
              b, wide, b.CreateGEP(narrow, source, place), narrow, lanes);
          emitter.inScratch(b.CreateAlignedStore(
              value, b.CreateGEP(wide, target, place),
              llvm::Align(wide->getScalarSizeInBits() / 8)));
        }
      });
    });
  });
}

void emitWiden(Emitter &emitter, tt::DotOp op, const InPlaceOperand &left,
               llvm::Value *first, llvm::Value *row,
               const ProductOperands &operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  DotShape shape = shapeOf(emitter, op);
  tt::LoadOp load = left.load;
  Type narrow = getElementTypeOrSelf(load.getResult());
  std::string name = nameOfDot("widen.left", shape);
  llvm::raw_string_ostream(name) << ".from." << narrow;
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  llvm::Function *function =
      functionOfDot(emitter, name, {pointer, i64, pointer, i64, i64, i64},
                    [&](llvm::Function *f) {
                      writeWiden(emitter, shape, emitter.memoryType(narrow), f);
                    });
  const DotPlan &plan = emitter.program.dots.at(op);
  b.CreateCall(
      function,
      {first, row, operands.left, operands.iterations,
       plan.firstRow ? emitter.scalar(plan.firstRow) : emitter.i64(0),
       plan.rows ? emitter.scalar(plan.rows) : emitter.i64(shape.rows)});
}

} // namespace nereid::cpu
