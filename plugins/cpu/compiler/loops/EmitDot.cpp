// EmitDot.cpp - tt.dot on operands that lie in buffers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands have been converted to the type of the sum (Prepare.h) and lie
// row-major in scratch. A block of rows times vectors stays in registers
// through all of k: for each k, a few vectors of b, and one broadcast element
// of a for each row.

#include "Emit.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// c[m, n] += sum_k a[m, k] * b[k, n], batch by batch.
class DotEmitter {
public:
  DotEmitter(Emitter &emitter, tt::DotOp op) : emitter(emitter), b(emitter.builder) {
    auto type = cast<RankedTensorType>(op.getType());
    ArrayRef<int64_t> shape = type.getShape();
    sum = emitter.typeOf(op.getResult());
    batches = shape.size() == 3 ? shape[0] : 1;
    rows = shape[shape.size() - 2];
    columns = shape.back();
    depth = cast<RankedTensorType>(op.getA().getType()).getShape().back();
    lhs = emitter.keptPointer(op.getA());
    rhs = emitter.keptPointer(op.getB());
    result = emitter.keptPointer(op.getResult());
    chooseBlock();
  }

  void run() {
    loop(batches, 1, [&](llvm::Value *batch) {
      llvm::Value *a = at(lhs, b.CreateMul(batch, i64(rows * depth)));
      llvm::Value *y = at(rhs, b.CreateMul(batch, i64(depth * columns)));
      llvm::Value *c = at(result, b.CreateMul(batch, i64(rows * columns)));
      loop(columns, int64_t(lanes) * blockVectors, [&](llvm::Value *column) {
        loop(rows, blockRows, [&](llvm::Value *row) {
          llvm::Value *first =
              b.CreateAdd(b.CreateMul(row, i64(columns)), column);
          block(at(a, b.CreateMul(row, i64(depth))), at(y, column),
                at(c, first));
        });
      });
    });
  }

private:
  /// About 16 accumulators hide the latency of a multiply-add on every
  /// machine with 32 vector registers, and 8 on those with 16; powers of two
  /// divide every tile.
  void chooseBlock() {
    if (!emitter.options.fastPaths.has("dot-kernel"))
      return;
    bool hasMany = emitter.vectorBits >= 512 ||
                   emitter.options.machine->getTargetTriple().isAArch64();
    int64_t accumulators = hasMany ? 16 : 8;
    lanes = std::min<int64_t>(
        columns, emitter.vectorBits / sum->getScalarSizeInBits());
    blockVectors =
        std::min<int64_t>(columns / lanes, accumulators == 16 ? 4 : 2);
    blockRows = std::min<int64_t>(rows, accumulators / blockVectors);
    steps = depth % 4 == 0 ? 4 : 1;
  }

  /// One block: its sums are loaded, carried through k in registers, stored.
  void block(llvm::Value *a, llvm::Value *y, llvm::Value *c) {
    llvm::Type *vector = lanes > 1 ? llvm::FixedVectorType::get(sum, lanes) : sum;
    llvm::Align align(sum->getScalarSizeInBits() / 8);
    SmallVector<llvm::Value *> places, sums;
    for (int64_t row = 0; row < blockRows; ++row)
      for (int64_t v = 0; v < blockVectors; ++v) {
        places.push_back(at(c, i64(row * columns + v * lanes)));
        sums.push_back(emitter.inScratch(
            b.CreateAlignedLoad(vector, places.back(), align)));
      }
    carriedLoop(depth, steps, sums, [&](llvm::Value *k) {
      for (int64_t step = 0; step < steps; ++step) {
        llvm::Value *line = at(y, b.CreateMul(b.CreateAdd(k, i64(step)),
                                              i64(columns)));
        SmallVector<llvm::Value *> right;
        for (int64_t v = 0; v < blockVectors; ++v)
          right.push_back(emitter.inScratch(
              b.CreateAlignedLoad(vector, at(line, i64(v * lanes)), align)));
        for (int64_t row = 0; row < blockRows; ++row) {
          llvm::Value *place =
              at(at(a, k), i64(row * depth + step));
          llvm::Value *left =
              emitter.inScratch(b.CreateAlignedLoad(sum, place, align));
          if (lanes > 1)
            left = b.CreateVectorSplat(lanes, left);
          for (int64_t v = 0; v < blockVectors; ++v) {
            llvm::Value *&total = sums[row * blockVectors + v];
            total = multiplyAdd(left, right[v], total);
          }
        }
      }
    });
    for (auto [place, value] : llvm::zip(places, sums))
      emitter.inScratch(b.CreateAlignedStore(value, place, align));
  }

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    if (x->getType()->isFPOrFPVectorTy())
      return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    return b.CreateAdd(b.CreateMul(x, y), z);
  }

  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *at(llvm::Value *base, llvm::Value *offset) {
    return b.CreateGEP(sum, base, offset);
  }

  void loop(int64_t extent, int64_t step,
            llvm::function_ref<void(llvm::Value *)> body) {
    SmallVector<llvm::Value *> none;
    carriedLoop(extent, step, none, body);
  }

  /// Runs `body` for 0, step, ... below `extent`; it updates `values`, which
  /// stay in registers from one round to the next.
  void carriedLoop(int64_t extent, int64_t step,
                   SmallVectorImpl<llvm::Value *> &values,
                   llvm::function_ref<void(llvm::Value *)> body) {
    if (extent == step)
      return body(i64(0));
    llvm::BasicBlock *entry = b.GetInsertBlock();
    auto *start = llvm::BasicBlock::Create(emitter.context(), "dot",
                                           emitter.function);
    auto *exit = llvm::BasicBlock::Create(emitter.context(), "dot.end",
                                          emitter.function);
    b.CreateBr(start);
    b.SetInsertPoint(start);
    llvm::PHINode *index = b.CreatePHI(b.getInt64Ty(), 2);
    index->addIncoming(i64(0), entry);
    SmallVector<llvm::PHINode *> phis;
    for (llvm::Value *&value : values) {
      phis.push_back(b.CreatePHI(value->getType(), 2));
      phis.back()->addIncoming(value, entry);
      value = phis.back();
    }
    body(index);
    llvm::Value *next = b.CreateAdd(index, i64(step), "", true, true);
    llvm::BasicBlock *latch = b.GetInsertBlock();
    index->addIncoming(next, latch);
    for (auto [phi, value] : llvm::zip(phis, values))
      phi->addIncoming(value, latch);
    b.CreateCondBr(b.CreateICmpULT(next, i64(extent)), start, exit);
    b.SetInsertPoint(exit);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  llvm::Type *sum;
  llvm::Value *lhs, *rhs, *result;
  int64_t batches, rows, columns, depth;
  int64_t lanes = 1, blockRows = 1, blockVectors = 1, steps = 1;
};
} // namespace

void emitDot(Emitter &emitter, tt::DotOp dot) {
  DotEmitter(emitter, dot).run();
}

} // namespace nereid::cpu
