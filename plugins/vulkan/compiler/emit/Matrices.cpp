// Matrices.cpp - products in cooperative matrices, and tiles in matrices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Control flow is uniform and subgroups are full, as instructions on matrices
// require. Addresses in shared memory are a part for the subgroup, which is
// computed once, plus a literal.

#include "../Matrices.h"
#include "Emitter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;
using codegen::gpu::MatrixSource;
using spirv::MatrixLayout;
using spirv::MatrixUse;

static constexpr spirv::MemoryAccess kShared = {.isNonPrivate = true};

// Registers to and from rows.

Id Emitter::sharedUnit(Id index, unsigned bytes) {
  if (bytes == 4)
    return sharedPointer(index);
  TypeId vector = b.vectorType(b.intType(32), 4);
  return b.accessChain(sharedView(vector), {b.u32(0), index});
}

static uint32_t runLength(const Layout &layout, const StagedRows &rows) {
  return runLength(layout, rows.minor, rows.bytes, rows.window);
}

SmallVector<Emitter::Run>
Emitter::runsOf(const Layout &layout, const StagedRows &rows, uint32_t length) {
  const Window &window = rows.window;
  unsigned unit = length * rows.bytes == 16 && hasVectors() ? 16 : 4;
  Indices indices[] = {indicesOf(layout, 0), indicesOf(layout, 1)};
  auto compact = [&](Id coordinate) {
    uint32_t below = (1u << window.low) - 1;
    return b.bitOr(
        b.bitAnd(coordinate, b.u32(below)),
        b.bitAnd(b.lshr(coordinate, b.u32(window.count)), b.u32(~below)));
  };
  // The offset in units of coordinate `of` along `dim`.
  auto scaled = [&](Id of, unsigned dim) {
    if (window.count && dim == window.dim)
      of = compact(of);
    uint32_t step = rows.step(dim);
    if (step == 0) // the other dimension of a vector
      return b.u32(0);
    return step >= unit ? b.imul(of, b.u32(step / unit))
                        : b.lshr(of, b.u32(llvm::Log2_32(unit / step)));
  };
  Id buffer = rows.buffer ? b.imul(rows.buffer, b.u32(rows.bufferBytes / unit))
                          : b.u32(0);
  Id threads[] = {scaled(indices[0].thread, 0), scaled(indices[1].thread, 1)};
  std::map<uint32_t, Id> inside; // by the register's bits of the window
  auto isInside = [&](uint32_t index) {
    const Indices &along = indices[window.dim];
    uint32_t own = along.registers[index];
    if (!(along.threadBits & window.mask()))
      return b.boolean(window.contains(own));
    Id &known = inside[own & window.mask()];
    if (!known)
      known = b.ieq(b.bitAnd(indexAt(along, index), b.u32(window.mask())),
                    b.u32(window.index << window.low));
    return known;
  };
  SmallVector<Run> runs;
  for (uint32_t i = 0; i < layout.registerCount(); i += length) {
    Id mine = isInside(i);
    if (b.constantBits(mine) == 0)
      continue;
    Id base = buffer;
    uint32_t literal = rows.start;
    for (unsigned dim : {0, 1}) {
      uint32_t own = indices[dim].registers[i];
      if (indices[dim].threadBits & own) {
        base = b.iadd(base, scaled(indexAt(indices[dim], i), dim));
        continue;
      }
      base = b.iadd(base, threads[dim]);
      if (window.count && dim == window.dim)
        own = window.compact(own);
      literal += own * rows.step(dim);
    }
    runs.push_back({i, b.iadd(base, b.u32(literal / unit)), mine});
  }
  return runs;
}

