// Survey.cpp - what a nest accesses along each of its dimensions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Survey.h"
#include "plan/Reads.h"

using namespace mlir;

namespace nereid::cpu {

static unsigned bitsOf(Type type) {
  unsigned bits = tt::getElementBitWidth(getElementTypeOrSelf(type));
  return std::max(bits, 8u);
}

namespace {
/// Counts accesses and operations.
class Surveyor {
public:
  explicit Surveyor(ArrayRef<int64_t> shape) {
    survey.score.resize(shape.size(), 0);
    survey.wholeScore.resize(shape.size(), 0);
    survey.memoryBits.resize(shape.size(), 8);
    survey.cost.resize(shape.size(), 0);
    for (auto [dim, size] : llvm::enumerate(shape))
      longDims |= codegen::DimSet(size > 1) << dim;
  }

  /// An access that differs along these of its own dimensions, with points for
  /// each.
  void access(ArrayRef<IndexSource> map, codegen::DimSet differs,
              ArrayRef<int> points) {
    codegen::DimSet along = 0; // in the nest
    for (auto [own, source] : llvm::enumerate(map))
      if (differs >> own & 1)
        along |= source.dimension() ? codegen::DimSet(1) << source.dim
                 : source.kind == IndexSource::Other ? longDims
                                                     : 0;
    bool isWhole = (along & longDims) == longDims;
    hasWhole |= isWhole;
    for (auto [own, source] : llvm::enumerate(map))
      if (own < points.size() && source.dimension()) {
        survey.score[source.dim] += points[own];
        survey.wholeScore[source.dim] += isWhole ? points[own] : 0;
      }
  }

  /// Elements of `type`, in memory or scratch, at `map`, of a tile that is the
  /// same along dimensions that it does not depend on.
  void memory(Type type, ArrayRef<IndexSource> map,
              codegen::DimSet dependsOn = ~codegen::DimSet(0)) {
    for (auto [own, source] : llvm::enumerate(map))
      for (auto [dim, bits] : llvm::enumerate(survey.memoryBits))
        if ((dependsOn >> own & 1) &&
            (source.kind == IndexSource::Other || source.isAlong(dim)))
          bits = std::max(bits, bitsOf(type));
  }

  /// An operation on elements of a tile that depends on these dimensions.
  void operation(codegen::DimSet dependsOn) {
    for (auto [dim, count] : llvm::enumerate(survey.cost))
      count += dependsOn >> dim & 1;
  }

  /// An access through `addresses`.
  void pointers(Value addresses, codegen::TileForms &forms,
                ArrayRef<IndexSource> map) {
    const codegen::TileForm *form = forms.of(addresses);
    if (!form)
      return;
    codegen::DimSet differs = 0;
    SmallVector<int, 4> points;
    for (unsigned dim = 0; dim < map.size(); ++dim) {
      auto stride = forms.strideUnlessWrapped(*form, dim);
      std::optional<int64_t> known;
      if (stride)
        known = stride->constant();
      differs |= codegen::DimSet(known != 0) << dim;
      // A descending vector is an ascending one, reversed.
      points.push_back(!stride       ? -3
                       : known == 1  ? 4
                       : known == -1 ? 3
                       : known == 0  ? 1
                                     : -2);
    }
    access(map, differs, points);
  }

  /// An access to a buffer of rank `rank`.
  void buffer(ArrayRef<IndexSource> map, unsigned rank) {
    SmallVector<int, 4> points(rank, -1);
    if (rank)
      points.back() = 2;
    access(map, ~codegen::DimSet(0), points);
  }

  Survey survey;

  Survey finish() {
    if (!hasWhole)
      survey.wholeScore = survey.score;
    return survey;
  }

private:
  codegen::DimSet longDims = 0; // of the nest, with more than one element
  bool hasWhole = false;
};
} // namespace

Survey surveyOf(ArrayRef<Inner> inners, ArrayRef<int64_t> shape,
                const TileProgram &program, codegen::TileForms &forms,
                llvm::function_ref<bool(Value)> isIndexFunction) {
  unsigned rank = shape.size();
  Surveyor surveyor(shape);
  Survey &survey = surveyor.survey;
  IndexMap identity = codegen::identityMap(rank);
  for (const Inner &inner : inners)
    for (const Root &root : inner.roots) {
      RootReads reads = readsOf(root, program);
      for (const TileRead &read : reads.loads) {
        auto load = read.value.getDefiningOp<tt::LoadOp>();
        survey.readsMemory = true;
        surveyor.pointers(load.getPtr(), forms, read.map);
        surveyor.memory(read.value.getType(), read.map,
                        forms.dependsOn(read.value));
      }
      for (const TileRead &read : reads.materialized) {
        surveyor.buffer(read.map, codegen::rankOf(read.value));
        surveyor.memory(read.value.getType(), read.map);
      }
      for (Value value : reads.streamed) {
        if (!isa<tt::PointerType>(getElementTypeOrSelf(value.getType())))
          survey.valueBits =
              std::max(survey.valueBits, bitsOf(value.getType()));
        if (value.getDefiningOp()->hasTrait<OpTrait::Elementwise>())
          surveyor.operation(codegen::rankOf(value) == rank
                                 ? forms.dependsOn(value)
                                 : ~codegen::DimSet(0));
        auto reshape = value.getDefiningOp<tt::ReshapeOp>();
        if (reshape && rank == 1 && !isIndexFunction(value))
          survey.run = std::min(survey.run,
                                reshape.getSrc().getType().getShape().back());
      }
      if (root.kind == RootKind::Materialize) {
        surveyor.buffer(identity, rank);
        surveyor.memory(root.value.getType(), identity);
      } else if (auto store = dyn_cast<tt::StoreOp>(root.op)) {
        surveyor.pointers(store.getPtr(), forms, identity);
        surveyor.memory(store.getValue().getType(), identity);
      } else {
        for (Value operand : root.op->getOperands())
          surveyor.memory(operand.getType(), identity);
      }
    }
  return surveyor.finish();
}

} // namespace nereid::cpu
