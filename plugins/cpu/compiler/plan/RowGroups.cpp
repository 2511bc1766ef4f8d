// RowGroups.cpp - programs that take their rows a few at a time.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that multiplies a matrix by a vector, or reduces rows, reads a
// piece of each of its rows in every iteration of a loop. Hardware prefetchers
// follow few rows at once: with 64 rows of a Zen 3's, 4096 x 4096 times a
// vector took 11.6 ms, and 4.2 with 8. So the program runs all of its
// iterations for some rows, then for the next ones.
//
// This changes the order of its accesses. What it stores must not overlap what
// it reads or other stores, nor, in a loop, one row another: the entry compares
// the ranges of addresses, of all programs of the launch.

#include "plan/RowGroups.h"

#include "analysis/Induction.h"
#include "plan/AddressBounds.h"
#include "plan/TileDims.h"
#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::tileType;

namespace {
/// The loads and stores of a kernel.
struct Accesses {
  SmallVector<tt::LoadOp> loads;
  SmallVector<tt::StoreOp> stores;
};
} // namespace

/// The accesses of `kernel`; none if it has effects of other kinds.
static std::optional<Accesses> accessesOf(tt::FuncOp kernel) {
  Accesses found;
  if (!llvm::hasSingleElement(kernel.getBody()))
    return std::nullopt;
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      found.loads.push_back(load);
      return isVolatileLoad(load) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    }
    if (auto store = dyn_cast<tt::StoreOp>(op)) {
      found.stores.push_back(store);
      return WalkResult::advance();
    }
    bool isPlain = isa<scf::ForOp, LLVM::AssumeOp>(op) ||
                   op->hasTrait<OpTrait::IsTerminator>() ||
                   (isMemoryEffectFree(op) && !isa<tt::DotOp>(op));
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted() || found.stores.empty())
    return std::nullopt;
  return found;
}

/// How many neighbours in memory elements along `dim` are, if they are: several
/// may be one.
static std::optional<int64_t> lengthAlong(unsigned dim, RankedTensorType tile,
                                          const codegen::TileForm &form) {
  const codegen::TileTerm *repeated = nullptr;
  for (const codegen::TileTerm &term : form.terms)
    if (term.dependsOn >> dim & 1) {
      if (repeated || term.dependsOn != codegen::DimSet(1) << dim ||
          term.coefficient.constant() != 1)
        return std::nullopt;
      repeated = &term;
    }
  if (form.strides[dim].constant() != (repeated ? 0 : 1))
    return std::nullopt;
  if (!repeated)
    return tile.getDimSize(dim);
  auto numbers = codegen::numbersOf(repeated->tensor);
  return numbers ? std::optional(numbers->second - numbers->first + 1)
                 : std::nullopt;
}

/// The dimension along which `load`, in a loop, reads more than `most` rows, in
/// pieces that are neighbours in memory in iterations that follow one another.
static std::optional<unsigned> rowsOf(tt::LoadOp load, int64_t most,
                                      codegen::TileForms &forms) {
  constexpr int64_t kLongestPiece = 2048, kShortestRow = 512; // bytes
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  auto tile = tileType(load.getResult());
  const codegen::TileForm *form = tile ? forms.of(load.getPtr()) : nullptr;
  if (!loop || !form || tile.getRank() != 2)
    return std::nullopt;
  std::optional<int64_t> length = lengthAlong(1, tile, *form);
  unsigned rows = length ? 0 : 1;
  if (!length)
    length = lengthAlong(0, tile, *form);
  int64_t bits = tt::getElementBitWidth(tile.getElementType());
  auto advance = codegen::advanceOf(form->base, loop);
  codegen::Polynomial distance = form->strides[rows];
  bool isNear = !(form->termDims() >> rows & 1) && distance.constant() &&
                std::abs(*distance.constant()) * bits < 8 * kShortestRow;
  if (!length || isNear || !advance || advance->constant() != *length ||
      *length * bits > 8 * kLongestPiece || tile.getDimSize(rows) <= most)
    return std::nullopt;
  return rows;
}

namespace {
/// Rewrites a kernel so that it takes the rows of a set of dimensions in
/// groups.
class Grouping {
public:
  Grouping(tt::FuncOp kernel, const Accesses &accesses, int64_t most)
      : kernel(kernel), accesses(accesses), most(most), dims(kernel) {}

  /// Finds the set; false if there is none.
  bool find(codegen::TileForms &forms);
  /// Empty if it is not known.
  std::vector<nereid_work_step_t> condition(codegen::TileForms &forms,
                                            const KernelInfo &info) const;
  void rewrite();

private:
  bool repeatsLittle() const;

