// Distribution.cpp - chooses a layout for each tile of a kernel.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/Distribution.h"

#include "gpu/DotLayout.h"
#include "gpu/ShapeLayouts.h"
#include "tile/Ops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace nereid::codegen::gpu {

/// The values that are one value at run time: those that enter a region as its
/// argument, or leave it as a result of `result`'s operation.
static SmallVector<Value, 3> sourcesOf(Value value) {
  auto yielded = [](Region &region, unsigned number) {
    return region.front().getTerminator()->getOperand(number);
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
      return {loop.getInitArgs()[number], yielded(loop.getRegion(), number)};
    }
    auto loop = cast<scf::WhileOp>(parent);
    unsigned number = argument.getArgNumber();
    if (argument.getOwner() == loop.getBeforeBody())
      return {loop.getInits()[number], yielded(loop.getAfter(), number)};
    return {loop.getConditionOp().getArgs()[number]};
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  return llvm::TypeSwitch<Operation *, SmallVector<Value, 3>>(
             value.getDefiningOp())
      .Case([&](scf::ForOp loop) {
        return SmallVector<Value, 3>{loop.getInitArgs()[number],
                                     yielded(loop.getRegion(), number)};
      })
      .Case([&](scf::WhileOp loop) {
        return SmallVector<Value, 3>{loop.getConditionOp().getArgs()[number]};
      })
      .Case([&](scf::IfOp branch) {
        return SmallVector<Value, 3>{yielded(branch.getThenRegion(), number),
                                     yielded(branch.getElseRegion(), number)};
      });
}

/// True for a tile that enters or leaves a region.
static bool isCarried(Value tile) {
  return isa<BlockArgument>(tile) ||
         infoOf(tile.getDefiningOp()).kind == TileOpKind::Region;
}

/// The value that stands for a carried one: a loop's argument for its result.
static Value carrierOf(Value tile) {
  auto result = dyn_cast<OpResult>(tile);
  if (!result)
    return tile;
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getRegionIterArg(number);
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return loop.getAfterArguments()[number];
  return tile;
}

/// Chooses layouts in two passes: own layouts from operands to results, then
/// the needed layouts from users to operands.
class Distributor {
public:
  Distributor(TileForms &forms, const DistributionOptions &options)
      : forms(forms) {
    result.options = options;
  }

  Distribution run(tt::FuncOp kernel);

private:
  using OwnLayout = std::optional<Layout>; // none: it has none of its own

  OwnLayout layoutOf(Value tile);
  OwnLayout layoutOfResult(Value tile);
  OwnLayout layoutOfCarried(Value tile);
  /// The layout in which its users would like a carried tile.
  OwnLayout layoutOfUsers(Value tile);
  /// The layout in which its users would like a tile that is held in matrices.
  Layout layoutOfHeld(Value tile);
  void chooseOwn(Value tile);
  void keepLayout(tt::StoreOp store);

  void need(Value tile, const Layout &layout);
  /// What the matrices of `tile` are made of, if that is in registers.
  void needForMatrices(Value tile);
  void needOperands(Operation *op);
  void needOperandsOfRegion(Operation *op);
  void needInBlock(Block &block);

  TileForms &forms;
  Distribution result;
  llvm::DenseMap<Value, OwnLayout> chosen;
  /// While a carried tile is chosen: layouts of tiles after it, as if those
  /// that are being visited had none.
  llvm::DenseMap<Value, OwnLayout> guesses;
};

/// The layout with the fewest registers: copies help nobody.
static void preferSpread(std::optional<Layout> &best,
                         const std::optional<Layout> &other) {
  if (other && (!best || other->registerCount() < best->registerCount()))
    best = other;
}

std::optional<Layout> Distributor::layoutOfResult(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto found = result.accesses.find(op); found != result.accesses.end())
    return found->second.layout;
  auto orDefault = [&](OwnLayout layout, Value of) {
    return layout ? *layout : result.defaultLayout(of);
  };
  if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
    Value source = reduce.getSrcs()[0];
    return orDefault(layoutOf(source), source)
        .without(reduce.getAxis())
        .compacted();
  }
  if (auto scan = dyn_cast<tt::ScanOp>(op)) {
    Value source = scan.getSrcs()[0];
    return orDefault(layoutOf(source), source);
  }
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return dotLayout(dot.getType().getShape(), result.options.workgroup);
  if (auto gather = dyn_cast<tt::GatherOp>(op))
    return orDefault(layoutOf(gather.getIndices()), tile);
  bool isMap = isa<tt::MapElementwiseOp>(op);
  if (infoOf(op).kind != TileOpKind::Expression && !isMap)
    return result.defaultLayout(tile);
  // Elements are repeated at no cost in any layout.
  if (isa<tt::BroadcastOp>(op))
    return std::nullopt;
  OwnLayout best;
  for (Value operand : op->getOperands())
    if (tileType(operand))
      if (OwnLayout own = layoutOf(operand)) {
        if (!isElementOp(op) && !isMap)
          return shapeResultLayout(op, *own);
        preferSpread(best, own);
      }
  return isMap ? orDefault(best, tile) : best;
}

