// SideBySide.cpp - programs that are computed together, one in each lane.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that reduces a column reads an element of each line of the cache,
// and the next program, for the next column, another of the same lines. With a
// cache line of columns as one more dimension of all that differs between
// programs, the kernel reduces the columns of a tile instead:
//
//   alone                      together
//   column = pid % N           columns = pid % N + lanes
//   load(p + i * N + column)   load(p + i[:, None] * N + columns[None, :])
//   store(q + pid, sum(x))     store(q + pids, sum(x, 0))

#include "plan/SideBySide.h"

#include "plan/Differences.h"
#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::cpu {

/// Larger tiles are not in a cache.
static constexpr int64_t kMostElements = 1 << 14;

namespace {
/// Copies a kernel with a dimension for programs.
class Widener {
public:
  Widener(tt::FuncOp kernel, const Differences &differences, int64_t most)
      : kernel(kernel), differences(differences), most(most), builder(kernel) {}

  SideBySide run();

private:
  Type widened(Type type) const;
  Value wide(Value value);
  Value spread(Value scalar);
  Value activeOf(ArrayRef<int64_t> shape);
  void copyBlock(Block &block);
  void copy(Operation *op);
  void copyWide(Operation *op);
  void copyAccess(Operation *op);
  void copyLoop(scf::ForOp loop);
  Operation *createLike(Operation *op, ValueRange operands);

  tt::FuncOp kernel;
  const Differences &differences;
  const int64_t most;
  OpBuilder builder;
  Location location = kernel.getLoc();
  IRMapping mapping;                 // to what is the same in all, or is wide
  llvm::DenseMap<Value, Value> base; // of neighbours: the first
  Value lanes, active;               // [most], i32 and i1
};
} // namespace

Type Widener::widened(Type type) const {
  auto tile = dyn_cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  if (tile)
    shape.append(tile.getShape().begin(), tile.getShape().end());
  shape.push_back(most);
  return RankedTensorType::get(shape, getElementTypeOrSelf(type));
}

Value Widener::spread(Value scalar) {
  return builder.create<tt::SplatOp>(
      location, RankedTensorType::get({most}, scalar.getType()), scalar);
}

/// What `value` of the original is in each program.
Value Widener::wide(Value value) {
  Value copy = mapping.lookup(value);
  if (differences.differs(value))
    return copy;
  auto tile = codegen::tileType(value);
  if (!tile)
    return spread(copy);
  Value expanded =
      builder.create<tt::ExpandDimsOp>(location, copy, tile.getRank());
  return builder.create<tt::BroadcastOp>(location, widened(tile), expanded);
}

/// Which programs there are, for each element of a tile of `shape`, which is
/// wide.
Value Widener::activeOf(ArrayRef<int64_t> shape) {
  Value mask = active;
  for (size_t dim = 1; dim < shape.size(); ++dim)
    mask = builder.create<tt::ExpandDimsOp>(location, mask, 0);
  if (shape.size() == 1)
    return mask;
  return builder.create<tt::BroadcastOp>(
      location, RankedTensorType::get(shape, builder.getI1Type()), mask);
}

Operation *Widener::createLike(Operation *op, ValueRange operands) {
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(widened(type));
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrDictionary().getValue());
  for (Region &region : op->getRegions()) {
    IRMapping inner;
    region.cloneInto(state.addRegion(), inner);
  }
  return builder.create(state);
}

/// A load or store, by the programs that there are.
void Widener::copyAccess(Operation *op) {
  auto pointers = wide(op->getOperand(0));
  auto shape = cast<RankedTensorType>(pointers.getType()).getShape();
  auto masked = [&](Value mask) -> Value {
    Value there = activeOf(shape);
    return mask ? builder.create<arith::AndIOp>(location, there, wide(mask))
                : there;
  };
  if (auto store = dyn_cast<tt::StoreOp>(op)) {
    Value value = wide(store.getValue()), mask = masked(store.getMask());
    builder.create<tt::StoreOp>(op->getLoc(), pointers, value, mask);
    return;
  }
  auto load = cast<tt::LoadOp>(op);
  Value mask = masked(load.getMask());
  Value other = load.getOther() ? wide(load.getOther()) : Value();
  Value result =
      other ? builder.create<tt::LoadOp>(op->getLoc(), pointers, mask, other)
            : builder.create<tt::LoadOp>(op->getLoc(), pointers, mask);
  mapping.map(load.getResult(), result);
}

