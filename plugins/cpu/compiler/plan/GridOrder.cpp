// GridOrder.cpp - the axis of the grid along which programs run first, and what
// those that follow one another read beside each other.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that reduces columns reads a piece of each row, and the one after
// it the next piece. Where rows are a page or more apart, each piece is a page
// to look up, half a cache line may be read twice, and all rows share a few
// sets of the caches. In turns, each program of some reads its pieces of a few
// rows: a Zen 3 read 2048 x 1024 floats by columns three to five times as fast.
//
// Kernels for GPUs often number rows of blocks along x and columns along y. Run
// in that order, programs read a piece of each row before the next pieces. And
// they often number what has operands of its own, a head or columns of a
// matrix, along x, and what shares them along y or z.

#include "plan/Interleave.h"

#include "tile/Ops.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::Monomial;

/// May programs run in any order, and does nothing keep track of it? Updates of
/// memory are in any order if no program waits for another, or uses an old
/// value.
static bool isUnordered(const TileProgram &program) {
  auto function = const_cast<tt::FuncOp &>(program.function);
  bool hasUpdates = false;
  bool isOrdered = function
                       .walk([&](Operation *op) {
                         bool isUpdate =
                             isa<tt::AtomicRMWOp>(op) && op->use_empty();
                         hasUpdates |= isUpdate;
                         return (codegen::infoOf(op).isAtomic && !isUpdate) ||
                                        isVolatileLoad(op) ||
                                        isa<tt::PrintOp, tt::AssertOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  return !program.turns && !isOrdered &&
         !(hasUpdates && codegen::mayWait(function));
}

/// Does a program know its place along `axis`?
static bool hasPlaceAlong(tt::FuncOp function, int axis) {
  return function
      .walk([&](tt::GetProgramIdOp id) {
        return int(id.getAxisAsInt()) == axis ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds the axes of the grid that `value` may depend on to `axes`, a bit each.
static void addAxesOf(Value value, unsigned &axes,
                      llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  bool isPassed =
      op ? op->getNumRegions() != 0 : !value.getParentBlock()->isEntryBlock();
  if (isPassed)
    axes = ~0u;
  if (auto id = dyn_cast_or_null<tt::GetProgramIdOp>(op))
    axes |= 1u << id.getAxisAsInt();
  if (op)
    for (Value operand : op->getOperands())
      addAxesOf(operand, axes, seen);
}

/// Are the terms of `form` the same in programs that follow one another along
/// `axis`?
static bool hasTermsOfAll(const codegen::TileForm &form, int axis) {
  unsigned axes = 0;
  llvm::DenseSet<Value> seen;
  for (const codegen::TileTerm &term : form.terms) {
    addAxesOf(term.tensor, axes, seen);
    for (const Monomial &monomial : term.coefficient.terms())
      for (Value factor : monomial.factors)
        addAxesOf(factor, axes, seen);
  }
  return !(axes >> axis & 1);
}

/// The dimension of `tile`, pointers with `form`, whose elements are neighbours
/// in memory, and go on in the next program along `axis` of the grid.
static std::optional<unsigned> dimOfNeighbours(RankedTensorType tile,
                                               const codegen::TileForm &form,
                                               unsigned axis) {
  for (auto [dim, stride, length] :
       llvm::enumerate(form.strides, tile.getShape()))
    if (stride.constant() == 1 &&
        differenceOfPrograms(form.base, axis) == length &&
        hasTermsOfAll(form, axis))
      return dim;
  return std::nullopt;
}

int64_t programsOfRows(scf::ForOp loop, codegen::TileForms &forms) {
  // A page: what programs read of a row is then more than hardware prefetchers
  // take to follow it, and the page is looked up once for all of them.
  constexpr int64_t kRowBytes = CpuModel::kSetDistance, kFewestRows = 4;
  int64_t programs = 0;
  for (auto load : loop.getBody()->getOps<tt::LoadOp>()) {
    auto tile = codegen::tileType(load.getPtr());
    const codegen::TileForm *form = tile ? forms.of(load.getPtr()) : nullptr;
    if (!form || !form->isAffine())
      continue;
    std::optional<unsigned> along = dimOfNeighbours(tile, *form, /*axis=*/0);
    if (!along)
      continue;
    int64_t length = tile.getDimSize(*along);
    int64_t bytes = length * tt::getElementBitWidth(load.getType()) / 8;
    if (tile.getNumElements() < kFewestRows * length)
      continue;
    auto isNear = [&](unsigned dim) {
      std::optional<int64_t> stride = form->strides[dim].constant();
      return dim != *along && tile.getDimSize(dim) > 1 && stride &&
             std::abs(*stride) * bytes < CpuModel::kSetDistance * length;
    };
    if (llvm::none_of(llvm::seq<unsigned>(0, tile.getRank()), isNear))
      programs = std::max(programs, kRowBytes / bytes);
  }
  return std::min(programs, kMostPrograms);
}

unsigned axisOfSharing(const TileProgram &program, ArrayRef<Value> key,
                       const GenerateOptions &options) {
  unsigned axes = 0;
  llvm::DenseSet<Value> seen;
  for (Value value : key)
    addAxesOf(value, axes, seen);
  if (!options.fastPaths.has(FastPath::GridOrder) || !isUnordered(program))
    return 0;
  for (unsigned axis : {0, 1, 2})
    if (!(axes >> axis & 1) && hasPlaceAlong(program.function, axis))
      return axis;
  return 0;
}

void planGridOrder(TileProgram &program, codegen::TileForms &forms,
                   const GenerateOptions &options) {
  if (!isUnordered(program))
    return;
  SmallVector<Value> shared;
  for (auto &[loop, deferred] : program.deferredDots)
    if (deferred.shared)
      llvm::append_range(shared, deferred.shared->key);
  if (!shared.empty())
    program.fastestAxis = axisOfSharing(program, shared, options);
  if (!program.dots.empty() || program.parts)
    return;
  // Elements accessed at neighbours along x and y, and rows that these
  // continue.
  int64_t neighbours[2] = {0, 0};
  llvm::DenseSet<Value> continued[2];
  auto function = const_cast<tt::FuncOp &>(program.function);
  function.walk([&](Operation *op) {
    OpOperand *pointers = codegen::infoOf(op).pointers;
    auto tile = pointers ? codegen::tileType(pointers->get()) : nullptr;
    const codegen::TileForm *form = tile ? forms.of(pointers->get()) : nullptr;
    if (!form)
      return;
    for (unsigned axis : {0, 1})
      if (auto dim = dimOfNeighbours(tile, *form, axis)) {
        neighbours[axis] += tile.getNumElements();
        if (int64_t(*dim) == tile.getRank() - 1)
          continued[axis].insert(pointers->get());
      }
  });
  bool isAlongY = options.fastPaths.has(FastPath::GridOrder) &&
                  neighbours[1] > neighbours[0];
  program.fastestAxis = isAlongY ? 1 : 0;
  if (options.fastPaths.has(FastPath::RowPrefetch))
    program.continued = std::move(continued[isAlongY]);
}

} // namespace nereid::cpu