std::optional<Layout> Distributor::layoutOfUsers(Value tile) {
  for (Operation *user : tile.getUsers()) {
    if (auto found = result.accesses.find(user); found != result.accesses.end())
      return found->second.layout;
    if (isElementOp(user) && tileType(user->getResult(0)))
      if (OwnLayout layout = layoutOf(user->getResult(0)))
        return layout;
  }
  return std::nullopt;
}

std::optional<Layout> Distributor::layoutOfCarried(Value tile) {
  for (Value source : sourcesOf(tile))
    if (OwnLayout layout = layoutOf(source))
      return layout;
  return layoutOfUsers(tile);
}

static Layout rowMajorLayout(ArrayRef<int64_t> shape, int64_t width,
                             Workgroup workgroup) {
  SmallVector<unsigned> order;
  for (unsigned dim = shape.size(); dim-- > 0;)
    order.push_back(dim);
  return Layout::blocked(shape, order, width, workgroup);
}

/// Each thread holds a part of a row, as long as possible. Neighboring lanes
/// hold neighboring rows: in padded memory these are in different banks.
static Layout rowLayout(ArrayRef<int64_t> shape, Workgroup workgroup) {
  int64_t columns = shape.back();
  int64_t share = ShapedType::getNumElements(shape) / workgroup.threads();
  int64_t width = std::clamp<int64_t>(share, 1, columns);
  Layout blocked = rowMajorLayout(shape, width, workgroup);
  Bases lanes(blocked.laneBases());
  unsigned across = llvm::Log2_64(columns / width);
  if (across < lanes.size())
    std::rotate(lanes.begin(), lanes.begin() + across, lanes.end());
  return {shape, Bases(blocked.registerBases()), lanes,
          Bases(blocked.warpBases())};
}

Layout Distributor::layoutOfHeld(Value tile) {
  ArrayRef<int64_t> shape = tileType(tile).getShape();
  OwnLayout ofAccess;
  // Through element-wise operations. A reduction wants its row in few threads.
  SmallVector<Value> next = {tile};
  llvm::DenseSet<Value> seen;
  while (!next.empty()) {
    Value value = next.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      auto found = result.accesses.find(user);
      if (found != result.accesses.end()) {
        if (!ofAccess && found->second.layout.shape() == shape)
          ofAccess = found->second.layout;
        continue;
      }
      if (isElementOp(user) && tileType(user->getResult(0)) &&
          tileType(user->getResult(0)).getShape() == shape)
        next.push_back(user->getResult(0));
    }
  }
  if (ofAccess)
    return *ofAccess;
  return rowLayout(shape, result.options.workgroup);
}

std::optional<Layout> Distributor::layoutOf(Value tile) {
  if (result.isHeld(tile))
    return layoutOfHeld(tile);
  tile = carrierOf(tile);
  if (auto found = chosen.find(tile); found != chosen.end())
    return found->second;
  if (auto found = guesses.find(tile); found != guesses.end())
    return found->second;
  guesses[tile] = std::nullopt;
  OwnLayout layout =
      isCarried(tile) ? layoutOfCarried(tile) : layoutOfResult(tile);
  guesses[tile] = layout;
  return layout;
}

void Distributor::chooseOwn(Value tile) {
  guesses.clear();
  OwnLayout layout = layoutOf(tile);
  if (result.isHeld(tile)) {
    result.own.insert({tile, *layout});
    return;
  }
  if (!layout && isCarried(tile))
    layout = result.defaultLayout(tile);
  chosen[carrierOf(tile)] = layout;
  if (layout) {
    result.own.insert({tile, *layout});
    result.variants[tile].push_back(*layout);
  }
}

void Distributor::need(Value tile, const Layout &layout) {
  auto &variants = result.variants[tile];
  if (Layout needed = layout.compacted(); !llvm::is_contained(variants, needed))
    variants.push_back(needed);
}

