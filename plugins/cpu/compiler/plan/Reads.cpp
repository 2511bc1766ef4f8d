// PlanUses.cpp - walks the expressions under a root.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Reads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace nereid::cpu {

bool isIdentity(ArrayRef<int> map, unsigned count) {
  if (map.size() < count)
    return false;
  for (unsigned dim = 0; dim < count; ++dim)
    if (map[dim] != int(dim))
      return false;
  return true;
}

/// The map of a tile of shape `from` whose reshape to `to` has `map`. A
/// dimension stays what it is, or is cut into several.
static IndexMap reshapeMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                           ArrayRef<int> map) {
  IndexMap inner(from.size(), kZero);
  size_t a = 0, b = 0;
  while (a < from.size()) {
    if (from[a] == 1) {
      ++a;
      continue;
    }
    while (to[b] == 1)
      ++b;
    // The next dimensions of both that make the same number of elements.
    size_t firstA = a, firstB = b;
    int64_t sizeA = from[a++], sizeB = to[b++];
    while (sizeA != sizeB)
      if (sizeA < sizeB)
        sizeA *= from[a++];
      else
        sizeB *= to[b++];
    for (size_t dim = firstA; dim < a; ++dim)
      if (from[dim] != 1)
        inner[dim] = kOther;
    if (b - firstB > 1)
      continue;
    bool isWhole = from[firstA] == to[firstB];
    inner[firstA] = isWhole            ? map[firstB]
                    : map[firstB] >= 0 ? kPart - map[firstB]
                                       : kOther;
  }
  return inner;
}

namespace {
class Reader {
public:
  Reader(const TileProgram &program, RootReads &reads)
      : program(program), reads(reads) {}

  void visit(Value value, const IndexMap &map) {
    if (!isTile(value)) {
      reads.scalars.push_back(value);
      return;
    }
    SmallVector<IndexMap, 1> &maps = seen[value];
    if (llvm::is_contained(maps, map))
      return;
    maps.push_back(map);
    if (program.isKept(value)) {
      reads.kept.push_back({value, map});
      return;
    }
    reads.streamed.insert(value);
    visitDefinition(value, map);
  }

  void visitDefinition(Value value, const IndexMap &map) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return;
    if (isa<tt::LoadOp>(op))
      reads.loads.push_back({value, map});
    if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
      IndexMap inner = map;
      inner.erase(inner.begin() + expand.getAxis());
      return visit(expand.getSrc(), inner);
    }
    if (auto trans = dyn_cast<tt::TransOp>(op)) {
      IndexMap inner(map.size());
      for (auto [dim, from] : llvm::enumerate(trans.getOrder()))
        inner[from] = map[dim];
      return visit(trans.getSrc(), inner);
    }
    if (isa<tt::BroadcastOp>(op)) {
      IndexMap inner = map;
      auto type = cast<RankedTensorType>(op->getOperand(0).getType());
      for (auto [dim, size] : llvm::enumerate(type.getShape()))
        if (size == 1)
          inner[dim] = kZero;
      return visit(op->getOperand(0), inner);
    }
    if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
      return visit(reshape.getSrc(),
                   reshapeMap(reshape.getSrc().getType().getShape(),
                              reshape.getType().getShape(), map));
    if (isa<tt::JoinOp>(op)) {
      ArrayRef<int> inner = ArrayRef(map).drop_back();
      for (Value operand : op->getOperands())
        visit(operand, IndexMap(inner));
      return;
    }
    if (auto split = dyn_cast<tt::SplitOp>(op)) {
      IndexMap inner = map;
      inner.push_back(kOther);
      return visit(split.getSrc(), inner);
    }
    if (isa<tt::CatOp>(op)) {
      for (Value operand : op->getOperands())
        visit(operand, other(operand));
      return;
    }
    if (auto gather = dyn_cast<tt::GatherOp>(op)) {
      visit(gather.getSrc(), other(gather.getSrc()));
      return visit(gather.getIndices(), map);
    }
    for (Value operand : op->getOperands())
      visit(operand, isTile(operand) ? map : IndexMap());
  }

private:
  static IndexMap other(Value value) {
    return IndexMap(codegen::rankOf(value), kOther);
  }

  const TileProgram &program;
  RootReads &reads;
  DenseMap<Value, SmallVector<IndexMap, 1>> seen;
};
} // namespace

RootReads readsOf(const Root &root, const TileProgram &program) {
  RootReads reads;
  Reader reader(program, reads);
  auto visitWhole = [&](Value value) {
    IndexMap map;
    for (unsigned dim = 0; dim < codegen::rankOf(value); ++dim)
      map.push_back(dim);
    reader.visit(value, map);
  };
  if (root.kind != RootKind::Keep) {
    for (Value operand : root.op->getOperands())
      visitWhole(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(root.op->getRegions(), captured);
    reads.scalars.append(captured.begin(), captured.end());
    return reads;
  }
  // A value is computed into its own buffer, but copied into another.
  if (program.kept.lookup(root.value) != root.target)
    visitWhole(root.value);
  else {
    IndexMap map;
    for (unsigned dim = 0; dim < codegen::rankOf(root.value); ++dim)
      map.push_back(dim);
    reads.streamed.insert(root.value);
    reader.visitDefinition(root.value, map);
  }
  return reads;
}

static unsigned ownCost(Operation *op, codegen::TileForms &forms) {
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    const codegen::TileForm *form = forms.of(load.getPtr());
    return form && form->isAffine() ? 1 : 8;
  }
  if (isa<arith::DivFOp, math::SqrtOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp, arith::RemFOp>(op))
    return 4;
  if (isa<tt::ExternElementwiseOp>(op)) // a call for each element
    return 32;
  if (op->hasTrait<OpTrait::Elementwise>())
    return 1;
  return isa<tt::GatherOp>(op) ? 4 : 0;
}

unsigned costOf(Value value, const TileProgram &program,
                codegen::TileForms &forms) {
  constexpr unsigned kEnough = 1000;
  unsigned cost = 0;
  SmallVector<Value> work = {value};
  DenseSet<Value> seen;
  while (!work.empty() && cost < kEnough) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !isTile(next) || !seen.insert(next).second ||
        (next != value && program.isKept(next)))
      continue;
    cost += ownCost(op, forms);
    llvm::append_range(work, op->getOperands());
  }
  return cost;
}

} // namespace nereid::cpu
