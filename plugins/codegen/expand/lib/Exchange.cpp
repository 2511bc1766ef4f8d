// Exchanges of elements whose indices differ in one bit, as sorts and flips of
// Triton make them: `y ^ xor_sum(y, axis, keep_dims=True)` with an axis of two.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// y ^ (y[0] ^ y[1]) is y[1] at index 0, and y[0] at index 1. Instead of a
// reduction this is a gather of one dimension,
//
//   tt.gather %y[xor(range, 2^bit)]
//
// and so are all operations on tensors of that shape (2x2x...x2): their
// elements in row-major order. A backend then sees one long loop, and may turn
// the gather into loads of other addresses and shuffles of a register.
// Reductions over an axis of two, which top-k uses, become operations on both
// halves.

#include "Structured.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

static RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// The axis of a reduction of one tensor over two elements by `xor`.
static std::optional<unsigned> axisOfXor(tt::ReduceOp op, Value operand) {
  if (op.getNumOperands() != 1 || op.getOperand(0) != operand ||
      tensorOf(operand).getDimSize(op.getAxis()) != 2 ||
      !op.getRegion().hasOneBlock())
    return std::nullopt;
  Block &body = op.getRegion().front();
  auto combined =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::XOrIOp>();
  if (!combined || combined->getBlock() != &body)
    return std::nullopt;
  Value a = body.getArgument(0), b = body.getArgument(1);
  bool isXor = (combined.getLhs() == a && combined.getRhs() == b) ||
               (combined.getLhs() == b && combined.getRhs() == a);
  return isXor ? std::optional<unsigned>(op.getAxis()) : std::nullopt;
}

namespace {
/// The tensor `y`, with the elements of each pair along `axis` exchanged.
struct Exchange {
  Value y;
  unsigned axis;
};
} // namespace

static std::optional<Exchange> exchangeOf(Operation *op) {
  if (!isa<arith::XOrIOp>(op) || !tensorOf(op->getResult(0)))
    return std::nullopt;
  for (unsigned number : {0u, 1u}) {
    Value y = op->getOperand(number);
    auto wide = op->getOperand(1 - number).getDefiningOp<tt::BroadcastOp>();
    auto expand =
        wide ? wide.getSrc().getDefiningOp<tt::ExpandDimsOp>() : nullptr;
    auto sum = expand ? expand.getSrc().getDefiningOp<tt::ReduceOp>() : nullptr;
    if (!sum)
      continue;
    std::optional<unsigned> axis = axisOfXor(sum, y);
    if (axis && *axis == expand.getAxis())
      return Exchange{y, *axis};
  }
  return std::nullopt;
}

/// True if all elements of `value`, a tensor of integers, are 0 or 1.
static bool isBit(Value value) {
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  DenseElementsAttr dense;
  if (matchPattern(op, m_Constant(&dense)))
    return dense.isSplat() && dense.getElementType().isInteger() &&
           dense.getSplatValue<APInt>().ule(1);
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return range.getStartAttr().getInt() == 0 &&
           range.getEndAttr().getInt() == 2;
  if (isa<arith::ExtUIOp>(op))
    return isBit(op->getOperand(0));
  return isa<arith::XOrIOp, tt::BroadcastOp, tt::ReshapeOp, tt::ExpandDimsOp>(
             op) &&
         llvm::all_of(op->getOperands(), isBit);
}

static bool isElementwise(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         op->getNumOperands() > 0 && isMemoryEffectFree(op) &&
         op->hasTrait<OpTrait::Elementwise>() &&
         !isa<tt::PointerType>(getElementTypeOrSelf(op->getResult(0)));
}

namespace {
/// Rewrites the operations of one block whose shape is that of an exchange.
class Flattener {
public:
  Flattener(Block &block) : block(block), builder(block.getParentOp()) {}

