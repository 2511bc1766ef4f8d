// Reads.cpp - walks the expressions under a root.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Reads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/RegionUtils.h"
#include "nereid/codegen/Expand.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class Reader {
public:
  Reader(const TileProgram &program, RootReads &reads)
      : program(program), reads(reads) {}

  void visit(Value value, const IndexMap &map) {
    if (program.isInElementLoop(value.getParentBlock())) {
      bool isComputed = isTile(value) && value.getDefiningOp();
      reads.isOfLoop |= !isComputed;
      if (!isComputed)
        return;
    }
    if (!isTile(value)) {
      reads.scalars.push_back(value);
      return;
    }
    SmallVector<IndexMap, 1> &maps = seen[value];
    if (llvm::is_contained(maps, map))
      return;
    maps.push_back(map);
    if (program.isMaterialized(value)) {
      reads.materialized.push_back({value, map});
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
    if (program.elementLoops.contains(op))
      visitLoop(cast<scf::ForOp>(op), map);
    for (auto [number, operand] : llvm::enumerate(op->getOperands()))
      visit(operand, codegen::operandMap(op, number, map));
  }

private:
  /// What `loop` computes at `map`, and what it uses from around it.
  void visitLoop(scf::ForOp loop, const IndexMap &map) {
    reads.isOfLoop = true;
    for (Value yielded : loop.getYieldedValues())
      visit(yielded, map);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(loop.getRegion(), captured);
    for (Value value : captured)
      if (!isTile(value))
        visit(value, map);
  }

  const TileProgram &program;
  RootReads &reads;
  DenseMap<Value, SmallVector<IndexMap, 1>> seen;
};
} // namespace

RootReads readsOf(Value value, const TileProgram &program) {
  RootReads reads;
  Reader(program, reads)
      .visit(value, codegen::identityMap(codegen::rankOf(value)));
  return reads;
}

RootReads readsOf(const Root &root, const TileProgram &program) {
  RootReads reads;
  Reader reader(program, reads);
  auto visitWhole = [&](Value value) {
    reader.visit(value, codegen::identityMap(codegen::rankOf(value)));
  };
  if (root.kind != RootKind::Materialize) {
    for (Value operand : root.op->getOperands())
      visitWhole(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(root.op->getRegions(), captured);
    reads.scalars.append(captured.begin(), captured.end());
    return reads;
  }
  // A value is computed into its own buffer, but copied into another.
  if (program.materialized.lookup(root.value) != root.target)
    visitWhole(root.value);
  else {
    reads.streamed.insert(root.value);
    reader.visitDefinition(
        root.value, codegen::identityMap(codegen::rankOf(root.value)));
  }
  return reads;
}

static unsigned costOfLoad(tt::LoadOp load, codegen::TileForms &forms,
                           bool hasLanes) {
  // Lane by lane. A strided load alone is more than is evaluated again.
  constexpr unsigned kGather = 8, kStrided = 16;
  const codegen::TileForm *form = forms.of(load.getPtr());
  if (!form || !form->isAffine())
    return kGather;
  if (!hasLanes || form->strides.empty())
    return 1;
  const codegen::Polynomial &stride = form->strides.back();
  return stride.constant() == 0 || stride.constant() == 1 ? 1 : kStrided;
}

static unsigned ownCost(Operation *op, codegen::TileForms &forms,
                        bool hasLanes) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return costOfLoad(load, forms, hasLanes);
  if (isa<arith::DivFOp, math::SqrtOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp, arith::RemFOp>(op))
    return 4;
  if (auto external = dyn_cast<tt::ExternElementwiseOp>(op))
    return codegen::isInstruction(external.getSymbol())
               ? 1
               : 32; // a call for each element
  if (op->hasTrait<OpTrait::Elementwise>())
    return 1;
  return isa<tt::GatherOp>(op) ? 4 : 0;
}

unsigned costOf(Value value, const TileProgram &program,
                codegen::TileForms &forms, bool hasLanes) {
  constexpr unsigned kEnough = 1000;
  unsigned cost = 0;
  SmallVector<Value> work = {value};
  DenseSet<Value> seen;
  while (!work.empty() && cost < kEnough) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !isTile(next) || !seen.insert(next).second ||
        (next != value && program.isMaterialized(next)))
      continue;
    cost += ownCost(op, forms, hasLanes);
    llvm::append_range(work, op->getOperands());
  }
  return cost;
}

} // namespace nereid::cpu