  tt::FuncOp kernel;
  const Accesses &accesses;
  const int64_t most; // rows of a group
  TileDims dims;
  unsigned rows = 0; // the set
  int64_t size = 0;  // along it
};
} // namespace

/// Do the loads in loops that each group repeats read less than its own?
bool Grouping::repeatsLittle() const {
  int64_t own = 0, repeated = 0;
  for (tt::LoadOp load : accesses.loads) {
    auto tile = tileType(load.getResult());
    if (!isa<scf::ForOp>(load->getParentOp()) || !tile)
      continue;
    if (dims.dimIn(rows, load.getResult()))
      own += tile.getNumElements() / (size / most);
    else
      repeated += tile.getNumElements();
  }
  return repeated < own;
}

bool Grouping::find(codegen::TileForms &forms) {
  for (tt::LoadOp load : accesses.loads) {
    std::optional<unsigned> dim = rowsOf(load, most, forms);
    if (!dim)
      continue;
    rows = dims.setOf(load.getResult(), *dim);
    size = tileType(load.getResult()).getDimSize(*dim);
    bool areStored = llvm::all_of(accesses.stores, [&](tt::StoreOp store) {
      return dims.dimIn(rows, store.getPtr()).has_value();
    });
    if (areStored && size % most == 0 && !dims.isWhole(rows) &&
        dims.reductionsOf(rows).empty() && repeatsLittle())
      return true;
  }
  return false;
}

std::vector<nereid_work_step_t>
Grouping::condition(codegen::TileForms &forms, const KernelInfo &info) const {
  AddressBounds bounds(info, forms, BoundsOf::Launch);
  SmallVector<Bounds> loaded, stored;
  WorkValue least{0, true};
  for (tt::StoreOp store : accesses.stores) {
    std::optional<Bounds> range = bounds.ofAccess(store);
    if (!range)
      return {};
    stored.push_back(*range);
    // The elements of a tile are stored in row-major order.
    unsigned dim = *dims.dimIn(rows, store.getPtr());
    if (store->getParentOp() == kernel && dim == 0)
      continue;
    std::optional<WorkValue> apart = bounds.distanceInLoops(store, dim);
    if (!apart)
      return {};
    least = bounds.formula.min(least, *apart);
  }
  for (tt::LoadOp load : accesses.loads) {
    std::optional<Bounds> range = bounds.ofAccess(load);
    if (!range)
      return {};
    loaded.push_back(*range);
  }
  for (size_t own = 0; own < stored.size(); ++own) {
    for (const Bounds &range : loaded)
      least = bounds.formula.min(least, bounds.distance(stored[own], range));
    for (size_t other = 0; other < own; ++other)
      least = bounds.formula.min(least,
                                 bounds.distance(stored[own], stored[other]));
  }
  return bounds.formula.finish(bounds.formula.min(least, bounds.validity()));
}

void Grouping::rewrite() {
  Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Location location = kernel.getLoc();
  auto number = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIntOp>(location, value, 32);
  };
  auto groups = builder.create<scf::ForOp>(location, number(0), number(size),
                                           number(most));
  groups.getBody()->getOperations().splice(
      groups.getBody()->begin(), body.getOperations(),
      std::next(groups->getIterator()), std::prev(body.end()));
  dims.shorten(*groups.getBody(), rows, most, groups.getInductionVar());
}

GroupedKernel copyWithRowGroups(tt::FuncOp kernel,
                                const GenerateOptions &options,
                                const KernelInfo &info) {
  int64_t most = options.cpu.rowStreams;
  auto isRead = [&](const Accesses &accesses) {
    codegen::TileForms forms;
    return llvm::any_of(accesses.loads, [&](tt::LoadOp load) {
      return rowsOf(load, most, forms).has_value();
    });
  };
  std::optional<Accesses> accesses = accessesOf(kernel);
  if (!options.fastPaths.has(FastPath::RowGroups) || !most || !accesses ||
      !isRead(*accesses))
    return {};
  GroupedKernel result;
  result.kernel = cast<tt::FuncOp>(OpBuilder(kernel).clone(*kernel));
  separateSources(result.kernel);
  accesses = accessesOf(result.kernel);
  codegen::TileForms forms;
  Grouping grouping(result.kernel, *accesses, most);
  if (grouping.find(forms))
    result.condition = grouping.condition(forms, info);
  if (result.condition.empty()) {
    result.kernel.erase();
    return {};
  }
  grouping.rewrite();
  return result;
}

} // namespace nereid::cpu
