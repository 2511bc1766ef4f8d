// EmitDot.cpp - tt.dot on operands that lie in buffers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emit.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// c[m, n] += sum_k a[m, k] * b[k, n], batch by batch: for each row of c, in
/// vectors along n.
class DotEmitter {
public:
  DotEmitter(Emitter &emitter, tt::DotOp op, unsigned vectorBits)
      : emitter(emitter), b(emitter.builder), op(op) {
    auto type = cast<RankedTensorType>(op.getType());
    sum = emitter.typeOf(op.getResult());
    auto shape = type.getShape();
    auto left = cast<RankedTensorType>(op.getA().getType()).getShape();
    batches = shape.size() == 3 ? shape[0] : 1;
    rows = shape[shape.size() - 2];
    columns = shape.back();
    depth = left.back();
    lanes = std::min<int64_t>(
        columns, std::max(1u, vectorBits / sum->getScalarSizeInBits()));
  }

  void run() {
    llvm::Value *left = emitter.keptPointer(op.getA());
    llvm::Value *right = emitter.keptPointer(op.getB());
    llvm::Value *result = emitter.keptPointer(op.getResult());
    llvm::Type *leftType = emitter.memoryType(op.getA().getType());
    llvm::Type *rightType = emitter.memoryType(op.getB().getType());
    llvm::Type *vector = widened(sum);
    loop(batches * rows, 1, [&](llvm::Value *row) {
      llvm::Value *batch = b.CreateUDiv(row, b.getInt64(rows));
      llvm::Value *leftRow =
          b.CreateGEP(leftType, left, b.CreateMul(row, b.getInt64(depth)));
      llvm::Value *rightBatch = b.CreateGEP(
          rightType, right, b.CreateMul(batch, b.getInt64(depth * columns)));
      llvm::Value *resultRow =
          b.CreateGEP(sum, result, b.CreateMul(row, b.getInt64(columns)));
      loop(columns, lanes, [&](llvm::Value *column) {
        llvm::Align align(sum->getScalarSizeInBits() / 8);
        llvm::Value *place = b.CreateGEP(sum, resultRow, column);
        llvm::AllocaInst *slot = emitter.allocate(vector, "dot");
        b.CreateStore(
            emitter.inScratch(b.CreateAlignedLoad(vector, place, align)), slot);
        loop(depth, 1, [&](llvm::Value *k) {
          llvm::Value *x = emitter.inScratch(
              b.CreateLoad(leftType, b.CreateGEP(leftType, leftRow, k)));
          llvm::Value *at = b.CreateAdd(
              b.CreateMul(k, b.getInt64(columns)), column);
          llvm::Value *y = emitter.inScratch(b.CreateAlignedLoad(
              widened(rightType), b.CreateGEP(rightType, rightBatch, at),
              llvm::Align(rightType->getScalarSizeInBits() / 8)));
          x = convert(x, sum);
          if (lanes > 1)
            x = b.CreateVectorSplat(lanes, x);
          y = convert(y, vector);
          b.CreateStore(multiplyAdd(x, y, b.CreateLoad(vector, slot)), slot);
        });
        emitter.inScratch(
            b.CreateAlignedStore(b.CreateLoad(vector, slot), place, align));
      });
    });
  }

private:
  llvm::Type *widened(llvm::Type *type) {
    return lanes > 1 ? llvm::FixedVectorType::get(type, lanes) : type;
  }

  llvm::Value *convert(llvm::Value *value, llvm::Type *type) {
    return type->isFPOrFPVectorTy() ? b.CreateFPCast(value, type)
                                    : b.CreateSExtOrTrunc(value, type);
  }

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    if (x->getType()->isFPOrFPVectorTy())
      return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    return b.CreateAdd(b.CreateMul(x, y), z);
  }

  void loop(int64_t extent, int64_t step,
            llvm::function_ref<void(llvm::Value *)> body) {
    if (extent == step)
      return body(b.getInt64(0));
    llvm::BasicBlock *entry = b.GetInsertBlock();
    auto *start = llvm::BasicBlock::Create(emitter.context(), "dot",
                                           emitter.function);
    auto *exit = llvm::BasicBlock::Create(emitter.context(), "dot.end",
                                          emitter.function);
    b.CreateBr(start);
    b.SetInsertPoint(start);
    llvm::PHINode *index = b.CreatePHI(b.getInt64Ty(), 2);
    index->addIncoming(b.getInt64(0), entry);
    body(index);
    llvm::Value *next = b.CreateAdd(index, b.getInt64(step), "", true, true);
    index->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(extent)), start, exit);
    b.SetInsertPoint(exit);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  tt::DotOp op;
  llvm::Type *sum;
  int64_t batches, rows, columns, depth;
  unsigned lanes;
};
} // namespace

void emitDot(Emitter &emitter, tt::DotOp dot) {
  DotEmitter(emitter, dot, emitter.vectorBits).run();
}

} // namespace nereid::cpu
