// Dot.h - the functions that multiply tiles.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands have been converted to a type the machine multiplies (DotTypes.h)
// and are stored in scratch (DotStrides). Each shape has one function that
// computes c += a * b, shared by all dots of that shape:
//
//   void (a, b, c, iterations, rows, [first row], [row], [is first],
//         [factors], [terms], [sums, sums row],
//         (first, row, iteration)...)
//
// A dot in a loop may be deferred (DeferredDots): then a and b are tiles of
// `iterations` iterations, whose products are added to c in this order. If a
// may be where it is in memory (InPlaceOperand), `row` is the distance between
// two of its rows in bytes. If the loop starts with zeros, `is first` tells
// that c has not been written. With `factors`, one for each row, it computes c
// = factors * c + a * b. An operand that tile registers do not multiply is
// split (Terms.h), the left one in the function, in `terms`. The last product
// may write its sums to memory instead of c (SumStore): to `sums`, with `sums
// row` bytes from one row to the next; `sums` is c otherwise or, if they are
// converted, null. If b is in place, another function multiplies
// (emitDotByRows(), emitDotByColumns()). A dot may also prefetch what later
// iterations read (Prefetch): rows starting at `first`, with strides in bytes
// between rows and between iterations.

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_DOT_H
#define NEREID_CPU_COMPILER_EMIT_DOT_DOT_H

#include "emit/Emitter.h"

namespace nereid::cpu {

/// Cache lines to prefetch: `lines` of each row of each iteration.
struct PrefetchShape {
  int64_t iterations, rows, lines;
  bool isWritten;
};

/// Where an operand is in scratch: the distance, in words, from one batch, one
/// step along the depth, and one iteration to the next; and from one row of the
/// left operand, or from one column of the right one where a panel begins, to
/// the next. A word is the elements of a step that stay together.
struct DotStrides {
  int64_t batch = 0, line = 0, step = 0;
  int64_t iteration = 0; // 0: one tile for all iterations
};

/// c[m, n] += sum_r sum_k a[r, m, k] * b[r, k, n], batch by batch.
struct DotShape {
  DotKind kind = DotKind::Elements;
  WordProduct product = WordProduct::None; // of DotKind::Words
  mlir::Type factor, sum;
  int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  DotBlock block;     // of DotKind::Elements and Words
  DotPacking packing; // of the right operand, where it is packed
  bool isLeftTransposed = false, isRightTransposed = false; // if not packed
  int64_t terms = 1; // that operands are split into (DotPlan)
  DotStrides left, right;
  int64_t iterations = 1;      // at most
  bool hasRowLimit = false;    // an argument: leading rows that are needed
  bool hasFirstRow = false;    // an argument: the first that is needed
  bool startsAtZero = false;   // c is not read
  bool mayStartAtZero = false; // an argument: is c not read?
  bool isLeftInPlace = false;  // perhaps; the distance of rows is an argument
  bool hasFactors = false;     // an argument: what scales each row of c
  const SumStore *store = nullptr; // arguments: where the sums are written
  llvm::SmallVector<PrefetchShape, 2> prefetches;