void Widener::copyLoop(scf::ForOp loop) {
  auto copyOf = [&](Value value, bool isWide) {
    return isWide ? wide(value) : mapping.lookup(value);
  };
  SmallVector<Value> inits;
  for (BlockArgument argument : loop.getRegionIterArgs())
    inits.push_back(copyOf(loop.getTiedLoopInit(argument)->get(),
                           differences.differs(argument)));
  auto copy = builder.create<scf::ForOp>(loop.getLoc(),
                                         mapping.lookup(loop.getLowerBound()),
                                         mapping.lookup(loop.getUpperBound()),
                                         mapping.lookup(loop.getStep()), inits);
  copy->setAttrs(loop->getAttrs());
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  mapping.map(loop.getRegionIterArgs(), copy.getRegionIterArgs());
  mapping.map(loop.getResults(), copy.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(copy.getBody());
  copyBlock(*loop.getBody());
  SmallVector<Value> yielded;
  for (BlockArgument argument : loop.getRegionIterArgs())
    yielded.push_back(copyOf(loop.getTiedLoopYieldedValue(argument)->get(),
                             differences.differs(argument)));
  builder.create<scf::YieldOp>(loop.getLoc(), yielded);
}

void Widener::copyWide(Operation *op) {
  if (isa<LLVM::AssumeOp>(op))
    return;
  // Scalars, which are tiles of one in each program, are spread over a tile.
  auto tile = codegen::tileType(op->getResult(0));
  bool spreads = isa<tt::SplatOp>(op) || (isa<arith::SelectOp>(op) && tile);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value value = wide(operand);
    if (spreads && !codegen::tileType(operand)) {
      for (int64_t dim = 0; dim < tile.getRank(); ++dim)
        value = builder.create<tt::ExpandDimsOp>(location, value, 0);
      Type element = getElementTypeOrSelf(value.getType());
      value = builder.create<tt::BroadcastOp>(
          location, widened(tile.clone(element)), value);
    }
    operands.push_back(value);
  }
  Operation *copy = nullptr;
  if (isa<tt::SplatOp>(op)) {
    mapping.map(op->getResult(0), operands.front());
    return;
  }
  if (auto trans = dyn_cast<tt::TransOp>(op)) {
    SmallVector<int32_t> order(trans.getOrder());
    order.push_back(order.size());
    copy = builder.create<tt::TransOp>(op->getLoc(), operands.front(), order);
  } else {
    copy = createLike(op, operands);
  }
  mapping.map(op->getResults(), copy->getResults());
}

void Widener::copy(Operation *op) {
  location = op->getLoc();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return copyLoop(loop);
  bool differs = op->getNumResults() && differences.differs(op->getResult(0));
  if (differences.isNeighbour(op->getNumResults() ? op->getResult(0)
                                                  : Value()) ||
      llvm::is_contained(differences.divisions, op)) {
    IRMapping first(mapping);
    if (op->getNumOperands())
      first.map(op->getOperand(0), base.lookup(op->getOperand(0)));
    Value result = builder.clone(*op, first)->getResult(0);
    base[op->getResult(0)] = result;
    if (differs)
      result = builder.create<arith::AddIOp>(location, spread(result), lanes);
    mapping.map(op->getResult(0), result);
    return;
  }
  if (!differences.differsAny(op->getOperands())) {
    builder.clone(*op, mapping);
    return;
  }
  if (isa<tt::LoadOp, tt::StoreOp>(op))
    return copyAccess(op);
  copyWide(op);
}

void Widener::copyBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    copy(&op);
}

