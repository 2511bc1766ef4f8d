// RowParts.cpp - programs that several threads share, each for some rows of
// their results.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A product may have fewer programs than the machine has threads. Then each
// program is run several times, by different threads, with masks that leave
// each run a part of the rows of all stores; rows that it does not store are
// not multiplied (DotRows.cpp), but operands are packed by each.
//
// The runs are not ordered. So nothing that the program reads may be what it
// stores, different stores must not overlap, nor rows of one store. The driver
// finds out before it divides a program: the image has a formula that compares
// the address ranges. It depends on the launch and on the program's position
// only, not on memory.

#include "plan/RowParts.h"

#include "plan/AddressBounds.h"
#include "plan/DotTypes.h"
#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::infoOf;
using codegen::TileOpKind;

namespace {
class RowDivider {
public:
  RowDivider(tt::FuncOp function, codegen::TileForms &forms,
             const GenerateOptions &options, KernelInfo &info)
      : function(function), forms(forms), options(options), info(info) {}

  /// Nothing if the programs cannot be divided.
  std::optional<RowParts> run();

private:
  bool add(Operation *op);
  bool findAccesses();
  std::vector<nereid_work_step_t> condition();
  void maskStores(const RowParts &parts, OpBuilder &builder);

  tt::FuncOp function;
  codegen::TileForms &forms;
  const GenerateOptions &options;
  KernelInfo &info;
  SmallVector<tt::DotOp> dots;
  SmallVector<tt::StoreOp> stores;
  SmallVector<Operation *> accesses; // loads and stores
};
} // namespace

/// Adds `op` to the dots and accesses; false if programs with it cannot be
/// divided.
bool RowDivider::add(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, LLVM::AssumeOp>(op))
    return true;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    accesses.push_back(load);
    return !load.getIsVolatile();
  }
  if (auto store = dyn_cast<tt::StoreOp>(op)) {
    accesses.push_back(store);
    stores.push_back(store);
    return store->getParentOp() == function &&
           codegen::rankOf(store.getPtr()) == 2;
  }
  if (auto dot = dyn_cast<tt::DotOp>(op))
    dots.push_back(dot);
  return op->hasTrait<OpTrait::IsTerminator>() ||
         (!isa<scf::WhileOp>(op) && isMemoryEffectFree(op));
}

/// Can the product of some rows be computed, and does it pay?
static bool mayDivide(const DotPlan &plan) {
  return plan.kind != DotKind::Tiles || plan.terms > 1;
}

bool RowDivider::findAccesses() {
  bool isComplete =
      llvm::hasSingleElement(function.getBody()) &&
      !function.getBody()
           .walk([&](Operation *op) {
             return add(op) ? WalkResult::advance() : WalkResult::interrupt();
           })
           .wasInterrupted();
  // More of them cost more to compare than their rows are worth.
  constexpr size_t kMostStores = 2, kMostAccesses = 8;
  if (!isComplete || dots.empty() || stores.empty() ||
      stores.size() > kMostStores || accesses.size() > kMostAccesses)
    return false;
  constexpr int64_t kFewestSums = 1024;
  int64_t rows = codegen::tileType(stores.front().getPtr()).getDimSize(0);
  return llvm::all_of(
             stores,
             [&](tt::StoreOp store) {
               return codegen::tileType(store.getPtr()).getDimSize(0) == rows;
             }) &&
         llvm::all_of(dots, [&](tt::DotOp dot) {
           RankedTensorType type = dot.getType();
           return type.getRank() == 2 && type.getDimSize(0) == rows &&
                  type.getNumElements() >= kFewestSums &&
                  isOnlyStored(dot, forms) &&
                  mayDivide(planProduct(dot, options));
         });
}

/// The condition that parts are independent; empty if it is not known.
std::vector<nereid_work_step_t> RowDivider::condition() {
  AddressBounds bounds(info, forms);
  LaunchFormula &formula = bounds.formula;
  DenseMap<Operation *, Bounds> ranges;
  for (Operation *access : accesses) {
    std::optional<Bounds> range = bounds.ofAccess(access);
    if (!range)
      return {};
    ranges[access] = *range;
  }
  // All of these are true where the least is not negative.
  WorkValue least{0, true};
  for (tt::StoreOp store : stores) {
    Bounds range = ranges.lookup(store);
    for (Operation *access : accesses) {
      if (access == store)
        continue;
      Bounds other = ranges.lookup(access);
      least = formula.min(least, bounds.distance(range, other));
    }
    std::optional<WorkValue> rows = bounds.distanceOfRows(store);
    if (!rows)
      return {};
    least = formula.min(least, *rows);
  }
  return formula.finish(formula.min(least, bounds.validity()));
}

/// Leaves each store the rows of the part.
void RowDivider::maskStores(const RowParts &parts, OpBuilder &builder) {
  for (tt::StoreOp store : stores) {
    builder.setInsertionPoint(store);
    Location loc = store.getLoc();
    RankedTensorType type = codegen::tileType(store.getPtr());
    Type i1 = builder.getI1Type(), i32 = builder.getI32Type();
    auto column = [&](Type element) {
      return RankedTensorType::get({parts.rows, 1}, element);
    };
    Value rows = builder.create<tt::MakeRangeOp>(
        loc, RankedTensorType::get({parts.rows}, i32), 0, parts.rows);
    rows = builder.create<tt::ExpandDimsOp>(loc, rows, 1);
    auto compare = [&](arith::CmpIPredicate predicate, Value row) -> Value {
      Value side = builder.create<tt::SplatOp>(loc, column(i32), row);
      return builder.create<arith::CmpIOp>(loc, predicate, rows, side);
    };
    Value inPart = builder.create<arith::AndIOp>(
        loc, compare(arith::CmpIPredicate::sge, parts.first),
        compare(arith::CmpIPredicate::slt, parts.end));
    Value mask = builder.create<tt::BroadcastOp>(
        loc, RankedTensorType::get(type.getShape(), i1), inPart);
    if (store.getMask())
      mask = builder.create<arith::AndIOp>(loc, store.getMask(), mask);
    store.getMaskMutable().assign(mask);
  }
}

std::optional<RowParts> RowDivider::run() {
  if (!findAccesses())
    return std::nullopt;
  RowParts parts;
  parts.rows = dots.front().getType().getDimSize(0);
  parts.count = llvm::divideCeil(parts.rows,
                                 planProduct(dots.front(), options).block.rows);
  if (parts.count < 2)
    return std::nullopt;
  info.partsCondition = condition();
  if (info.partsCondition.empty())
    return std::nullopt;
  info.parts = parts.count;
  OpBuilder builder(function.getContext());
  for (Value *argument : {&parts.first, &parts.end}) {
    unsigned number = function.getNumArguments();
    function.insertArgument(number, builder.getI32Type(), {},
                            function.getLoc());
    *argument = function.getArgument(number);
  }
  maskStores(parts, builder);
  return parts;
}

std::optional<RowParts> divideRows(tt::FuncOp kernel, codegen::TileForms &forms,
                                   const GenerateOptions &options,
                                   KernelInfo &info) {
  for (FastPath path :
       {FastPath::RowParts, FastPath::DotRows, FastPath::DotKernel})
    if (!options.fastPaths.has(path))
      return std::nullopt;
  return RowDivider(kernel, forms, options, info).run();
}

} // namespace nereid::cpu