void Distributor::needForMatrices(Value tile) {
  MatrixSource source = result.options.matrices->sourceOf(tile);
  if (source.isInRegisters())
    need(source.tile, result.stagingLayout(source.tile, false));
}

void Distributor::needOperands(Operation *op) {
  if (op->getNumResults() == 1 && result.isHeld(op->getResult(0))) {
    for (OpOperand &use : op->getOpOperands()) {
      if (isa<tt::DotOp>(op) && use.getOperandNumber() < 2) {
        if (!result.options.matrices->isStoredDirectly(use))
          need(use.get(), result.stagingLayout(use.get(), true));
      } else if (tileType(use.get())) {
        needForMatrices(use.get());
      }
    }
    return;
  }
  auto needFor = [&](const Layout *layout) {
    for (OpOperand &use : op->getOpOperands())
      if (tileType(use.get()))
        need(use.get(), result.operandLayout(use, layout));
  };
  bool hasTile = false;
  for (Value tile : op->getResults()) {
    if (!tileType(tile))
      continue;
    hasTile = true;
    if (const Layout *own = result.ownLayoutOf(tile)) {
      needFor(own);
      continue;
    }
    // A copy: an operand's layouts may be added to the same map.
    for (const Layout &layout : SmallVector<Layout>(result.variantsOf(tile)))
      needFor(&layout);
  }
  if (!hasTile)
    needFor(nullptr);
}

/// Values that enter or leave a region are needed in the layout of what carries
/// them.
void Distributor::needOperandsOfRegion(Operation *op) {
  auto needAs = [&](ValueRange values, ValueRange carried) {
    for (auto [value, as] : llvm::zip(values, carried))
      if (result.isHeld(as))
        needForMatrices(value);
      else if (tileType(value))
        need(value, *result.ownLayoutOf(carrierOf(as)));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) {
        needAs(loop.getInitArgs(), loop.getRegionIterArgs());
      })
      .Case([&](scf::WhileOp loop) {
        needAs(loop.getInits(), loop.getBeforeArguments());
      })
      .Case([&](scf::ConditionOp condition) {
        auto loop = cast<scf::WhileOp>(op->getParentOp());
        needAs(condition.getArgs(), loop.getAfterArguments());
      })
      .Case([&](scf::YieldOp yield) {
        Operation *parent = op->getParentOp();
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          needAs(yield.getResults(), loop.getRegionIterArgs());
        else if (auto loop = dyn_cast<scf::WhileOp>(parent))
          needAs(yield.getResults(), loop.getBeforeArguments());
        else
          needAs(yield.getResults(), parent->getResults());
      });
}

void Distributor::needInBlock(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    TileOpKind kind = infoOf(&op).kind;
    if (kind == TileOpKind::Region)
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          needInBlock(inner);
    if (kind == TileOpKind::Region || kind == TileOpKind::Terminator)
      needOperandsOfRegion(&op);
    else
      needOperands(&op);
  }
}

/// A store takes its value as it is, if that is about as good.
void Distributor::keepLayout(tt::StoreOp store) {
  auto found = result.accesses.find(store);
  if (found == result.accesses.end())
    return;
  const Layout *own = result.ownLayoutOf(store.getValue());
  if (!own || *own == found->second.layout)
    return;
  unsigned bits = tt::getElementBitWidth(store.getValue().getType());
  if (unsigned width =
          directWidth(*own, found->second, std::max(8u, bits) / 8))
    found->second = {*own, width};
}

Distribution Distributor::run(tt::FuncOp kernel) {
  result.accesses = planAccesses(kernel, forms, result.options.workgroup,
                                 result.options.accessBytes);
  auto chooseAll = [&](ValueRange values) {
    for (Value value : values)
      if (tileType(value))
        chooseOwn(value);
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    chooseAll(op->getResults());
    if (infoOf(op).kind != TileOpKind::Region)
      // The regions of reductions and scans work on scalars.
      return isa<tt::FuncOp>(op) ? WalkResult::advance() : WalkResult::skip();
    for (Region &region : op->getRegions())
      chooseAll(region.getArguments());
    return WalkResult::advance();
  });
  kernel.walk([&](tt::StoreOp store) { keepLayout(store); });
  needInBlock(kernel.getBody().front());
  return std::move(result);
}

Distribution distribute(tt::FuncOp kernel, TileForms &forms,
                        const DistributionOptions &options) {
  return Distributor(forms, options).run(kernel);
}

