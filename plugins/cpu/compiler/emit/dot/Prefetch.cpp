// Prefetch.cpp - prefetching the operands of later iterations in a dot.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kLongRun = 16; // lines
static constexpr int64_t kUnrolled = 4; // runs

static SmallVector<Prefetch, 2> prefetchesOf(const DeferredDots *deferred,
                                             tt::DotOp dot) {
  SmallVector<Prefetch, 2> list;
  if (deferred)
    llvm::copy_if(deferred->prefetches, std::back_inserter(list),
                  [&](const Prefetch &p) { return p.dot == dot; });
  return list;
}

static int64_t elementBytesOf(Emitter &emitter, const Prefetch &prefetch) {
  return emitter.memoryType(prefetch.tile.getType())->getScalarSizeInBits() / 8;
}

static PrefetchShape linesOf(Emitter &emitter, const Prefetch &prefetch,
                             int64_t iterations) {
  auto type = cast<RankedTensorType>(prefetch.tile.getType());
  int64_t width = type.getDimSize(1 - prefetch.rowDim);
  int64_t bytes = elementBytesOf(emitter, prefetch);
  // If the next iteration continues the rows, all iterations are one range.
  if (prefetch.use == Prefetch::Use::Result)
    iterations = 1;
  else if (prefetch.advance.constant() == width)
    width *= std::exchange(iterations, 1);
  return {iterations, type.getDimSize(prefetch.rowDim),
          int64_t(llvm::divideCeil(width * bytes, kCacheLine)),
          prefetch.use == Prefetch::Use::Result};
}

SmallVector<PrefetchShape, 2> prefetchShapes(Emitter &emitter, tt::DotOp dot) {
  const DeferredDots *deferred = emitter.program.deferredDotsOf(dot);
  SmallVector<PrefetchShape, 2> shapes;
  for (const Prefetch &prefetch : prefetchesOf(deferred, dot))
    shapes.push_back(linesOf(emitter, prefetch, deferred->iterations));
  return shapes;
}

SmallVector<llvm::Value *>
prefetchAddresses(Emitter &emitter, tt::DotOp dot,
                  const std::array<llvm::Value *, 3> &isUsed) {
  llvm::IRBuilder<> &b = emitter.builder;
  SmallVector<llvm::Value *> addresses;
  auto *none = llvm::ConstantPointerNull::get(b.getPtrTy());
  PolynomialScope polynomials(emitter);
  for (const Prefetch &prefetch :
       prefetchesOf(emitter.program.deferredDotsOf(dot), dot)) {
    llvm::Value *condition = isUsed[size_t(prefetch.use)];
    if (auto *known = dyn_cast<llvm::ConstantInt>(condition);
        known && known->isZero()) {
      addresses.append({none, emitter.i64(0), emitter.i64(0)});
      continue;
    }
    auto bytesOf = [&](const codegen::Polynomial &elements) {
      return emitter.polynomial(
          elements.scaled(elementBytesOf(emitter, prefetch)));
    };
    llvm::Value *first =
        b.CreateGEP(b.getInt8Ty(), emitter.scalar(prefetch.form.pointer),
                    bytesOf(prefetch.form.base));
    llvm::Value *row = bytesOf(prefetch.form.strides[prefetch.rowDim]);
    llvm::Value *iteration = bytesOf(prefetch.advance);
    addresses.append({b.CreateSelect(condition, first, none), row, iteration});
  }
  return addresses;
}

/// Prefetches `lines` cache lines, the `part`th such group after `place`.
static void prefetchLines(llvm::IRBuilder<> &b, llvm::Value *place,
                          llvm::Value *part, int64_t lines, bool isWritten) {
  auto plus = [&](llvm::Value *offset) {
    return b.CreateGEP(b.getInt8Ty(), place, offset);
  };
  place = plus(b.CreateMul(part, b.getInt64(lines * kCacheLine)));
  for (int64_t line = 0; line < lines; ++line)
    emitPrefetch(b, plus(b.getInt64(line * kCacheLine)),
                 prefetchToUse(isWritten));
}

void emitPrefetches(Emitter &emitter, const DotShape &shape,
                    const DotArguments &in, llvm::Value *number,
                    int64_t shares) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto i64 = [&](int64_t value) { return b.getInt64(value); };
  for (auto [i, prefetch] : llvm::enumerate(shape.prefetches)) {
    // Split rows into runs of lines: short ones, and enough of them that each
    // share has one.
    int64_t parts = 1, rows = prefetch.iterations * prefetch.rows;
    while ((2 * parts * rows <= shares || prefetch.lines / parts > kLongRun) &&
           prefetch.lines % (2 * parts) == 0)
      parts *= 2;
    llvm::Value *first = in.prefetches[3 * i];
    int64_t runs = rows * parts, count = llvm::divideCeil(runs, shares);
    auto ask = [&](llvm::Value *index) {
      llvm::Value *run = b.CreateAdd(b.CreateMul(number, i64(count)), index);
      if (count * shares > runs)
        run =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, run, i64(runs - 1));
      llvm::Value *row = b.CreateUDiv(run, i64(parts));
      llvm::Value *place = first;
      if (prefetch.iterations > 1) {
        llvm::Value *iteration = b.CreateUDiv(row, i64(prefetch.rows));
        row = b.CreateURem(row, i64(prefetch.rows));
        place = b.CreateGEP(b.getInt8Ty(), place,
                            b.CreateMul(iteration, in.prefetches[3 * i + 2]));
      }
      place = b.CreateGEP(b.getInt8Ty(), place,
                          b.CreateMul(row, in.prefetches[3 * i + 1]));
      llvm::Value *part = b.CreateURem(run, i64(parts));
      prefetchLines(b, place, part, prefetch.lines / parts, prefetch.isWritten);
    };
    emitIf(emitter, b.CreateIsNotNull(first), [&] {
      if (count > kUnrolled)
        emitLoop(b, count, 1, ask);
      else
        for (int64_t index = 0; index < count; ++index)
          ask(i64(index));
    });
  }
}

} // namespace nereid::cpu
