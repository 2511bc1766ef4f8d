// FewRows.cpp - calls of functions that multiply with a right operand in place.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

llvm::Value *rowsOf(Emitter &emitter, const InPlaceOperand &operand) {
  if (!operand.rows)
    return nullptr;
  llvm::Value *rows = emitter.scalar(operand.rows);
  return operand.firstRow
             ? emitter.builder.CreateSub(rows, emitter.scalar(operand.firstRow))
             : rows;
}

/// Makes `operands` begin with the first row that is needed. Returns that many
/// rows of sums, an i64, and sets `sums` to the first.
static llvm::Value *placeRows(Emitter &emitter, tt::DotOp op,
                              const DotShape &shape, ProductOperands &operands,
                              llvm::Value *&sums) {
  llvm::IRBuilder<> &b = emitter.builder;
  const InPlaceOperand &right = *emitter.program.deferredDotsOf(op)->inPlace[1];
  sums = emitter.bufferPointer(op.getResult());
  if (right.firstRow) {
    llvm::Value *first = emitter.scalar(right.firstRow);
    auto skip = [&](llvm::Value *base, llvm::Value *row) {
      return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(first, row));
    };
    sums = skip(sums, emitter.i64(shape.sumRowBytes()));
    operands.left =
        skip(operands.left,
             operands.row ? operands.row
                          : emitter.i64(shape.left.line * shape.wordBytes()));
  }
  llvm::Value *rows = rowsOf(emitter, right);
  return rows ? rows : emitter.i64(shape.rows);
}

/// Sets `rows` rows of the sums of `op`, at least one, to zero: those from
/// `sums` on.
static void clearSums(Emitter &emitter, tt::DotOp op, llvm::Value *sums,
                      llvm::Value *rows) {
  llvm::IRBuilder<> &b = emitter.builder;
  int64_t columns = op.getType().getShape().back();
  llvm::Type *type =
      convertElementType(op.getType().getElementType(), emitter.context());
  int64_t lanes = std::min<int64_t>(columns, emitter.options.cpu.vectorBits /
                                                 type->getScalarSizeInBits());
  auto *zeros =
      llvm::Constant::getNullValue(llvm::FixedVectorType::get(type, lanes));
  rows = emitter.larger(rows, emitter.i64(1));
  emitLoop(b, b.CreateMul(rows, emitter.i64(columns)), lanes, {},
           [&](llvm::Value *index) {
             emitter.inScratch(b.CreateAlignedStore(
                 zeros, b.CreateGEP(type, sums, index),
                 llvm::Align(lanes * type->getScalarSizeInBits() / 8)));
           });
}

SmallVector<llvm::Type *> fewRowsTypes(Emitter &emitter) {
  llvm::Type *pointer = emitter.builder.getPtrTy();
  llvm::Type *i64 = emitter.builder.getInt64Ty();
  return {pointer, pointer, pointer, i64, i64, i64, i64};
}

int64_t jointSumBytes(Emitter &emitter) {
  return emitter.program.joint->sums->groupStride();
}

SmallVector<llvm::Value *> fewRowsArguments(Emitter &emitter, tt::DotOp op,
                                            ProductOperands operands) {
  DotShape shape = shapeOf(emitter, op);
  llvm::Value *sums;
  llvm::Value *rows = placeRows(emitter, op, shape, operands, sums);
  if (operands.isFirst)
    emitIf(emitter, operands.isFirst,
           [&] { clearSums(emitter, op, sums, rows); });
  return {operands.left,
          operands.lines,
          sums,
          operands.iterations,
          rows,
          operands.line,
          operands.row ? operands.row : emitter.i64(0)};
}

void emitFewRowsCall(Emitter &emitter, tt::DotOp op,
                     ArrayRef<llvm::Value *> arguments, llvm::Value *programs) {
  llvm::IRBuilder<> &b = emitter.builder;
  DotShape shape = shapeOf(emitter, op);
  const DeferredDots &deferred = *emitter.program.deferredDotsOf(op);
  const InPlaceOperand &right = *deferred.inPlace[1];
  tt::LoadOp load = right.load;
  bool isJoint =
      emitter.program.joint && emitter.program.joint->loop == op->getParentOp();
  std::string name =
      nameOfDot(right.isByColumns ? "dot.by.columns" : "dot.by.rows", shape);
  llvm::raw_string_ostream(name)
      << ".with." << getElementTypeOrSelf(load.getResult()) << ".up.to."
      << right.mostRows << (isJoint ? ".joint" : "");
  SmallVector<llvm::Type *> types = fewRowsTypes(emitter);
  SmallVector<llvm::Value *> operands(arguments);
  if (isJoint) {
    types.push_back(b.getInt64Ty());
    operands.push_back(programs ? programs : emitter.i64(1));
  }
  if (deferred.rowTiles) {
    types.push_back(b.getPtrTy());
    operands.push_back(emitter.buffers.lookup(deferred.rowTiles));
  }
  llvm::Function *function =
      functionOfDot(emitter, name, types, [&](llvm::Function *f) {
        DotArguments in{f->getArg(0), f->getArg(1), f->getArg(2), f->getArg(3),
                        f->getArg(4)};
        if (shape.isLeftInPlace)
          in.row = f->getArg(6);
        if (isJoint)
          in.programs = f->getArg(7);
        if (deferred.rowTiles)
          in.rowTiles = f->getArg(7);
        auto *emit = !right.isByColumns  ? emitDotByRows
                     : deferred.rowTiles ? emitDotByTileColumns
                                         : emitDotByColumns;
        emit(emitter, shape, in, f->getArg(5), right);
      });
  b.CreateCall(function, operands);
}

void emitFewRowsProduct(Emitter &emitter, tt::DotOp op,
                        const ProductOperands &operands) {
  emitFewRowsCall(emitter, op, fewRowsArguments(emitter, op, operands));
}

} // namespace nereid::cpu
