// Transpose.cpp - decides which nests transpose blocks in vector registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A nest that reads along one dimension and writes along another would access
// one of both element by element, whatever its vector axis is.

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

/// The stride in memory of `read`, in elements, along dimension `dim` of the
/// nest; none if it is not a constant.
static std::optional<int64_t> strideOf(const TileRead &read, unsigned dim,
                                       const TileProgram &program,
                                       codegen::TileForms &forms) {
  const codegen::TileForm *form = nullptr;
  if (!program.isMaterialized(read.value)) {
    form = forms.of(read.value.getDefiningOp<tt::LoadOp>().getPtr());
    if (!form || (codegen::mapDims(form->termDims(), read.map, ~0u) >> dim & 1))
      return std::nullopt;
  }
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(read.value.getType()).getShape();
  int64_t unit = 1, stride = 0;
  for (size_t inner = shape.size(); inner-- > 0; unit *= shape[inner]) {
    if (!read.map[inner].isDim(dim) || shape[inner] == 1)
      continue;
    std::optional<int64_t> step = form ? form->strides[inner].constant() : unit;
    if (!step)
      return std::nullopt;
    stride += *step;
  }
  return stride;
}

/// The dimension along which every root writes contiguous elements.
static std::optional<unsigned> axisOfWrites(const Nest &nest,
                                            codegen::TileForms &forms) {
  std::optional<unsigned> axis;
  auto isContiguous = [&](const Root &root, unsigned dim) {
    if (root.kind == RootKind::Materialize)
      return isInnermost(dim, nest.shape);
    const codegen::TileForm *form =
        forms.of(cast<tt::StoreOp>(root.op).getPtr());
    return form && !(form->termDims() >> dim & 1) &&
           form->strides[dim].constant() == 1;
  };
  for (const Root &root : nest.inners.front().roots) {
    if (root.kind != RootKind::Materialize && root.kind != RootKind::Store)
      return std::nullopt;
    std::optional<unsigned> found;
    for (auto [dim, size] : llvm::enumerate(nest.shape))
      if (size > 1 && isContiguous(root, dim))
        found = dim;
    if (!found || (axis && axis != found))
      return std::nullopt;
    axis = found;
  }
  return axis;
}

/// Can vectors of `read` along one dimension be transposed?
static bool isTransposable(const TileRead &read) {
  auto load = read.value.getDefiningOp<tt::LoadOp>();
  Type element = getElementTypeOrSelf(read.value.getType());
  return element.isIntOrFloat() && !element.isInteger(1) &&
         !(load && load.getIsVolatile()) &&
         llvm::all_of(read.map, [](IndexSource source) {
           return source.kind == IndexSource::Dim ||
                  source.kind == IndexSource::Zero;
         });
}

/// Does `value` depend on memory or scratch?
static bool readsMemory(Value value, const TileProgram &program,
                        DenseMap<Value, bool> &known) {
  auto [found, isNew] = known.try_emplace(value, true);
  if (!isNew)
    return found->second;
  Operation *op = value.getDefiningOp();
  bool result = isTile(value) &&
                (program.isMaterialized(value) || !op || isa<tt::LoadOp>(op) ||
                 llvm::any_of(op->getOperands(), [&](Value operand) {
                   return readsMemory(operand, program, known);
                 }));
  return known[value] = result;
}

/// How many rows a block of elements of `bits` has. With more, a load reads a
/// longer part of a cache line; but each row has a pointer, and sixteen of them
/// were faster on one processor and slower on another than eight. Fewer if the
/// expressions of the nest are long, which each row repeats. 0: they are too
/// long for the smallest block.
static unsigned sizeOfBlocks(unsigned bits, int64_t lanes, int64_t extent,
                             unsigned cost) {
  constexpr int64_t kRows = 8;
  constexpr unsigned kMostCost = 64;
  unsigned least = std::min<int64_t>({128 / bits, lanes, extent});
  unsigned size = std::max<unsigned>(std::min({kRows, lanes, extent}), least);
  while (size > least && cost * size > kMostCost)
    size /= 2;
  return cost * size > kMostCost ? 0 : size;
}

void planTransposition(Nest &nest,
                       llvm::function_ref<int64_t(unsigned)> lanesAlong,
                       ArrayRef<unsigned> bitsAlong, const TileProgram &program,
                       codegen::TileForms &forms) {
  if (nest.inners.size() > 1)
    return;
  std::optional<unsigned> axis = axisOfWrites(nest, forms);
  if (!axis)
    return;
  Transposition blocks;
  std::optional<unsigned> along;
  auto add = [&](const TileRead &read) {
    if (!isTransposable(read))
      return;
    std::optional<int64_t> stride = strideOf(read, *axis, program, forms);
    if (stride && std::abs(*stride) <= 1)
      return; // contiguous, or invariant
    for (auto [dim, size] : llvm::enumerate(nest.shape))
      if (size > 1 && dim != *axis && (!along || dim == *along) &&
          strideOf(read, dim, program, forms) == 1) {
        along = dim;
        blocks.reads.push_back(read);
        return;
      }
  };
  unsigned cost = 0; // of an element, without addresses and masks
  DenseMap<Value, bool> known;
  for (const Root &root : nest.inners.front().roots) {
    RootReads reads = readsOf(root, program);
    llvm::for_each(reads.loads, add);
    llvm::for_each(reads.materialized, add);
    cost += llvm::count_if(reads.streamed, [&](Value value) {
      return value.getDefiningOp()->hasTrait<OpTrait::Elementwise>() &&
             readsMemory(value, program, known);
    });
  }
  if (!along)
    return;
  constexpr unsigned kLineBits = 512;
  int64_t lanes = lanesAlong(*axis);
  unsigned bits = std::max(bitsAlong[*axis], bitsAlong[*along]);
  blocks.axis = *along;
  blocks.line = kLineBits / bits;
  blocks.size = sizeOfBlocks(bits, lanes, nest.shape[*along], cost);
  if (blocks.size < 2)
    return;
  nest.vectorAxis = *axis;
  nest.lanes = lanes;
  nest.transposition = std::move(blocks);
}

} // namespace nereid::cpu