  int64_t factorBytes() const { return factor.getIntOrFloatBitWidth() / 8; }
  int64_t wordBytes() const { return packing.together * factorBytes(); }
  /// From one row of the sums in their buffer to the next.
  int64_t sumRowBytes() const {
    return columns * sum.getIntOrFloatBitWidth() / 8;
  }
  /// Are the steps of all iterations at one distance?
  bool isLeftJoined() const {
    return left.iteration * packing.together == depth * left.step;
  }
  bool repeats() const { return left.iteration || right.iteration; }
};

/// Arguments of the function that is being written.
struct DotArguments {
  llvm::Value *left, *right, *sums;
  llvm::Value *iterations;                       // i64
  llvm::Value *rows;                             // i64, with hasRowLimit
  llvm::Value *firstRow = nullptr;               // i64, with hasFirstRow
  llvm::Value *row = nullptr;                    // i64, with isLeftInPlace
  llvm::Value *isFirst = nullptr;                // i1, with mayStartAtZero
  llvm::Value *factors = nullptr;                // with hasFactors: to f32
  llvm::Value *terms = nullptr;                  // DotPlan::leftTerms
  llvm::Value *programs = nullptr;               // i64, of emitFewRowsCall()
  llvm::Value *rowTiles = nullptr;               // DeferredDots::rowTiles
  llvm::Value *written = nullptr;                // with `store`: a pointer
  llvm::Value *writtenRow = nullptr;             // and an i64, in bytes
  llvm::ArrayRef<llvm::Value *> prefetches = {}; // first, row, iteration
};

/// `row`, of a left operand in place, or the last that is needed: there may be
/// no memory after that.
llvm::Value *rowThatIsRead(llvm::IRBuilder<> &b, const DotShape &shape,
                           const DotArguments &in, llvm::Value *row);

/// The address `rows` rows of the left operand after `base`, the first.
llvm::Value *leftRowAt(llvm::IRBuilder<> &b, const DotShape &shape,
                       const DotArguments &in, llvm::Value *base,
                       llvm::Value *rows);

/// A pointer to an i32 for each row: by what the products of a WordProduct with
/// unsigned right words are too large.
llvm::Value *makeRowOffsets(Emitter &emitter, const DotShape &shape);
/// Writes 128 times the sum of each of `rows` rows of the left operand, from
/// `first` on, to `offsets`; row 0 is at `left`.
void emitRowOffsets(Emitter &emitter, const DotShape &shape,
                    const DotArguments &in, llvm::Value *left,
                    llvm::Value *first, int64_t rows, llvm::Value *offsets);

/// Emits part `number` of `shares` of the prefetches in `shape.prefetches`.
/// They are spread over the multiplication, which hides the memory latency.
/// What has no address is left out.
void emitPrefetches(Emitter &emitter, const DotShape &shape,
                    const DotArguments &in, llvm::Value *number,
                    int64_t shares);

/// What `dot` prefetches.
llvm::SmallVector<PrefetchShape, 2> prefetchShapes(Emitter &emitter,
                                                   tt::DotOp dot);

/// Addresses and strides of it. An address is null unless the i1 in `isUsed`
/// for its Prefetch::Use is true.
llvm::SmallVector<llvm::Value *>
prefetchAddresses(Emitter &emitter, tt::DotOp dot,
                  const std::array<llvm::Value *, 3> &isUsed);

/// Does `deferred`, which may be null, fill `buffer`, which may be null?
bool isDeferred(const DeferredDots *deferred, const Buffer *buffer);

DotShape shapeOf(Emitter &emitter, tt::DotOp op);

/// What a call multiplies: pointers to the first of `iterations` tiles of both
/// operands, and distances of one that may be in place (DotArguments).
struct ProductOperands {
  llvm::Value *left, *right;
  llvm::Value *iterations;
  llvm::Value *row = nullptr;
  llvm::Value *isFirst = nullptr; // i1: the sums are zeros not written yet
  /// With DotShape::store: where the sums are written, and the distance of
  /// rows in bytes; null: to their buffer.
  llvm::Value *written = nullptr, *writtenRow = nullptr;
  /// Of a right operand that may be in place: is it, an i1; its first row or
  /// column, and the distance to the next in bytes.
  llvm::Value *isInPlace = nullptr, *lines = nullptr, *line = nullptr;
};

/// The pointer that a function with DotShape::store takes where it does not
/// store.
llvm::Value *sumsUnlessStored(Emitter &emitter, const DotShape &shape,
                              tt::DotOp op);

/// How many rows of sums are needed of a dot whose right operand is in place,
/// an i64; null: all.
llvm::Value *rowsOf(Emitter &emitter, const InPlaceOperand &operand);

/// A name such as "dot.f32.16x64x32", readable in a profile, with what else the
/// function depends on.
std::string nameOfDot(llvm::StringRef what, const DotShape &shape);

/// Finds the function `name`, or creates it with a body emitted by `write`.
llvm::Function *functionOfDot(Emitter &emitter, const std::string &name,
                              llvm::ArrayRef<llvm::Type *> arguments,
                              llvm::function_ref<void(llvm::Function *)> write);

/// Arguments of the function that multiplies with a right operand in place.
/// Emits the loop that clears the sums, if they are not written yet.
llvm::SmallVector<llvm::Value *>
fewRowsArguments(Emitter &emitter, tt::DotOp op, ProductOperands operands);
/// Their types, and the numbers of two of them.
llvm::SmallVector<llvm::Type *> fewRowsTypes(Emitter &emitter);
inline constexpr size_t kFewRowsRight = 1, kFewRowsSums = 2;

/// Emits a call of that function. In TileProgram::joint it multiplies for so
/// many `programs`, an i64; null: for one. Their right operands are next to
/// each other, and their sums at a distance of jointSumBytes().
void emitFewRowsCall(Emitter &emitter, tt::DotOp op,
                     llvm::ArrayRef<llvm::Value *> arguments,
                     llvm::Value *programs = nullptr);
int64_t jointSumBytes(Emitter &emitter);

/// Emits that call for one program.
void emitFewRowsProduct(Emitter &emitter, tt::DotOp op,
                        const ProductOperands &operands);

/// Loads `count` elements of `type`, which is `wide` or narrower, as `wide`.
llvm::Value *loadAs(llvm::IRBuilder<> &b, llvm::Type *wide, llvm::Value *place,
                    llvm::Type *type, int64_t count);

/// Emits a call that converts the left operand of `operands` from memory, where
/// its rows are `row` bytes apart from `first` on, to its buffer.
void emitWiden(Emitter &emitter, tt::DotOp op, const InPlaceOperand &left,
               llvm::Value *first, llvm::Value *row,
               const ProductOperands &operands);

/// Emits a call that adds the product to the sums of `op`.
void emitProduct(Emitter &emitter, tt::DotOp op,
                 const ProductOperands &operands,
                 llvm::ArrayRef<llvm::Value *> prefetches = {});

/// Pointer to the first tile of an operand; for a deferred dot, the tile of the
/// first deferred iteration.
llvm::Value *firstTile(Emitter &emitter, const DeferredDots *deferred,
                       const DotOperand &operand);

/// DotKind::Elements and Words: blocks of sums in vector registers.
void emitVectorDot(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in);

/// Emits sums plus the products of two words in each lane.
llvm::Value *emitWordProduct(llvm::IRBuilder<> &b, WordProduct product,
                             llvm::Value *left, llvm::Value *right,
                             llvm::Value *sums);

/// A right operand that is in place: `in.right` is its first row, or its first
/// column, `line` the distance to the next in bytes.
void emitDotByRows(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in, llvm::Value *line,
                   const InPlaceOperand &right);
void emitDotByColumns(Emitter &emitter, const DotShape &shape,
                      const DotArguments &in, llvm::Value *line,
                      const InPlaceOperand &right);
/// The same in tile registers, with DotArguments::rowTiles, for some rows.
void emitDotByTileColumns(Emitter &emitter, const DotShape &shape,
                          const DotArguments &in, llvm::Value *line,
                          const InPlaceOperand &right);

/// DotKind::Tiles: blocks of sums in the tile registers of AMX.
void emitTileDot(Emitter &emitter, const DotShape &shape,
                 const DotArguments &in);

/// Packs the left operand, which is transposed: row-major for tile registers,
/// words of a column next to each other for DotKind::Words. Rows of what is
/// packed are `row` elements apart, an i64.
void emitPackLeft(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                  llvm::Value *row, llvm::Value *to);

/// Packs the right operand into the layout `shape.packing`.
void emitPackRight(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                   llvm::Value *row, llvm::Value *to);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_DOT_H