void Emitter::storeRows(ArrayRef<Id> registers, Type type, const Layout &layout,
                        const StagedRows &rows) {
  uint32_t length = runLength(layout, rows);
  SmallVector<Run> runs = runsOf(layout, rows, length);
  uint32_t copies = layout.copies().registerMask;
  llvm::erase_if(runs, [&](const Run &run) { return run.first & copies; });
  Id owner = isOwner(layout);
  // Runs under the same condition share a branch.
  for (size_t i = 0; i < runs.size();) {
    size_t first = i;
    while (i < runs.size() && runs[i].isInside == runs[first].isInside)
      ++i;
    emitWhere(both(owner, runs[first].isInside), {}, [&] {
      for (const Run &run : ArrayRef(runs).slice(first, i - first)) {
        Ids words = packWords(registers.slice(run.first, length), type);
        if (words.size() == 4 && hasVectors())
          storeSharedVector(run.unit, words);
        else
          storeShared(run.unit, words, 1);
      }
      return Ids();
    });
  }
}

Ids Emitter::loadStaged(const Run &run, uint32_t length, Type type,
                        const StagedRows &rows, const Indices &along) {
  uint32_t bytes = length * rows.bytes;
  if (bytes == 16 && hasVectors()) {
    Id vector = loadSharedVector(run.unit);
    Ids words;
    for (unsigned i = 0; i < 4; ++i)
      words.push_back(b.extract(vector, {i}));
    return unpackWords(words, type);
  }
  if (bytes >= 4)
    return unpackWords(loadShared(run.unit, bytes / 4, 1), type);
  // A part of a word is shifted out of it.
  Id place = b.bitAnd(indexAt(along, run.first), b.u32(4 / rows.bytes - 1));
  Id word = b.lshr(loadShared(run.unit, 1, 1)[0],
                   b.imul(place, b.u32(rows.bytes * 8)));
  return {fromWords(word, type)};
}

void Emitter::loadRows(MutableArrayRef<Id> registers, Type type,
                       const Layout &layout, const StagedRows &rows) {
  uint32_t length = runLength(layout, rows);
  if (length * rows.bytes < 4)
    length = 1;
  Indices along = indicesOf(layout, rows.minor);
  SmallVector<Run> runs = runsOf(layout, rows, length);
  Id none = b.null(elementType(type));
  // Runs under the same condition share a branch: other threads have nothing to
  // read.
  for (size_t i = 0; i < runs.size();) {
    size_t first = i;
    while (i < runs.size() && runs[i].isInside == runs[first].isInside)
      ++i;
    auto same = ArrayRef(runs).slice(first, i - first);
    Ids before;
    for (const Run &run : same)
      for (uint32_t at = run.first; at < run.first + length; ++at)
        before.push_back(registers[at] ? registers[at] : none);
    Ids loaded = emitWhere(runs[first].isInside, before, [&] {
      Ids values;
      for (const Run &run : same)
        llvm::append_range(values, loadStaged(run, length, type, rows, along));
      return values;
    });
    for (auto [number, run] : llvm::enumerate(same))
      for (uint32_t at = 0; at < length; ++at)
        registers[run.first + at] = loaded[number * length + at];
  }
}

// Matrices to and from rows.

TypeId Emitter::matrixType(Type element, const MatrixForm &form) {
  return b.matrixType(b.scalarType(matrixScalar(element)), form.unitRows,
                      form.unitColumns, MatrixUse::Accumulator);
}

std::pair<Id, Id> Emitter::gridPosition(const MatrixForm &form) {
  Id column = b.bitAnd(warp, b.u32(form.warpColumns - 1));
  Id row = b.bitAnd(b.lshr(warp, b.u32(llvm::Log2_32(form.warpColumns))),
                    b.u32(form.warpRows - 1));
  return {row, column};
}

namespace {
/// The addresses of the matrices of a subgroup's block.
class BlockAddresses {
public:
  /// `blockRows` and `blockColumns` are those of a block; `row` and `column`,
  /// those of a subgroup in the grid of blocks. The matrices are multiples of
  /// `stepRows` and `stepColumns` apart.
  BlockAddresses(spirv::Builder &b, const StagedRows &rows, bool hasVectors,
                 uint32_t stepRows, uint32_t stepColumns)
      : b(b), rows(rows) {
    uint32_t all = stepRows * rows.step(0) | stepColumns * rows.step(1) |
                   rows.stride | rows.start;
    unit = hasVectors && all % 16 == 0 ? 16 : 4;
    base = rows.buffer ? b.imul(rows.buffer, b.u32(rows.bufferBytes / unit))
                       : b.u32(0);
  }

