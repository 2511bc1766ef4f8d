// EmitDot.cpp - tt.dot on operands that lie in buffers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands have been converted to a type the machine multiplies (Prepare.h) and
// lie row-major in scratch. A block of rows times vectors stays in registers
// through all of k: for each k, a few vectors of b, and one broadcast element
// of a for each row.
//
// Two bf16 that are neighbours along k count as one element of 32 bits: an
// instruction multiplies both and adds both products. They are neighbours in
// memory in a row of a; rows of b are interleaved first.

#include "Emit.h"

#include "llvm/IR/IntrinsicsX86.h"

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
    factor = sum;
    if (const Buffer *buffer = emitter.program.paired.lookup(op)) {
      paired = emitter.buffers.lookup(buffer);
      factor = b.getInt32Ty();
      depth /= 2;
    }
    chooseBlock();
  }

  void run() {
    if (paired) {
      interleaveRows();
      rhs = paired;
    }
    loop(batches, 1, [&](llvm::Value *batch) {
      llvm::Value *a = at(lhs, b.CreateMul(batch, i64(rows * depth)));
      llvm::Value *y = at(rhs, b.CreateMul(batch, i64(depth * columns)));
      llvm::Value *c =
          sumAt(result, b.CreateMul(batch, i64(rows * columns)));
      loop(columns, int64_t(lanes) * blockVectors, [&](llvm::Value *column) {
        loop(rows, blockRows, [&](llvm::Value *row) {
          llvm::Value *first =
              b.CreateAdd(b.CreateMul(row, i64(columns)), column);
          block(at(a, b.CreateMul(row, i64(depth))), at(y, column),
                sumAt(c, first));
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

  /// Writes each two rows of the right operand as one row of pairs.
  void interleaveRows() {
    llvm::Type *half = b.getInt16Ty();
    int64_t width = std::min<int64_t>(columns, emitter.vectorBits / 16);
    auto *vector = llvm::FixedVectorType::get(half, width);
    SmallVector<int> order;
    for (int64_t i = 0; i < width; ++i)
      order.append({int(i), int(width + i)});
    loop(batches * depth, 1, [&](llvm::Value *pair) {
      llvm::Value *first = b.CreateMul(pair, i64(2 * columns));
      loop(columns, width, [&](llvm::Value *column) {
        auto row = [&](int64_t number) {
          llvm::Value *offset =
              b.CreateAdd(b.CreateAdd(first, i64(number * columns)), column);
          return emitter.inScratch(b.CreateAlignedLoad(
              vector, b.CreateGEP(half, rhs, offset), llvm::Align(2)));
        };
        llvm::Value *both = b.CreateShuffleVector(row(0), row(1), order);
        llvm::Value *offset =
            b.CreateAdd(first, b.CreateMul(column, i64(2)));
        emitter.inScratch(b.CreateAlignedStore(
            both, b.CreateGEP(half, paired, offset), llvm::Align(4)));
      });
    });
  }

  /// One block: its sums are loaded, carried through k in registers, stored.
  void block(llvm::Value *a, llvm::Value *y, llvm::Value *c) {
    llvm::Type *vector = vectorOf(sum), *factors = vectorOf(factor);
    llvm::Align align(sum->getScalarSizeInBits() / 8);
    llvm::Align factorAlign(factor->getScalarSizeInBits() / 8);
    SmallVector<llvm::Value *> places, sums;
    for (int64_t row = 0; row < blockRows; ++row)
      for (int64_t v = 0; v < blockVectors; ++v) {
        places.push_back(sumAt(c, i64(row * columns + v * lanes)));
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
              b.CreateAlignedLoad(factors, at(line, i64(v * lanes)),
                                  factorAlign)));
        for (int64_t row = 0; row < blockRows; ++row) {
          llvm::Value *place =
              at(at(a, k), i64(row * depth + step));
          llvm::Value *left =
              emitter.inScratch(b.CreateAlignedLoad(factor, place, factorAlign));
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
    if (paired)
      return addPairs(x, y, z);
    if (x->getType()->isFPOrFPVectorTy())
      return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    return b.CreateAdd(b.CreateMul(x, y), z);
  }

  llvm::Value *addPairs(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    auto *pairs = llvm::FixedVectorType::get(b.getBFloatTy(), 2 * lanes);
    auto id = lanes == 16  ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512
              : lanes == 8 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256
                           : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128;
    return b.CreateIntrinsic(
        id, {}, {z, b.CreateBitCast(x, pairs), b.CreateBitCast(y, pairs)});
  }

  llvm::Type *vectorOf(llvm::Type *type) {
    return lanes > 1 ? llvm::FixedVectorType::get(type, lanes) : type;
  }
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *at(llvm::Value *base, llvm::Value *offset) {
    return b.CreateGEP(factor, base, offset);
  }
  llvm::Value *sumAt(llvm::Value *base, llvm::Value *offset) {
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
  llvm::Type *factor; // of one step along the depth: an element, or a pair
  llvm::Value *lhs, *rhs, *result;
  llvm::Value *paired = nullptr; // rows of pairs of the right operand
  int64_t batches, rows, columns, depth;
  int64_t lanes = 1, blockRows = 1, blockVectors = 1, steps = 1;
};
} // namespace

void emitDot(Emitter &emitter, tt::DotOp dot) {
  DotEmitter(emitter, dot).run();
}

} // namespace nereid::cpu
