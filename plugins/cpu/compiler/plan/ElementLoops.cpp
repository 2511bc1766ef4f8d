// ElementLoops.cpp - loops that run inside a nest, with what they carry in
// registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop such as
//
//   for c in range(C):
//     acc += tl.load(x + offs // W * C + c) * tl.load(w + c)
//
// runs a nest over the whole tile in each of its iterations, which divides the
// index again and reads and writes the tile that it carries. If no element
// depends on others, the order can be exchanged: for each few vectors of the
// tile, all iterations. Each element is computed by the same operations in the
// same order, but memory is read in another, so the rule is for loops that read
// little of it in an iteration, or read it by a divided index.

#include "plan/ElementLoops.h"

#include "plan/Planner.h"

#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace nereid::cpu {

/// More operations take long to compile, of all vectors at once.
static constexpr unsigned kMostLoopOperations = 1024;

namespace {
/// What a loop, and the loops in it, have in their bodies.
struct LoopContents {
  SmallVector<scf::ForOp, 2> loops;
  SmallVector<tt::LoadOp> loads; // of tiles
  unsigned operations = 0;
  ArrayRef<int64_t> shape; // of what they carry
  unsigned carried = 0;    // tiles, by the loop that carries most
  unsigned bits = 8;       // of their widest elements
};
} // namespace

/// Does `op`, which is no loop, compute elements, or scalars, from what is at
/// the same index, or load them?
static bool isOfElements(Operation &op) {
  if (op.getNumRegions())
    return false;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile();
  return op.hasTrait<OpTrait::ConstantLike>() || codegen::isElementOp(&op) ||
         isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::MakeRangeOp,
             tt::GetProgramIdOp, tt::GetNumProgramsOp>(op);
}

/// Adds what is in `loop` to `contents`; false if it is no loop of elements.
static bool addLoop(scf::ForOp loop, LoopContents &contents) {
  unsigned carried = 0;
  for (auto [argument, result] :
       llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
    auto type = codegen::tileType(argument);
    // Scalars are known inside the nest only.
    if (!type && !result.use_empty())
      return false;
    if (!type)
      continue;
    if (contents.shape.empty())
      contents.shape = type.getShape();
    if (type.getShape() != contents.shape)
      return false;
    unsigned bits = tt::getElementBitWidth(type.getElementType());
    contents.bits = std::max(contents.bits, bits);
    ++carried;
  }
  if (!carried)
    return false;
  contents.carried = std::max(contents.carried, carried);
  contents.loops.push_back(loop);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      if (!addLoop(inner, contents))
        return false;
      continue;
    }
    if (!isOfElements(op) || ++contents.operations > kMostLoopOperations)
      return false;
    if (auto load = dyn_cast<tt::LoadOp>(op); load && isTile(load.getResult()))
      contents.loads.push_back(load);
  }
  return true;
}

/// So many vectors of each of `carried` tiles leave registers for the rest.
static int64_t vectorsAtOnce(unsigned carried, const CpuModel &cpu) {
  return cpu.vectorRegisters / 2 / carried;
}

/// Does `load` read fewer elements than a tile of `shape` has?
static bool readsFew(tt::LoadOp load, ArrayRef<int64_t> shape,
                     codegen::TileForms &forms) {
  auto type = codegen::tileType(load.getResult());
  codegen::DimSet depends = forms.dependsOn(load.getResult());
  int64_t elements = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    elements *= depends >> dim & 1 ? size : 1;
  return elements < ShapedType::getNumElements(shape);
}

static bool isWorthExchanging(const LoopContents &contents,
                              codegen::TileForms &forms,
                              const GenerateOptions &options) {
  int64_t vectors = vectorsAtOnce(contents.carried, options.cpu);
  if (!vectors)
    return false;
  bool readsAll = llvm::any_of(contents.loads, [&](tt::LoadOp load) {
    const codegen::TileForm *form = forms.of(load.getPtr());
    return form && form->isAffine() && !readsFew(load, contents.shape, forms);
  });
  if (!readsAll)
    return true;
  // The whole tile in registers is read as it was. With few loads, programs
  // that take turns read memory in longer pieces.
  constexpr size_t kFewLoads = 3;
  return contents.loads.size() >= kFewLoads &&
         ShapedType::getNumElements(contents.shape) * contents.bits <=
             vectors * options.cpu.vectorBits;
}

llvm::DenseSet<Operation *> findElementLoops(tt::FuncOp function,
                                             codegen::TileForms &forms,
                                             const GenerateOptions &options) {
  llvm::DenseSet<Operation *> found;
  function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    LoopContents contents;
    if (!addLoop(loop, contents) ||
        !isWorthExchanging(contents, forms, options))
      return WalkResult::advance();
    for (scf::ForOp inner : llvm::reverse(contents.loops)) {
      moveLoopInvariantCode(inner);
      found.insert(inner);
    }
    return WalkResult::skip();
  });
  return found;
}

/// One nest, of its own, computes all that `loop` carries.
void Planner::planElementLoop(scf::ForOp loop) {
  flush();
  for (Value result : loop.getResults())
    if (isTile(result) && !result.use_empty()) {
      addRoot({RootKind::Materialize, loop, result,
               program->materialized.lookup(result)});
      pending->elementLoop = loop;
    }
  flush();
}

void setBlockOfLoop(Nest &nest, const CpuModel &cpu) {
  LoopContents contents;
  (void)addLoop(nest.elementLoop, contents);
  int64_t most = std::clamp<int64_t>(vectorsAtOnce(contents.carried, cpu), 1,
                                     2 * kMostLoopOperations /
                                         std::max(contents.operations, 1u));
  int64_t vectors = nest.shape[nest.vectorAxis] / nest.lanes;
  std::optional<unsigned> dim = rowDimOf(nest);
  int64_t rows = dim ? nest.shape[*dim] : 1;
  // So many hide the latency of operations. A value that is the same in a row
  // is read once for all of them, as one of a column is for all rows.
  constexpr int64_t kVectorsOfRow = 4;
  Inner &inner = nest.inners.front();
  auto floor = [](int64_t number) {
    return unsigned(llvm::bit_floor(uint64_t(number)));
  };
  inner.unroll = floor(std::min({vectors, most, kVectorsOfRow}));
  inner.rows = floor(std::min(rows, std::max<int64_t>(1, most / inner.unroll)));
}

} // namespace nereid::cpu