  /// Adds `count` times `size` coordinates along `dim`.
  void move(unsigned dim, Id count, uint32_t size) {
    base = b.iadd(base, b.imul(count, b.u32(size * rows.step(dim) / unit)));
  }
  Id at(uint32_t row, uint32_t column) const {
    uint32_t literal = rows.start + row * rows.step(0) + column * rows.step(1);
    return b.iadd(base, b.u32(literal / unit));
  }
  Id stride() const { return b.u32(rows.stride / unit); }

  unsigned unit;

private:
  spirv::Builder &b;
  const StagedRows &rows;
  Id base;
};
} // namespace

void Emitter::storeMatrices(ArrayRef<Id> values, const MatrixForm &form,
                            const StagedRows &rows, uint32_t first,
                            uint32_t down) {
  auto store = [&] {
    auto [row, column] = gridPosition(form);
    BlockAddresses block(b, rows, hasVectors(), form.unitRows,
                         form.unitColumns);
    block.move(0, row, down * form.unitRows);
    block.move(1, column, form.across() * form.unitColumns);
    for (uint32_t i = 0; i < down; ++i)
      for (uint32_t j = 0; j < form.across(); ++j)
        b.matrixStore(
            sharedUnit(block.at(i * form.unitRows, j * form.unitColumns),
                       block.unit),
            values[(first + i) * form.across() + j], rows.matrixLayout(),
            block.stride(), kShared);
    return Ids();
  };
  bool hasCopies = form.warps() < 1u << workgroup.warpBits;
  emitWhere(hasCopies ? b.ult(warp, b.u32(form.warps())) : b.boolean(true), {},
            store);
}

static StagedRows bandRows(const Bands &bands, const MatrixForm &form,
                           unsigned bytes, uint32_t index) {
  return {0, bands.rowStride, bytes, 1, bands.window(form, index)};
}

void Emitter::defineHeld(Value tile, Ids values) {
  held[tile] = values;
  ArrayRef<Layout> variants = layouts.variantsOf(tile);
  if (variants.empty())
    return;
  const MatrixForm &form = *matrices.formOf(tile);
  Type type = tileType(tile).getElementType();
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  Bands bands = bandsFor(form, bytes, device.sharedBytes);
  SmallVector<Ids> registers;
  for (const Layout &layout : variants)
    registers.push_back(Ids(layout.registerCount()));
  for (uint32_t index = 0; index < bands.count; ++index) {
    StagedRows rows = bandRows(bands, form, bytes, index);
    barrier();
    storeMatrices(values, form, rows, index * bands.down, bands.down);
    barrier();
    for (auto [layout, out] : llvm::zip(variants, registers))
      loadRows(out, type, layout.stacked(), rows);
  }
  for (auto [variant, out] : llvm::enumerate(registers))
    define(tile, variant, std::move(out));
}

Ids Emitter::loadMatrices(Value tile, const MatrixForm &form) {
  Type type = tileType(tile).getElementType();
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  Bands bands = bandsFor(form, bytes, device.sharedBytes);
  Layout layout = layouts.stagingLayout(tile, false);
  Ids registers = registersOf(tile, layout), values;
  TypeId matrix = matrixType(type, form);
  for (uint32_t index = 0; index < bands.count; ++index) {
    StagedRows rows = bandRows(bands, form, bytes, index);
    barrier();
    storeRows(registers, type, layout.stacked(), rows);
    barrier();
    auto [row, column] = gridPosition(form);
    BlockAddresses block(b, rows, hasVectors(), form.unitRows,
                         form.unitColumns);
    block.move(0, row, bands.down * form.unitRows);
    block.move(1, column, form.across() * form.unitColumns);
    for (uint32_t i = 0; i < bands.down; ++i)
      for (uint32_t j = 0; j < form.across(); ++j)
        values.push_back(b.matrixLoad(
            matrix,
            sharedUnit(block.at(i * form.unitRows, j * form.unitColumns),
                       block.unit),
            rows.matrixLayout(), block.stride(), kShared));
  }
  return values;
}