ArrayRef<Layout> Distribution::variantsOf(Value tile) const {
  auto found = variants.find(tile);
  return found == variants.end() ? ArrayRef<Layout>() : found->second;
}

const Layout *Distribution::ownLayoutOf(Value tile) const {
  auto found = own.find(tile);
  return found == own.end() ? nullptr : &found->second;
}

Layout Distribution::defaultLayout(Value tile) const {
  return rowMajorLayout(tileType(tile).getShape(), 1, options.workgroup);
}

Layout Distribution::anyLayout(Value tile) const {
  const Layout *layout = ownLayoutOf(tile);
  return layout ? *layout : defaultLayout(tile);
}

Layout Distribution::stagingLayout(Value tile, bool alongColumns) const {
  Layout layout = anyLayout(tile).compacted();
  ArrayRef<int64_t> shape = layout.shape();
  unsigned bits = tt::getElementBitWidth(tile.getType());
  unsigned count = llvm::Log2_32(std::max(1u, 32 / bits));
  ArrayRef<ElementIndex> bases = layout.registerBases();
  auto hasRun = [&](int64_t step) {
    bool isRun = bases.size() >= count;
    for (unsigned bit = 0; isRun && bit < count; ++bit)
      isRun = bases[bit] == step << bit;
    return isRun;
  };
  if (hasRun(1) || (alongColumns && hasRun(shape.back())))
    return layout;
  return rowMajorLayout(shape, std::min<int64_t>(128 / bits, shape.back()),
                        options.workgroup);
}

Layout Distribution::operandLayout(OpOperand &use,
                                   const Layout *ofResult) const {
  Operation *op = use.getOwner();
  if (auto found = accesses.find(op); found != accesses.end())
    return found->second.layout;
  // These combine elements of different places: all operands as the first.
  if (isa<tt::ReduceOp, tt::HistogramOp>(op))
    return anyLayout(op->getOperand(0));
  if (isa<tt::PrintOp, tt::AssertOp, tt::UnsplatOp>(op))
    return anyLayout(use.get());
  // These are read through memory that the whole workgroup sees.
  if (isa<tt::DotOp>(op) && use.getOperandNumber() < 2)
    return isHeld(op->getResult(0)) ? stagingLayout(use.get(), true)
                                    : anyLayout(use.get());
  if (isa<tt::GatherOp>(op) && use.getOperandNumber() == 0)
    return anyLayout(use.get());
  if (auto layout = shapeOperandLayout(op, use.getOperandNumber(), *ofResult))
    return *layout;
  return *ofResult;
}

unsigned Distribution::accessWidth(Operation *access) const {
  auto found = accesses.find(access);
  return found == accesses.end() ? 1 : found->second.width;
}

static StringRef nameOf(Conversion::Kind kind) {
  switch (kind) {
  case Conversion::Registers:
    return "registers";
  case Conversion::Shuffle:
    return "shuffles";
  case Conversion::Memory:
    return "memory";
  }
  llvm_unreachable("a conversion without a name");
}

void Distribution::printTile(Value tile, llvm::raw_ostream &stream,
                             AsmState &names) const {
  ArrayRef<Layout> layouts = variantsOf(tile);
  if (isHeld(tile)) {
    tile.printAsOperand(stream, names);
    stream << " in matrices";
    for (const Layout &layout : layouts) {
      stream << ", ";
      layout.print(stream);
    }
    stream << '\n';
    return;
  }
  if (layouts.empty())
    return;
  tile.printAsOperand(stream, names);
  const Layout *own = ownLayoutOf(tile);
  for (const Layout &layout : layouts) {
    stream << ' ';
    layout.print(stream);
    if (!own)
      stream << " recomputed";
    else if (&layout != layouts.begin())
      stream << " by " << nameOf(planConversion(*own, layout).kind);
  }
  stream << '\n';
}

void Distribution::print(tt::FuncOp kernel, llvm::raw_ostream &stream,
                         AsmState &names) const {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      printTile(result, stream, names);
    if (auto found = accesses.find(op); found != accesses.end()) {
      stream << op->getName().stripDialect() << " of ";
      op->getOperand(0).printAsOperand(stream, names);
      stream << ": " << found->second.width << " at once\n";
    }
    if (infoOf(op).kind == TileOpKind::Region)
      for (Region &region : op->getRegions())
        for (Value argument : region.getArguments())
          printTile(argument, stream, names);
  });
}

} // namespace nereid::codegen::gpu