SideBySide Widener::run() {
  SideBySide result;
  auto type = kernel.getFunctionType();
  SmallVector<Type> inputs(type.getInputs());
  inputs.push_back(builder.getI32Type());
  // Like the original, with an argument more.
  result.kernel = cast<tt::FuncOp>(kernel->cloneWithoutRegions());
  builder.insert(result.kernel);
  result.kernel.setFunctionType(builder.getFunctionType(inputs, {}));
  if (ArrayAttr attributes = kernel.getArgAttrsAttr()) {
    SmallVector<Attribute> all(attributes.begin(), attributes.end());
    all.push_back(builder.getDictionaryAttr({}));
    result.kernel.setArgAttrsAttr(builder.getArrayAttr(all));
  }
  Block *body = result.kernel.addEntryBlock();
  for (auto [from, to] : llvm::zip(kernel.getArguments(), body->getArguments()))
    mapping.map(from, to);
  result.count = body->getArguments().back();
  result.most = most;
  result.axis = differences.axis;
  result.divisions = differences.divisions;
  builder.setInsertionPointToStart(body);
  auto numbers = RankedTensorType::get({most}, builder.getI32Type());
  lanes = builder.create<tt::MakeRangeOp>(location, numbers, 0, most);
  active = builder.create<arith::CmpIOp>(location, arith::CmpIPredicate::slt,
                                         lanes, spread(result.count));
  copyBlock(kernel.getBody().front());
  builder.create<tt::ReturnOp>(location);
  return result;
}

/// What an access reads or writes, in bytes.
static int64_t bytesOf(Operation *access) {
  auto type = cast<tt::PointerType>(
      getElementTypeOrSelf(access->getOperand(0).getType()));
  return std::max(8u, tt::getElementBitWidth(type.getPointeeType())) / 8;
}

/// Does an access of the original, a tile, differ from that of the next program
/// by one element, and have its own elements farther apart? Null: it is of a
/// scalar.
static std::optional<bool> liesAcross(Operation *access,
                                      codegen::TileForms &forms) {
  auto tile = codegen::tileType(access->getOperand(0));
  if (!tile)
    return std::nullopt;
  const codegen::TileForm *form = forms.of(access->getOperand(0));
  auto isOne = [](const codegen::Polynomial &stride) {
    return stride.constant() && std::abs(*stride.constant()) == 1;
  };
  return form && llvm::none_of(form->strides, isOne) &&
         llvm::none_of(form->terms, [&](const codegen::TileTerm &term) {
           return isOne(term.coefficient);
         });
}

/// Programs that are neighbours along `axis`.
static SideBySide copyAlong(unsigned axis, tt::FuncOp kernel) {
  constexpr int64_t kLineBytes = 64;
  Differences differences(axis);
  if (!differences.find(kernel))
    return {};
  codegen::TileForms forms;
  int64_t bytes = 8;
  bool isAny = false;
  for (Operation *access : differences.accesses) {
    std::optional<bool> across = liesAcross(access, forms);
    if (across == false)
      return {};
    isAny |= across.has_value();
    if (across)
      bytes = std::min(bytes, bytesOf(access));
  }
  int64_t most = kLineBytes / bytes;
  bool isLarge = false;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto tile = codegen::tileType(result))
        isLarge |= tile.getNumElements() * most > kMostElements;
  });
  if (!isAny || isLarge)
    return {};
  SideBySide result = Widener(kernel, differences, most).run();
  // All accesses of tiles must turn out to be of neighbours.
  codegen::TileForms wide;
  bool areNeighbours = true;
  result.kernel.walk([&](Operation *op) {
    if (!isa<tt::LoadOp, tt::StoreOp>(op))
      return;
    auto tile = codegen::tileType(op->getOperand(0));
    const codegen::TileForm *form =
        tile && tile.getRank() > 1 ? wide.of(op->getOperand(0)) : nullptr;
    bool isWide = tile && tile.getRank() > 1 && tile.getShape().back() == most;
    if (isWide && !(form && form->strides.back().constant() == 1 &&
                    !(form->termDims() >> (tile.getRank() - 1) & 1)))
      areNeighbours = false;
  });
  if (!areNeighbours) {
    result.kernel.erase();
    return {};
  }
  return result;
}

SideBySide copySideBySide(tt::FuncOp kernel, const GenerateOptions &options) {
  constexpr unsigned kAxes = 3;
  if (options.fastPaths.has(FastPath::SideBySide))
    for (unsigned axis = 0; axis < kAxes; ++axis)
      if (SideBySide result = copyAlong(axis, kernel); result.kernel)
        return result;
  return {};
}

} // namespace nereid::cpu
