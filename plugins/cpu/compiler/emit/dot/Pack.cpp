// Pack.cpp - packs the operands of a dot in the order of their use.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements that stay together, neighbours along the depth, are a word. Operands
// stored along the depth are transposed in vector registers, in squares of as
// many words as a register holds.

#include "emit/CountedLoop.h"
#include "emit/Transpose.h"
#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class PackEmitter {
public:
  /// Packs to panels with `strides`, from rows `row` elements apart, an i64.
  PackEmitter(Emitter &emitter, const DotShape &shape,
              const DotStrides &strides, llvm::Value *from, llvm::Value *row,
              llvm::Value *to)
      : emitter(emitter), b(emitter.builder), from(from), to(to), row(row),
        batches(shape.batches), depth(shape.depth),
        together(shape.packing.together), batchPitch(strides.batch * together),
        pitch(strides.line * together),
        element(b.getIntNTy(8 * shape.factorBytes())),
        word(b.getIntNTy(8 * shape.factorBytes() * together)),
        align(shape.factorBytes()) {}

  /// From rows along the depth of `width` elements to panels of `columns`
  /// columns, whose rows are words.
  void interleaveRows(int64_t width, int64_t columns) {
    int64_t lanes = std::min<int64_t>(columns, lanesOf(element));
    emitLoop(b, batches, 1, [&](llvm::Value *batch) {
      llvm::Value *first = times(batch, depth * width);
      emitLoop(b, depth, together, [&](llvm::Value *k) {
        emitLoop(b, width, columns, [&](llvm::Value *panel) {
          for (int64_t lane = 0; lane < columns; lane += lanes) {
            llvm::Value *source = sum(first, b.CreateMul(k, row), panel, lane);
            llvm::Value *target =
                sum(times(batch, batchPitch), times(panel, pitch),
                    times(k, columns), lane * together);
            store(words(source, lanes), target);
          }
        });
      });
    });
  }

  /// The same from `width` rows of words along the depth.
  void turnRows(int64_t width, int64_t columns) {
    int64_t size = std::min({lanesOf(word), columns, depth / together});
    auto *vector = llvm::FixedVectorType::get(word, size);
    emitLoop(b, batches, 1, [&](llvm::Value *batch) {
      llvm::Value *begin = times(batch, depth * width);
      emitLoop(b, width, columns, [&](llvm::Value *panel) {
        emitLoop(b, columns, size, [&](llvm::Value *column) {
          emitLoop(b, depth, size * together, [&](llvm::Value *k) {
            SmallVector<llvm::Value *> block;
            for (int64_t i = 0; i < size; ++i) {
              llvm::Value *number =
                  b.CreateAdd(b.CreateAdd(panel, column), b.getInt64(i));
              block.push_back(
                  load(vector, sum(begin, b.CreateMul(number, row), k, 0)));
            }
            transposeBlock(b, block);
            llvm::Value *first =
                b.CreateAdd(times(panel, pitch), times(column, together));
            for (int64_t i = 0; i < size; ++i)
              store(block[i], sum(times(batch, batchPitch), first,
                                  times(k, columns), i * columns * together));
          });
        });
      });
    });
  }

  /// From rows along the depth of `width` elements to `width` rows of words.
  void turnColumns(int64_t width) {
    int64_t size = std::min({lanesOf(word), width, depth / together});
    emitLoop(b, batches, 1, [&](llvm::Value *batch) {
      batch = times(batch, depth * width);
      emitLoop(b, depth, size * together, [&](llvm::Value *k) {
        emitLoop(b, width, size, [&](llvm::Value *column) {
          SmallVector<llvm::Value *> block;
          for (int64_t i = 0; i < size; ++i) {
            llvm::Value *source =
                sum(batch,
                    b.CreateMul(b.CreateAdd(k, b.getInt64(i * together)), row),
                    column, 0);
            block.push_back(words(source, size));
          }
          transposeBlock(b, block);
          for (int64_t i = 0; i < size; ++i)
            store(block[i], sum(batch, times(column, depth), k, i * depth));
        });
      });
    });
  }

private:
  int64_t lanesOf(llvm::Type *type) const {
    return emitter.options.cpu.vectorBits / type->getScalarSizeInBits();
  }

  /// `lanes` words of the rows from `place`: lane by lane, an element of each.
  llvm::Value *words(llvm::Value *place, int64_t lanes) {
    auto *vector = llvm::FixedVectorType::get(element, lanes);
    SmallVector<llvm::Value *> rows;
    for (int64_t number = 0; number < together; ++number)
      rows.push_back(load(
          vector, b.CreateAdd(place, b.CreateMul(b.getInt64(number), row))));
    while (rows.size() > 1) {
      SmallVector<llvm::Value *> wider;
      for (size_t i = 0; i < rows.size(); i += 2)
        wider.push_back(interleave(rows[i], rows[i + 1]));
      rows = std::move(wider);
    }
    return rows.front();
  }

  /// Elements of twice the width: the lower half from `low`.
  llvm::Value *interleave(llvm::Value *low, llvm::Value *high) {
    auto *type = cast<llvm::FixedVectorType>(low->getType());
    int lanes = type->getNumElements();
    SmallVector<int> order;
    for (int lane = 0; lane < lanes; ++lane)
      order.append({lane, lanes + lane});
    llvm::Type *wide = b.getIntNTy(2 * type->getScalarSizeInBits());
    return b.CreateBitCast(b.CreateShuffleVector(low, high, order),
                           llvm::FixedVectorType::get(wide, lanes));
  }

  /// From scratch or the program's memory.
  llvm::Value *load(llvm::Type *type, llvm::Value *index) {
    return b.CreateAlignedLoad(type, b.CreateGEP(element, from, index), align);
  }
  void store(llvm::Value *value, llvm::Value *index) {
    emitter.inScratch(
        b.CreateAlignedStore(value, b.CreateGEP(element, to, index), align));
  }
  llvm::Value *times(llvm::Value *index, int64_t factor) {
    return b.CreateMul(index, b.getInt64(factor));
  }
  llvm::Value *sum(llvm::Value *x, llvm::Value *y, llvm::Value *z, int64_t n) {
    return b.CreateAdd(b.CreateAdd(b.CreateAdd(x, y), z), b.getInt64(n));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  llvm::Value *from, *to, *row;
  int64_t batches, depth, together;
  int64_t batchPitch, pitch;  // from batch to batch, from column to column
  llvm::Type *element, *word; // moved as bits
  llvm::Align align;
};
} // namespace

void emitPackLeft(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                  llvm::Value *row, llvm::Value *to) {
  PackEmitter pack(emitter, shape, shape.left, from, row, to);
  if (shape.kind == DotKind::Tiles)
    pack.turnColumns(shape.rows);
  else
    pack.interleaveRows(shape.rows, shape.rows);
}

void emitPackRight(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                   llvm::Value *row, llvm::Value *to) {
  const DotPacking &packing = shape.packing;
  PackEmitter pack(emitter, shape, shape.right, from, row, to);
  if (shape.isRightTransposed)
    pack.turnRows(shape.columns, packing.columns);
  else
    pack.interleaveRows(shape.columns, packing.columns);
}

} // namespace nereid::cpu
