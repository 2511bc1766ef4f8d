// Interleave.cpp - loops in which programs take turns to read neighbours.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// In a loop with the stride of the grid (`for i in range(pid * BLOCK, n,
// num_programs * BLOCK)`) a program reads one block of many. Run one after the
// other, programs read memory in steps that no hardware prefetcher follows:
// on a Zen 4 at 15 GB/s instead of 28. If each runs one iteration in turn,
// their blocks are neighbours. So are rows in a loop over every so manyth row
// (`for row in range(pid, rows, num_programs)`). Programs that do not wait for
// each other may run in any order, and at the same time.

#include "plan/Interleave.h"

#include "analysis/Induction.h"
#include "tile/Ops.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::Monomial;
using codegen::Polynomial;

/// A turn takes some ten instructions more than an iteration of the loop.
static constexpr int64_t kLeastBytes = 2048;

/// The loop of a function that computes nothing but scalars before it, from
/// the program's id and the arguments; null if it has none.
static scf::ForOp findLoop(const TileProgram &program) {
  auto function = const_cast<tt::FuncOp &>(program.function);
  if (!llvm::hasSingleElement(function.getBody()))
    return {};
  for (const Step &step :
       program.blocks.at(&function.getBody().front()).steps) {
    if (step.kind == StepKind::Region)
      return dyn_cast<scf::ForOp>(step.op);
    if (step.kind != StepKind::Op || !isMemoryEffectFree(step.op))
      return {};
  }
  return {};
}

/// Are loads and, if `mayStore`, stores all that `loop` has an effect by?
static bool onlyAccesses(scf::ForOp loop, bool mayStore) {
  return !loop.getBody()
              ->walk([&](Operation *op) {
                bool isPlain = isMemoryEffectFree(op) ||
                               (isa<tt::LoadOp>(op) && !isVolatileLoad(op)) ||
                               (mayStore && isa<tt::StoreOp>(op));
                return isPlain ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool onlyReads(scf::ForOp loop) { return onlyAccesses(loop, false); }

/// `value` in the first iteration of `loop`.
static std::optional<Polynomial> firstOf(const Polynomial &value,
                                         scf::ForOp loop) {
  Polynomial sum;
  for (const Monomial &monomial : value.terms()) {
    std::optional<Polynomial> product(monomial.coefficient);
    for (Value factor : monomial.factors) {
      auto argument = dyn_cast<BlockArgument>(factor);
      Polynomial by = Polynomial::symbol(factor);
      if (factor == loop.getInductionVar())
        by = Polynomial::of(loop.getLowerBound());
      else if (argument && argument.getOwner() == loop.getBody())
        by = Polynomial::of(loop.getTiedLoopInit(argument)->get());
      else if (!loop.isDefinedOutsideOfLoop(factor))
        return std::nullopt;
      product = product->times(by);
      if (!product)
        return std::nullopt;
    }
    sum = sum + *product;
  }
  return sum;
}

std::optional<int64_t> differenceOfPrograms(const Polynomial &value, int axis) {
  auto isId = [&](Value factor) {
    auto id = factor.getDefiningOp<tt::GetProgramIdOp>();
    return id && int(id.getAxisAsInt()) == axis;
  };
  int64_t sum = 0;
  for (const Monomial &monomial : value.terms()) {
    if (llvm::none_of(monomial.factors, isId))
      continue;
    if (monomial.factors.size() > 1)
      return std::nullopt;
    sum += monomial.coefficient;
  }
  return sum;
}

/// Is the difference of `value` between programs along x an argument: the
/// distance of rows?
static bool isRowOfProgram(const Polynomial &value) {
  unsigned rows = 0, others = 0;
  for (const Monomial &monomial : value.terms()) {
    auto isId = [](Value factor) {
      auto id = factor.getDefiningOp<tt::GetProgramIdOp>();
      return id && id.getAxisAsInt() == 0;
    };
    if (llvm::none_of(monomial.factors, isId))
      continue;
    bool isRow = monomial.coefficient == 1 && monomial.factors.size() == 2 &&
                 llvm::any_of(monomial.factors, [](Value factor) {
                   return isa<BlockArgument>(factor);
                 });
    ++(isRow ? rows : others);
  }
  return rows == 1 && others == 0;
}

/// Does `load` read blocks that are neighbours, or rows, in programs that
/// follow one another, and are apart in iterations that do?
static bool readsNeighbours(tt::LoadOp load, scf::ForOp loop,
                            codegen::TileForms &forms) {
  auto tile = codegen::tileType(load.getResult());
  const codegen::TileForm *form = tile ? forms.of(load.getPtr()) : nullptr;
  if (!form || !form->isAffine() ||
      !loop.isDefinedOutsideOfLoop(form->pointer) ||
      form->strides.back().constant() != 1)
    return false;
  int64_t length = tile.getShape().back();
  auto advance = codegen::advanceOf(form->base, loop);
  auto first = firstOf(form->base, loop);
  return advance && first && advance->constant().value_or(INT64_MAX) > length &&
         (differenceOfPrograms(*first) == length || isRowOfProgram(*first)) &&
         tile.getNumElements() *
                 tt::getElementBitWidth(tile.getElementType()) >=
             8 * kLeastBytes;
}

void planInterleaving(TileProgram &program, codegen::TileForms &forms,
                      const GenerateOptions &options) {
  if (!options.fastPaths.has(FastPath::InterleavedPrograms))
    return;
  // What dots defer and share depends on the order of programs.
  scf::ForOp loop = findLoop(program);
  if (!loop || program.turns || !program.dots.empty() || program.parts ||
      !program.heldSums.empty() || !onlyAccesses(loop, true) ||
      llvm::any_of(loop.getRegionIterArgs(), isTile))
    return;
  loop.getBody()->walk([&](tt::LoadOp load) {
    if (readsNeighbours(load, loop, forms))
      program.turns = TurnLoop{loop, kMostPrograms};
  });
}

} // namespace nereid::cpu
