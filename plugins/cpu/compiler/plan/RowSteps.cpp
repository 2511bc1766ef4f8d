// RowSteps.cpp - loops that reduce a few rows in each iteration.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that add up columns read a short piece of each of some rows in every
// iteration, and take turns (Interleave.h), so that together they read rows as
// long as a page. But hardware prefetchers follow few rows at once: a Zen 3
// read 64 MiB in blocks of 32 rows in 14 ms, and in blocks of 8 rows in 5.7.
// So an iteration becomes several, each of some rows: what changes once in each
// iteration of the original is selected in the last of them.
//
// This holds if the loop only reads, and uses the reductions of its rows only
// to combine them, in the same way, with what it carries.

#include "plan/RowSteps.h"

#include "plan/Interleave.h"
#include "plan/TileDims.h"
#include "tile/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class StepDivider {
public:
  StepDivider(tt::FuncOp kernel, scf::ForOp loop, int64_t most)
      : loop(loop), most(most), dims(kernel) {}

  /// Finds the rows; false if the loop cannot be divided.
  bool find(bool mayRound);
  void rewrite();

private:
  bool isAccumulated(tt::ReduceOp reduce, bool mayRound);
  bool collect();
  Value countIterations(OpBuilder &builder) const;

  scf::ForOp loop;
  const int64_t most; // rows of an iteration
  TileDims dims;
  unsigned rows = 0;                     // a set of dimensions
  int64_t size = 0;                      // along it
  llvm::DenseSet<unsigned> accumulators; // arguments that the loop carries
  SmallVector<Operation *> outside; // tiles with these rows, before the loop
};
} // namespace

/// Is the result of `reduce` only combined, in the same way, with something
/// that the loop carries?
bool StepDivider::isAccumulated(tt::ReduceOp reduce, bool mayRound) {
  Region &region = reduce->getRegion(0);
  if (reduce->getBlock() != loop.getBody() || reduce->getNumOperands() != 1 ||
      (!mayRound && codegen::isRounded(region)))
    return false;
  Value reduced = reduce->getResult(0);
  codegen::Combine own = codegen::combineOf(region);
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value yielded = loop.getYieldedValues()[number];
    codegen::Combination update = codegen::combinationOf(yielded);
    bool isUpdate = update && update.kind == own.kind &&
                    ((update.first == carried && update.second == reduced) ||
                     (update.second == carried && update.first == reduced &&
                      own.isCommutative()));
    if (!isUpdate || !yielded.hasOneUse())
      continue;
    auto isPart = [&](Operation *user) {
      return llvm::is_contained(update.ops, user);
    };
    if (!llvm::all_of(carried.getUsers(), isPart) ||
        !llvm::all_of(reduced.getUsers(), isPart))
      return false;
    for (Operation *op : ArrayRef(update.ops).drop_back())
      if (!llvm::all_of(op->getUsers(), isPart))
        return false;
    accumulators.insert(number);
    return true;
  }
  return false;
}

/// Collects the tiles with these rows before the loop; false if not all others
/// are in its body.
bool StepDivider::collect() {
  auto hasRows = [&](Value value) {
    return dims.dimIn(rows, value).has_value();
  };
  auto function = loop->getParentOfType<tt::FuncOp>();
  WalkResult result = function.getBody().walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArguments(), hasRows))
          return WalkResult::interrupt();
    if (llvm::none_of(op->getResults(), hasRows) ||
        op->getBlock() == loop.getBody())
      return WalkResult::advance();
    bool mayMove = op->getBlock() == loop->getBlock() &&
                   isMemoryEffectFree(op) && op->isBeforeInBlock(loop) &&
                   op->getNumRegions() == 0;
    outside.push_back(op);
    return mayMove ? WalkResult::advance() : WalkResult::interrupt();
  });
  // What they are for is in the body, or moves there.
  return !result.wasInterrupted() && llvm::all_of(outside, [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return loop->isProperAncestor(user) || llvm::is_contained(outside, user);
    });
  });
}

bool StepDivider::find(bool mayRound) {
  for (auto load : loop.getBody()->getOps<tt::LoadOp>())
    for (unsigned dim = 0; dim < codegen::rankOf(load.getResult()); ++dim) {
      unsigned set = dims.setOf(load.getResult(), dim);
      int64_t length = codegen::tileType(load.getResult()).getDimSize(dim);
      if (length > size && !dims.reductionsOf(set).empty()) {
        rows = set;
        size = length;
      }
    }
  if (size <= most || size % most != 0 || dims.isWhole(rows) || !collect())
    return false;
  for (tt::ReduceOp reduce : dims.reductionsOf(rows))
    if (!isAccumulated(reduce, mayRound))
      return false;
  // Nothing else may be a tile.
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs()))
    if (codegen::tileType(carried) && !accumulators.contains(number))
      return false;
  return true;
}