/// A stride of 0 repeats a row or a column.
Ids Emitter::repeatedMatrices(Value vector, bool isColumn,
                              const MatrixForm &form) {
  Type type = tileType(vector).getElementType();
  Layout layout = layouts.stagingLayout(vector, false);
  unsigned dim = isColumn ? 0 : 1;
  StagedRows rows = {0, 0, 4, dim, {}};
  barrier();
  storeRows(registersOf(vector, layout), type, layout, rows);
  barrier();
  auto [row, column] = gridPosition(form);
  uint32_t size = isColumn ? form.unitRows : form.unitColumns;
  uint32_t count = isColumn ? form.down() : form.across();
  BlockAddresses block(b, rows, hasVectors(), isColumn ? size : 0,
                       isColumn ? 0 : size);
  block.move(dim, isColumn ? row : column, count * size);
  Ids parts;
  for (uint32_t i = 0; i < count; ++i)
    parts.push_back(b.matrixLoad(
        matrixType(type, form),
        sharedUnit(block.at(isColumn ? i * size : 0, isColumn ? 0 : i * size),
                   block.unit),
        rows.matrixLayout(), b.u32(0), kShared));
  Ids values;
  for (uint32_t i = 0; i < form.down(); ++i)
    for (uint32_t j = 0; j < form.across(); ++j)
      values.push_back(parts[isColumn ? i : j]);
  return values;
}

Ids Emitter::splatMatrices(Value tile, const MatrixForm &form) {
  Type type = tileType(tile).getElementType();
  Id scalar;
  if (auto splat = tile.getDefiningOp<tt::SplatOp>()) {
    scalar = scalars[splat.getSrc()];
  } else {
    auto values = cast<DenseElementsAttr>(
        tile.getDefiningOp<arith::ConstantOp>().getValue());
    scalar = constant(type, values.getSplatValue<Attribute>());
  }
  return Ids(form.matrices(), b.splat(matrixType(type, form), scalar));
}

Ids Emitter::matricesOf(Value tile, const MatrixForm &form) {
  MatrixSource source = matrices.tiles().sourceOf(tile);
  switch (source.kind) {
  case MatrixSource::Matrices:
    return held[tile];
  case MatrixSource::Splat:
    return splatMatrices(source.tile, form);
  case MatrixSource::Row:
  case MatrixSource::Column:
    return repeatedMatrices(source.tile, source.kind == MatrixSource::Column,
                            form);
  case MatrixSource::Tile:
    return loadMatrices(source.tile, form);
  }
  llvm_unreachable("a source of another kind");
}

// Variables. Matrices are carried as compilers of shading languages carry them,
// in variables of the function: drivers have been seen to compute wrong results
// for phis of matrices.

Emitter::HeldVariables Emitter::declareHeld(ValueRange carried) {
  HeldVariables variables;
  for (Value value : carried) {
    const MatrixForm *form = matrices.formOf(value);
    if (!form)
      continue;
    TypeId matrix = matrixType(tileType(value).getElementType(), *form);
    Ids &own = variables.emplace_back();
    for (uint32_t i = 0; i < form->matrices(); ++i)
      own.push_back(b.localVariable(matrix));
  }
  return variables;
}

void Emitter::storeHeld(const HeldVariables &variables, ValueRange values,
                        ValueRange carried) {
  // All are read before the first is written: they may change places.
  SmallVector<Ids> all;
  for (auto [value, as] : llvm::zip(values, carried))
    if (const MatrixForm *form = matrices.formOf(as))
      all.push_back(matricesOf(value, *form));
  for (auto [own, stored] : llvm::zip(variables, all))
    for (auto [variable, matrix] : llvm::zip(own, stored))
      b.store(variable, matrix);
}

