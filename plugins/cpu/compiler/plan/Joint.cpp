// Joint.cpp - loops whose products are computed for several programs at once.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A product of few rows is as fast as its right operand comes from memory. A
// block has some hundred bytes of each row, and the next row may be pages away:
// a Zen 5 reads that at 16 GB/s. The programs after it read the bytes that
// follow. Multiplied as one, a few rows of one block after the other, they read
// 35 GB/s. So such products wait until those of the programs after them are
// known: programs that do not wait for each other may run at the same time.

#include "plan/Interleave.h"
#include "plan/Reads.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace nereid::cpu {

/// Of a row of all right operands together, in bytes: a page, in which hardware
/// prefetchers follow.
static constexpr int64_t kMostRowBytes = 4096;
/// Programs that wait for each other use memory for their sums.
static constexpr int64_t kMostAtOnce = 32;
static constexpr int64_t kMostSumScratch = 512 << 10;

/// Does `nest` compute nothing but tiles of the index?
static bool isOfIndex(const Nest &nest, const TileProgram &program) {
  return llvm::all_of(nest.inners, [&](const Inner &inner) {
    return llvm::all_of(inner.roots, [&](const Root &root) {
      return root.kind == RootKind::Materialize &&
             program.materializedIndexFunctions.contains(root.value);
    });
  });
}

using Tiles = llvm::DenseSet<Value>;

/// May `steps`, which precede `loop`, run at any time? Adds what they
/// materialize to `tiles`.
static bool areOrderless(ArrayRef<Step> steps, scf::ForOp loop,
                         const TileProgram &program, Tiles &tiles) {
  for (const Step &step : steps) {
    if (step.kind == StepKind::Op) {
      if (!isMemoryEffectFree(step.op) && !isa<LLVM::AssumeOp>(step.op))
        return false;
      continue;
    }
    if (step.kind != StepKind::Nest)
      return false;
    if (step.nest->unlessRun == loop)
      continue;
    if (!isOfIndex(*step.nest, program))
      return false;
    for (const Inner &inner : step.nest->inners)
      for (const Root &root : inner.roots)
        tiles.insert(root.value);
  }
  return true;
}

/// Could `step` read one of `tiles`?
static bool mayRead(const Step &step, const Tiles &tiles,
                    const TileProgram &program) {
  auto isOne = [&](Value value) { return tiles.contains(value); };
  if (step.kind == StepKind::Op)
    return llvm::any_of(step.op->getOperands(), isOne);
  return step.kind != StepKind::Nest ||
         llvm::any_of(step.nest->inners, [&](const Inner &inner) {
           return llvm::any_of(inner.roots, [&](const Root &root) {
             return llvm::any_of(
                 readsOf(root, program).materialized,
                 [&](const TileRead &read) { return isOne(read.value); });
           });
         });
}

/// The loop of a function that runs nothing before it but what computes scalars
/// and, for the loop alone, tiles of the index; null if it has none.
static scf::ForOp findJointLoop(const TileProgram &program) {
  auto function = const_cast<tt::FuncOp &>(program.function);
  if (!llvm::hasSingleElement(function.getBody()))
    return {};
  ArrayRef<Step> steps = program.blocks.at(&function.getBody().front()).steps;
  const Step *found = llvm::find_if(
      steps, [](const Step &step) { return step.kind == StepKind::Region; });
  auto loop =
      found == steps.end() ? scf::ForOp() : dyn_cast<scf::ForOp>(found->op);
  Tiles tiles;
  if (!loop ||
      !areOrderless(ArrayRef(steps.begin(), found), loop, program, tiles) ||
      llvm::any_of(ArrayRef(found + 1, steps.end()), [&](const Step &step) {
        return mayRead(step, tiles, program);
      }))
    return {};
  return loop;
}

void planJoint(TileProgram &program, const GenerateOptions &options) {
  if (!options.fastPaths.has(FastPath::JointPrograms) ||
      !program.heldSums.empty())
    return;
  scf::ForOp loop = findJointLoop(program);
  auto found = program.deferredDots.find(loop);
  if (!loop || found == program.deferredDots.end())
    return;
  const DeferredDots &deferred = found->second;
  const auto &[left, right] = deferred.inPlace;
  if (!left || left->isExtended || !right || right->isByColumns ||
      !deferred.startsAtZero)
    return;
  tt::DotOp dot = deferred.dots.front();
  // The loop only reads memory, and leaves one tile.
  for (Value argument : loop.getRegionIterArgs())
    if (isTile(argument) && argument != dot.getC())
      return;
  CarriedTile sums = program.carried.lookup(dot.getC());
  if (!onlyReads(loop) || !sums.current || sums.current != sums.next)
    return;
  tt::LoadOp load = right->load;
  auto tile = codegen::tileType(load.getResult());
  int64_t rowBytes = tile.getShape().back() *
                     tt::getElementBitWidth(tile.getElementType()) / 8;
  int64_t programs =
      std::min({kMostAtOnce, kMostRowBytes / rowBytes,
                kMostSumScratch / int64_t(sums.current->bytes())});
  if (programs < 2)
    return;
  // The same rows of all programs are apart in the sets of the first cache.
  uint64_t sumBytes = sums.current->bytes();
  sums.current->groups = programs;
  sums.current->padding =
      llvm::alignTo(sumBytes, CpuModel::kSetDistance) - sumBytes +
      llvm::alignTo(sumBytes / dot.getType().getDimSize(0), kScratchAlign);
  program.joint = JointLoop{loop, sums.current, programs};
}

} // namespace nereid::cpu