/// An i64: how often the loop runs.
Value StepDivider::countIterations(OpBuilder &builder) const {
  auto loopOp = scf::ForOp(loop);
  Location location = loopOp.getLoc();
  Type i64 = builder.getI64Type();
  auto extend = [&](Value value) -> Value {
    return value.getType() == i64
               ? value
               : builder.create<arith::ExtSIOp>(location, i64, value);
  };
  Value lower = extend(loopOp.getLowerBound());
  Value upper = extend(loopOp.getUpperBound());
  Value step = extend(loopOp.getStep());
  auto number = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIntOp>(location, value, 64);
  };
  Value length = builder.create<arith::SubIOp>(location, upper, lower);
  length = builder.create<arith::MaxSIOp>(location, length, number(0));
  Value more = builder.create<arith::SubIOp>(location, step, number(1));
  length = builder.create<arith::AddIOp>(location, length, more);
  return builder.create<arith::DivUIOp>(location, length, step);
}

void StepDivider::rewrite() {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  auto number = [&](int64_t value, unsigned bits) -> Value {
    return builder.create<arith::ConstantIntOp>(location, value, bits);
  };
  Value parts = number(size / most, 64);
  Value count =
      builder.create<arith::MulIOp>(location, countIterations(builder), parts);
  // Beside what the loop carries, its index and the first row.
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(loop.getLowerBound());
  inits.push_back(number(0, 32));
  auto divided = builder.create<scf::ForOp>(location, number(0, 64), count,
                                            number(1, 64), inits);
  Block &body = *divided.getBody(), &old = *loop.getBody();
  auto arguments = divided.getRegionIterArgs();
  Value index = *(arguments.end() - 2), first = arguments.back();
  auto yield = cast<scf::YieldOp>(old.getTerminator());
  SmallVector<Value> yielded(yield.getOperands());
  yield.erase();
  old.getArgument(0).replaceAllUsesWith(index);
  for (auto [argument, by] : llvm::zip(loop.getRegionIterArgs(), arguments))
    argument.replaceAllUsesWith(by);
  body.getOperations().splice(body.end(), old.getOperations());
  for (Operation *op : llvm::reverse(outside))
    op->moveBefore(&body, body.begin());

  builder.setInsertionPointToEnd(&body);
  Value next = builder.create<arith::AddIOp>(location, first, number(most, 32));
  Value isLast = builder.create<arith::CmpIOp>(
      location, arith::CmpIPredicate::eq, next, number(size, 32));
  auto inLast = [&](Value value, Value before) -> Value {
    return builder.create<arith::SelectOp>(location, isLast, value, before);
  };
  for (auto [place, value] : llvm::enumerate(yielded))
    if (!accumulators.contains(place))
      value = inLast(value, arguments[place]);
  yielded.push_back(inLast(
      builder.create<arith::AddIOp>(location, index, loop.getStep()), index));
  yielded.push_back(inLast(number(0, 32), next));
  builder.create<scf::YieldOp>(location, yielded);
  loop->replaceAllUsesWith(
      divided.getResults().take_front(loop.getNumResults()));
  loop.erase();
  dims.shorten(body, rows, most, first);
}

void shortenRowSteps(tt::FuncOp kernel, const GenerateOptions &options) {
  int64_t most = options.cpu.rowStreams;
  auto loops = kernel.getBody().front().getOps<scf::ForOp>();
  if (!options.fastPaths.has(FastPath::RowGroups) || !most ||
      !options.fastPaths.has(FastPath::InterleavedPrograms) ||
      !llvm::hasSingleElement(kernel.getBody()) || loops.empty())
    return;
  scf::ForOp loop = *loops.begin();
  auto readsMany = [&](tt::LoadOp load) {
    auto tile = codegen::tileType(load.getResult());
    return tile && llvm::any_of(tile.getShape(),
                                [&](int64_t size) { return size > most; });
  };
  codegen::TileForms forms;
  if (!isa<IntegerType>(loop.getInductionVar().getType()) || !onlyReads(loop) ||
      !loop.getBody()->getOps<tt::DotOp>().empty() ||
      llvm::none_of(loop.getBody()->getOps<tt::LoadOp>(), readsMany) ||
      !programsOfRows(loop, forms))
    return;
  separateSources(kernel);
  StepDivider divider(kernel, loop, most);
  if (divider.find(options.reassociate))
    divider.rewrite();
}

} // namespace nereid::cpu