void Emitter::loadHeld(const HeldVariables &variables, ValueRange carried) {
  size_t next = 0;
  for (Value value : carried) {
    if (!matrices.formOf(value))
      continue;
    Ids values;
    for (Id variable : variables[next++])
      values.push_back(b.load(variable));
    defineHeld(value, std::move(values));
  }
}

// Operations.

/// Stores the part of an operand of a product whose depth starts at `first`.
void Emitter::stageFactor(OpOperand &operand, const MatrixDot &dot,
                          uint32_t first) {
  bool isLeft = operand.getOperandNumber() == 0;
  const MatrixFactor &factor = dot.factors[isLeft ? 0 : 1];
  Value tile = operand.get();
  Type type = tileType(tile).getElementType();
  unsigned depthDim = isLeft ? 1 : 0;
  StagedRows rows;
  rows.start = factor.start;
  rows.bytes = type.getIntOrFloatBitWidth() / 8;
  if (dot.alternates) {
    rows.start += first / dot.slice % 2 * factor.bytes;
  } else if (factor.buffers > 1) {
    rows.buffer = buffers[operand.getOwner()->getParentOp()];
    rows.bufferBytes = factor.bytes;
  }
  uint32_t extents[] = {isLeft ? dot.form.rows : dot.batches * dot.slice,
                        isLeft ? dot.slice : dot.form.columns};
  rows.minor = *factor.minor;
  rows.stride = paddedRow(extents[rows.minor] * rows.bytes);
  if (matrices.tiles().isStoredDirectly(operand)) {
    const MatrixForm &form = *matrices.formOf(tile);
    storeMatrices(held[tile], form, rows, 0, form.down());
    stagedFactors[&operand] = rows;
    return;
  }
  rows.window = dot.window(depthDim, first);
  Layout layout = layouts.operandLayout(operand, nullptr);
  storeRows(registersOf(tile, layout), type, layout.stacked(), rows);
  stagedFactors[&operand] = rows;
}

void Emitter::stageFactors(tt::DotOp op, const MatrixDot &dot, uint32_t first) {
  bool takesTurns = true;
  for (const MatrixFactor &factor : dot.factors)
    takesTurns &= factor.isInvariant || factor.buffers > 1;
  // With one buffer, others may still read it.
  if (!takesTurns)
    barrier();
  for (unsigned side : {0, 1})
    if (!dot.factors[side].isInvariant)
      stageFactor(op->getOpOperand(side), dot, first);
}

void Emitter::stageInvariants(scf::ForOp loop) {
  bool isFirst = true;
  for (auto op : loop.getBody()->getOps<tt::DotOp>()) {
    const MatrixDot *dot = matrices.find(op);
    if (!dot)
      continue;
    for (unsigned side : {0, 1}) {
      if (!dot->factors[side].isInvariant)
        continue;
      if (std::exchange(isFirst, false))
        barrier();
      stageFactor(op->getOpOperand(side), *dot, 0);
    }
  }
}

bool Emitter::stageEarly(Operation *op) {
  const MatrixDot *dot = matrices.find(op);
  if (!dot)
    return false;
  bool isReady = dot->isPrivate;
  for (unsigned side : {0, 1})
    isReady &=
        dot->factors[side].isInvariant || tiles.contains(op->getOperand(side));
  if (isReady && staged.insert(op).second)
    stageFactors(cast<tt::DotOp>(op), *dot, 0);
  return true;
}

