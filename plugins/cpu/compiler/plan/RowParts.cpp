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
// stores, different stores must not overlap, nor rows of one store: each run
// compares the address ranges before it accesses memory. If they overlap, the
// first run stores all rows and the others end at once.

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
             const GenerateOptions &options)
      : function(function), forms(forms), options(options) {}

  /// Nothing if the programs cannot be divided.
  std::optional<RowParts> run();

private:
  bool add(Operation *op);
  bool findAccesses();
  bool addComparisons(Block &block);
  void maskStores(const RowParts &parts, OpBuilder &builder);

  tt::FuncOp function;
  codegen::TileForms &forms;
  const GenerateOptions &options;
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
                  type.getNumElements() >= kFewestSums && isOnlyStored(dot) &&
                  planProduct(dot, options).kind != DotKind::Tiles;
         });
}

/// Emits whether runs of different rows are independent, as what `block`
/// yields. False if that cannot be known.
bool RowDivider::addComparisons(Block &block) {
  Operation *before = block.getParentOp()->getNextNode();
  AddressBounds bounds(block, before, forms);
  OpBuilder &builder = bounds.builder;
  Location loc = before->getLoc();
  DenseMap<Operation *, Bounds> ranges;
  for (Operation *access : accesses) {
    std::optional<Bounds> range = bounds.of(access);
    if (!range)
      return false;
    ranges[access] = *range;
  }
  Value all;
  auto require = [&](Value condition) {
    all = all ? builder.create<arith::AndIOp>(loc, all, condition) : condition;
  };
  auto isBelow = [&](Value end, Value begin) -> Value {
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, end,
                                         begin);
  };
  for (tt::StoreOp store : stores) {
    Bounds range = ranges.lookup(store);
    for (Operation *access : accesses) {
      if (access == store)
        continue;
      Bounds other = ranges.lookup(access);
      require(builder.create<arith::OrIOp>(loc, isBelow(range.high, other.low),
                                           isBelow(other.high, range.low)));
    }
    Value areApart = bounds.haveRowsApart(store);
    if (!areApart)
      return false;
    require(areApart);
  }
  require(bounds.areValid());
  builder.create<scf::YieldOp>(loc, all);
  return true;
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

  // What precedes does not depend on memory.
  Operation *before = nullptr;
  for (Operation &op : function.getBody().front())
    if (op.getNumRegions() || isa<tt::DotOp>(op) ||
        (!isMemoryEffectFree(&op) && !isa<LLVM::AssumeOp>(op))) {
      before = &op;
      break;
    }
  OpBuilder builder(before);
  Location loc = before->getLoc();
  Type i1 = builder.getI1Type(), i32 = builder.getI32Type();
  unsigned arguments = function.getNumArguments();
  for (Value *argument : {&parts.first, &parts.last}) {
    unsigned number = function.getNumArguments();
    function.insertArgument(number, i32, {}, loc);
    *argument = function.getArgument(number);
  }
  Value all = builder.create<arith::ConstantIntOp>(loc, parts.rows, 32);
  Value count = builder.create<arith::SubIOp>(loc, parts.last, parts.first);
  Value isPart =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, count, all);
  auto areApart = builder.create<scf::IfOp>(loc, i1, isPart, true);
  if (!addComparisons(*areApart.thenBlock())) {
    areApart.erase();
    for (Value value : {isPart, count, all})
      value.getDefiningOp()->erase();
    for (unsigned number : {arguments + 1, arguments})
      function.eraseArgument(number);
    return std::nullopt;
  }
  OpBuilder whole = areApart.getElseBodyBuilder();
  Value yes = whole.create<arith::ConstantIntOp>(loc, 1, 1);
  whole.create<scf::YieldOp>(loc, yes);

  Value independent = areApart.getResult(0);
  Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 32);
  Value isFirst = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                parts.first, zero);
  parts.end =
      builder.create<arith::SelectOp>(loc, independent, parts.last, all);
  parts.isNeeded = builder.create<arith::OrIOp>(loc, independent, isFirst);
  maskStores(parts, builder);
  return parts;
}

void Planner::divideRows() {
  if (options.fastPaths.has(FastPath::RowParts) &&
      options.fastPaths.has(FastPath::DotRows) &&
      options.fastPaths.has(FastPath::DotKernel))
    parts = RowDivider(function, forms, options).run();
}

} // namespace nereid::cpu