  void run() {
    SmallVector<Operation *> ops;
    for (Operation &op : block) {
      ops.push_back(&op);
      if (exchangeOf(&op))
        shapes.insert(tensorOf(op.getResult(0)).getShape());
    }
    if (shapes.empty())
      return;
    for (Operation *op : ops)
      rewrite(op);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  bool hasShape(Value value) {
    RankedTensorType type = tensorOf(value);
    return type && shapes.contains(type.getShape());
  }

  /// Replaces the result of `op` by one that is computed in one dimension.
  void rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    loc = op->getLoc();
    Value flat;
    if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
      if (hasShape(reshape.getSrc()))
        flat = flatten(reshape.getSrc());
    } else if (auto exchange = exchangeOf(op)) {
      flat = gather(*exchange);
    } else if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      flat = combineHalves(reduce);
    } else if (op->getNumResults() == 1 && hasShape(op->getResult(0)) &&
               isElementwise(op)) {
      flat = elementwise(op, [&](Value operand) { return flatten(operand); });
    }
    if (!flat)
      return;
    Value result = op->getResult(0);
    flats[result] = flat;
    Value replacement = reshape(flat, tensorOf(result).getShape());
    flats[replacement] = flat;
    result.replaceAllUsesWith(replacement);
  }

  RankedTensorType flatType(Value value) {
    RankedTensorType type = tensorOf(value);
    return RankedTensorType::get({type.getNumElements()},
                                 type.getElementType());
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, tensorOf(value).getElementType());
    if (value.getType() == type)
      return value;
    return builder.create<tt::ReshapeOp>(loc, type, value, false, false);
  }

  /// The elements of `value` in row-major order.
  Value flatten(Value value) {
    if (tensorOf(value).getRank() == 1)
      return value;
    if (Value known = flats.lookup(value))
      return known;
    Value flat = spread(value, tensorOf(value).getShape());
    return flats[value] = flat;
  }

  /// `op` on tensors of one dimension.
  Value elementwise(Operation *op, llvm::function_ref<Value(Value)> operandOf) {
    if (Value decided = decide(op, operandOf))
      return decided;
    IRMapping mapping;
    Type type;
    for (Value operand : op->getOperands()) {
      if (!tensorOf(operand))
        continue;
      Value flat = operandOf(operand);
      mapping.map(operand, flat);
      type = RankedTensorType::get(
          tensorOf(flat).getShape(),
          getElementTypeOrSelf(op->getResult(0).getType()));
    }
    if (isa<tt::BitcastOp>(op)) {
      auto before =
          mapping.lookup(op->getOperand(0)).getDefiningOp<tt::BitcastOp>();
      if (before && before.getSrc().getType() == type)
        return before.getSrc();
    }
    Operation *copy = builder.clone(*op, mapping);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  /// A comparison of a truth value, extended, with a bit needs no extension.
  Value decide(Operation *op, llvm::function_ref<Value(Value)> operandOf) {
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ne ||
        !isBit(compare.getRhs()))
      return {};
    auto extended = operandOf(compare.getLhs()).getDefiningOp<arith::ExtUIOp>();
    if (!extended ||
        !getElementTypeOrSelf(extended.getIn().getType()).isInteger(1))
      return {};
    Value bit = operandOf(compare.getRhs());
    auto type = cast<RankedTensorType>(bit.getType());
    Value zero = builder.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(
                 type, builder.getIntegerAttr(type.getElementType(), 0)));
    Value isSet =
        builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, bit, zero);
    return builder.create<arith::XOrIOp>(loc, extended.getIn(), isSet);
  }

  /// `value`, repeated along its dimensions of size 1 to `shape`, in row-major
  /// order.
  Value spread(Value value, ArrayRef<int64_t> shape) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    Operation *op = value.getDefiningOp();
    DenseElementsAttr dense;
    if (op && matchPattern(op, m_Constant(&dense)) && dense.isSplat()) {
      auto type = RankedTensorType::get({count}, dense.getElementType());
      return builder.create<arith::ConstantOp>(loc, dense.resizeSplat(type));
    }
    if (auto splat = dyn_cast_or_null<tt::SplatOp>(op))
      return builder.create<tt::SplatOp>(
          loc, RankedTensorType::get({count}, splat.getSrc().getType()),
          splat.getSrc());
    if (auto broadcast = dyn_cast_or_null<tt::BroadcastOp>(op))
      return spread(broadcast.getSrc(), shape);
    ArrayRef<int64_t> own = tensorOf(value).getShape();
    if (auto same = dyn_cast_or_null<tt::ReshapeOp>(op); same && own == shape)
      return flatten(same.getSrc());
    if (op && own != shape && isElementwise(op))
      return elementwise(op,
                         [&](Value operand) { return spread(operand, shape); });
    // Dimensions before, in, and after the block that is not repeated.
    size_t first = 0, last = own.size();
    while (first < last && own[first] == 1)
      ++first;
    while (first < last && own[last - 1] == 1)
      --last;
    int64_t sizes[] = {1, 1, 1};
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      sizes[dim < first ? 0 : dim < last ? 1 : 2] *= shape[dim];
      if (dim >= first && dim < last && own[dim] != shape[dim]) {
        Type wide =
            RankedTensorType::get(shape, tensorOf(value).getElementType());
        return reshape(builder.create<tt::BroadcastOp>(loc, wide, value),
                       {count});
      }
    }
    if (sizes[0] * sizes[2] == 1)
      return reshape(value, {count});
    Value middle = reshape(value, {1, sizes[1], 1});
    auto wide = RankedTensorType::get(sizes, tensorOf(value).getElementType());
    return reshape(builder.create<tt::BroadcastOp>(loc, wide, middle), {count});
  }

  Value gather(const Exchange &exchange) {
    ArrayRef<int64_t> shape = tensorOf(exchange.y).getShape();
    int64_t distance = 1;
    for (int64_t size : shape.drop_front(exchange.axis + 1))
      distance *= size;
    // A sort compares floats and exchanges their bits.
    Value source = flatten(exchange.y);
    auto cast = source.getDefiningOp<tt::BitcastOp>();
    if (cast)
      source = cast.getSrc();
    Value exchanged = gather(source, distance);
    if (!cast)
      return exchanged;
    return builder.create<tt::BitcastOp>(loc, cast.getType(), exchanged);
  }

  Value gather(Value source, int64_t distance) {
    // Several exchanges in a row are one, which inverts several bits.
    if (auto known = distances.find(source); known != distances.end()) {
      distance ^= known->second;
      source = source.getDefiningOp<tt::GatherOp>().getSrc();
    }
    int64_t count = tensorOf(source).getNumElements();
    auto type = RankedTensorType::get({count}, builder.getI32Type());
    Value range = builder.create<tt::MakeRangeOp>(loc, type, 0, count);
    Value bits = builder.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(type, builder.getI32IntegerAttr(distance)));
    Value index = builder.create<arith::XOrIOp>(loc, range, bits);
    auto result = builder.create<tt::GatherOp>(loc, source.getType(), source,
                                               index, 0, false);
    distances[result] = distance;
    return result;
  }

  /// A reduction of one tensor over two elements: its region on both halves.
  Value combineHalves(tt::ReduceOp reduce) {
    Value source = reduce.getOperand(0);
    unsigned axis = reduce.getAxis();
    if (reduce.getNumOperands() != 1 || !hasShape(source) ||
        tensorOf(source).getDimSize(axis) != 2 || axisOfXor(reduce, source) ||
        !tensorOf(reduce->getResult(0)) || !reduce.getRegion().hasOneBlock())
      return {};
    Block &body = reduce.getRegion().front();
    if (!llvm::all_of(body.without_terminator(), [](Operation &op) {
          return isElementwise(&op) &&
                 llvm::all_of(op.getOperands(), [&](Value operand) {
                   return operand.getParentBlock() == op.getBlock();
                 });
        }))
      return {};
    int64_t rest = 1;
    for (int64_t size : tensorOf(source).getShape().drop_front(axis + 1))
      rest *= size;
    int64_t count = tensorOf(source).getNumElements() / 2;
    Value pairs = reshape(flatten(source), {count / rest, 2, rest});
    pairs = builder.create<tt::TransOp>(loc, pairs, ArrayRef<int32_t>{0, 2, 1});
    auto halves = builder.create<tt::SplitOp>(loc, pairs);
    IRMapping mapping;
    for (auto [argument, half] :
         llvm::zip(body.getArguments(), halves->getResults()))
      mapping.map(argument, reshape(half, {count}));
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      for (Value result : copy->getResults())
        result.setType(RankedTensorType::get({count}, result.getType()));
    }
    return mapping.lookup(body.getTerminator()->getOperand(0));
  }

  Block &block;
  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  llvm::DenseSet<ArrayRef<int64_t>> shapes; // in the context of the module
  DenseMap<Value, Value> flats;
  DenseMap<Value, int64_t> distances; // of exchanges
};
} // namespace

void flattenExchanges(ModuleOp module) {
  SmallVector<Block *> blocks;
  module.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    Flattener(*block).run();
}

} // namespace nereid::codegen