LogicalResult Emitter::emitMatrixDot(tt::DotOp op, const MatrixDot &dot) {
  const MatrixForm &form = dot.form;
  const MatrixUnit &unit = dot.unit;
  Ids sums = matricesOf(op.getC(), form);
  TypeId factor = b.scalarType(unit.operand);
  TypeId left = b.matrixType(factor, unit.rows, unit.depth, MatrixUse::A);
  TypeId right = b.matrixType(factor, unit.depth, unit.columns, MatrixUse::B);
  using namespace spirv::matrixOperands;
  uint32_t flags = unit.operand == spirv::Scalar::I8
                       ? signedA | signedB | signedC | signedResult
                       : none;
  auto [row, column] = gridPosition(form);
  // A subgroup has several batches, or several subgroups have one.
  uint32_t blockRows = form.down() * unit.rows;
  uint32_t batches = std::max(1u, blockRows / dot.batchRows());
  uint32_t downInBatch = form.down() / batches;
  for (uint32_t first = 0; first < dot.depth; first += dot.slice) {
    if (first > 0 || !staged.contains(op))
      stageFactors(op, dot, first);
    barrier();
    const StagedRows &leftRows = stagedFactors[&op->getOpOperand(0)];
    const StagedRows &rightRows = stagedFactors[&op->getOpOperand(1)];
    BlockAddresses leftBlock(b, leftRows, hasVectors(), unit.rows, unit.depth);
    leftBlock.move(0, row, form.down() * unit.rows);
    BlockAddresses rightBlock(b, rightRows, hasVectors(), unit.depth,
                              unit.columns);
    rightBlock.move(1, column, form.across() * unit.columns);
    if (dot.batches > 1) {
      uint32_t warpRows = std::max(1u, dot.batchRows() / blockRows);
      rightBlock.move(0, b.lshr(row, b.u32(llvm::Log2_32(warpRows))),
                      batches * dot.slice);
    }
    for (uint32_t batch = 0; batch < batches; ++batch)
      for (uint32_t depth = 0; depth < dot.slice; depth += unit.depth) {
        Ids lefts, rights;
        uint32_t top = batch * downInBatch;
        for (uint32_t i = 0; i < downInBatch; ++i)
          lefts.push_back(b.matrixLoad(
              left,
              sharedUnit(leftBlock.at((top + i) * unit.rows, depth),
                         leftBlock.unit),
              leftRows.matrixLayout(), leftBlock.stride(), kShared));
        for (uint32_t j = 0; j < form.across(); ++j)
          rights.push_back(b.matrixLoad(
              right,
              sharedUnit(
                  rightBlock.at(batch * dot.slice + depth, j * unit.columns),
                  rightBlock.unit),
              rightRows.matrixLayout(), rightBlock.stride(), kShared));
        for (uint32_t i = 0; i < downInBatch; ++i)
          for (uint32_t j = 0; j < form.across(); ++j) {
            Id &sum = sums[(top + i) * form.across() + j];
            sum = b.matrixMulAdd(lefts[i], rights[j], sum, flags);
          }
      }
  }
  defineHeld(op.getResult(), std::move(sums));
  return success();
}

LogicalResult Emitter::emitOnMatrices(Operation *op, const MatrixForm &form) {
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return emitMatrixDot(dot, *matrices.find(dot));
  SmallVector<Ids, 2> operands;
  for (Value operand : op->getOperands())
    operands.push_back(matricesOf(operand, form));
  TypeId type = matrixType(getElementTypeOrSelf(op->getResult(0)), form);
  Ids values;
  for (uint32_t i = 0; i < form.matrices(); ++i) {
    Id x = operands[0][i], y = operands.size() > 1 ? operands[1][i] : Id();
    values.push_back(
        llvm::TypeSwitch<Operation *, Id>(op)
            .Case([&](arith::AddFOp) { return b.fadd(x, y); })
            .Case([&](arith::SubFOp) { return b.fsub(x, y); })
            .Case([&](arith::MulFOp) { return b.fmul(x, y); })
            .Case([&](arith::DivFOp) { return b.fdiv(x, y); })
            .Case([&](arith::NegFOp) { return b.fneg(x); })
            .Case([&](arith::AddIOp) { return b.iadd(x, y); })
            .Case([&](arith::TruncFOp) { return b.fconvert(x, type); })
            .Default([](Operation *) { return Id(); }));
    if (!values.back())
      return refuse(op);
  }
  defineHeld(op->getResult(0), std::move(values));
  return success();
}

} // namespace nereid::vulkan
