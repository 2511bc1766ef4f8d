// SplitIndex.cpp - tiles of one dimension whose index is divided.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Compilers that generate kernels, and people who see a tensor as one row, find
// rows and columns by `i // 64` and `i % 64`. On a GPU each thread does so for
// itself. Here such quotients are no affine functions of the index, and pieces
// in which they are the same are found at run time. If the program's first
// index is a multiple of the tile's size, and both that and the divisor are
// powers of two, then the parts of the index are known: the tile is one of
// several dimensions, of which they are the indices, and all analyses of
// addresses apply.
//
// A division rounds to zero, so this is not true for negative indices, which
// only a grid can have that is so large that its indices overflow.

#include "plan/SplitIndex.h"

#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <set>

using namespace mlir;

namespace nereid::cpu {

/// Rows of fewer elements are not worth a loop.
static constexpr unsigned kLeastRowBits = 4;
static constexpr unsigned kMostDimensions = 4;

namespace {
/// `first`, which is not negative and a multiple of 2^width, plus bits
/// [low, low + width) of the index. If `first` is null, it is 0.
struct Part {
  Value first;
  unsigned low = 0, width = 0;
};

class Splitter {
public:
  explicit Splitter(tt::FuncOp kernel) : kernel(kernel) {}

  /// Can and should `kernel` be split?
  bool survey();
  void rewrite();

  std::array<uint32_t, 3> mostPrograms;

private:
  bool accept(Operation *op);
  bool acceptType(Type type);
  std::optional<Part> partOf(Value tile);
  std::optional<Part> divide(Operation *op);
  bool isFirstIndex(Value scalar);
  Value firstAfter(OpBuilder &builder, Operation *op);
  SmallVector<int64_t> shape() const;
  Value build(OpBuilder &builder, Location location, const Part &part,
              Type element);

  tt::FuncOp kernel;
  unsigned bits = 0;       // of the index
  std::set<unsigned> cuts; // between parts, from the lowest bit
  llvm::MapVector<Operation *, Part> parts; // quotients and remainders
};
} // namespace

bool Splitter::acceptType(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return true;
  int64_t size = tile.getNumElements();
  if (tile.getRank() != 1 || size == 1 || !llvm::isPowerOf2_64(size))
    return false;
  if (!bits)
    bits = llvm::Log2_64(size);
  return size == int64_t(1) << bits;
}

/// Does `op` mean the same for tiles of another shape? Tile by tile in its
/// order, element by element in theirs.
bool Splitter::accept(Operation *op) {
  auto acceptAll = [&](TypeRange types) {
    return llvm::all_of(types, [&](Type type) { return acceptType(type); });
  };
  if (!acceptAll(op->getOperandTypes()) || !acceptAll(op->getResultTypes()))
    return false;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!acceptAll(block.getArgumentTypes()))
        return false;
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  if (llvm::none_of(op->getOperandTypes(), isTile) &&
      llvm::none_of(op->getResultTypes(), isTile))
    return true;
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return range.getStart() == 0;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return codegen::isElementOp(op) ||
         isa<tt::SplatOp, tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp,
             tt::AtomicCASOp, tt::AssertOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::YieldOp, scf::ConditionOp>(op);
}

/// Is `scalar` a multiple of the tile's size, and not negative? The latter may
/// depend on the grid.
bool Splitter::isFirstIndex(Value scalar) {
  APInt factor;
  Value other;
  auto product = scalar.getDefiningOp<arith::MulIOp>();
  if (!product)
    return false;
  if (matchPattern(product.getRhs(), m_ConstantInt(&factor)))
    other = product.getLhs();
  else if (matchPattern(product.getLhs(), m_ConstantInt(&factor)))
    other = product.getRhs();
  else
    return false;
  if (Operation *extension = other.getDefiningOp();
      isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension))
    other = extension->getOperand(0);
  auto id = other.getDefiningOp<tt::GetProgramIdOp>();
  if (!id || !factor.isStrictlyPositive() || factor.countr_zero() < bits)
    return false;
  // Then no index overflows, nor an id, which is an i32.
  APInt most = APInt::getSignedMaxValue(factor.getBitWidth());
  uint64_t programs =
      most.udiv(factor).getLimitedValue(std::numeric_limits<int32_t>::max());
  uint32_t &limit = mostPrograms[id.getAxisAsInt()];
  limit = std::min<uint32_t>(limit, programs);
  return true;
}

/// The part of the index that `tile` is, if it is one.
std::optional<Part> Splitter::partOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto found = parts.find(op); found != parts.end())
    return found->second;
  if (isa<tt::MakeRangeOp>(op))
    return Part{nullptr, 0, bits};
  auto sum = dyn_cast<arith::AddIOp>(op);
  if (!sum)
    return std::nullopt;
  for (auto [start, range] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())}) {
    auto splat = start.getDefiningOp<tt::SplatOp>();
    Operation *source = range.getDefiningOp();
    if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(source))
      source = source->getOperand(0).getDefiningOp();
    if (splat && isa_and_nonnull<tt::MakeRangeOp>(source) &&
        isFirstIndex(splat.getSrc()))
      return Part{splat.getSrc(), 0, bits};
  }
  return std::nullopt;
}

/// The part that the quotient or remainder `op` is, with the `first` of its
/// operand.
std::optional<Part> Splitter::divide(Operation *op) {
  APInt divisor;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
      !divisor.isStrictlyPositive() || !divisor.isPowerOf2())
    return std::nullopt;
  std::optional<Part> part = partOf(op->getOperand(0));
  if (!part)
    return std::nullopt;
  unsigned by = std::min(divisor.logBase2(), part->width);
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  if (isQuotient)
    part->low += by;
  part->width = isQuotient ? part->width - by : by;
  return part;
}

bool Splitter::survey() {
  mostPrograms.fill(std::numeric_limits<uint32_t>::max());
  bool canSplit = true;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    canSplit &= op == kernel || accept(op);
    if (!canSplit ||
        !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
            op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    std::optional<Part> part = divide(op);
    if (!part)
      return;
    parts[op] = *part;
    cuts.insert(part->low);
    cuts.insert(part->low + part->width);
  });
  cuts.erase(0);
  cuts.erase(bits);
  return canSplit && !cuts.empty() && *cuts.begin() >= kLeastRowBits &&
         cuts.size() < kMostDimensions;
}

/// The `first` of the part that `op` is, a quotient or remainder.
Value Splitter::firstAfter(OpBuilder &builder, Operation *op) {
  Value first = parts[op].first;
  APInt divisor;
  matchPattern(op->getOperand(1), m_ConstantInt(&divisor));
  if (Operation *source = op->getOperand(0).getDefiningOp();
      parts.contains(source))
    first = parts[source].first;
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  // What it is a multiple of is a multiple of the divisor.
  if (!first || (!isQuotient && parts[op].width == divisor.logBase2()))
    return nullptr;
  Value number = builder.create<arith::ConstantOp>(
      op->getLoc(), builder.getIntegerAttr(first.getType(), divisor));
  return isQuotient
             ? builder.create<arith::DivUIOp>(op->getLoc(), first, number)
                   .getResult()
             : builder.create<arith::RemUIOp>(op->getLoc(), first, number)
                   .getResult();
}

/// The first dimension has the highest bits of the index.
SmallVector<int64_t> Splitter::shape() const {
  SmallVector<int64_t> shape;
  unsigned low = 0;
  for (unsigned cut : cuts) {
    shape.push_back(int64_t(1) << (cut - low));
    low = cut;
  }
  shape.push_back(int64_t(1) << (bits - low));
  std::reverse(shape.begin(), shape.end());
  return shape;
}

/// The tile of the elements of `part`.
Value Splitter::build(OpBuilder &builder, Location location, const Part &part,
                      Type element) {
  SmallVector<int64_t> sizes = shape();
  auto type = RankedTensorType::get(sizes, element);
  Value first = part.first;
  if (!first)
    first = builder.create<arith::ConstantOp>(
        location, builder.getIntegerAttr(element, 0));
  Value sum = builder.create<tt::SplatOp>(location, type, first);
  Type i32 = builder.getI32Type();
  unsigned low = bits;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    low -= llvm::Log2_64(size);
    if (low < part.low || low >= part.low + part.width)
      continue;
    Value index = builder.create<tt::MakeRangeOp>(
        location, RankedTensorType::get({size}, i32), 0, size);
    for (unsigned other = 0; other < sizes.size(); ++other)
      if (other != dim)
        index = builder.create<tt::ExpandDimsOp>(location, index, other);
    auto own = cast<RankedTensorType>(index.getType()).clone(element);
    unsigned width = element.getIntOrFloatBitWidth();
    if (width > 32)
      index = builder.create<arith::ExtUIOp>(location, own, index);
    else if (width < 32)
      index = builder.create<arith::TruncIOp>(location, own, index);
    Value factor = builder.create<arith::ConstantOp>(
        location, DenseElementsAttr::get(
                      own, builder.getIntegerAttr(
                               element, int64_t(1) << (low - part.low))));
    index = builder.create<arith::MulIOp>(location, index, factor);
    index = builder.create<tt::BroadcastOp>(location, type, index);
    sum = builder.create<arith::AddIOp>(location, sum, index);
  }
  return sum;
}

void Splitter::rewrite() {
  OpBuilder builder(kernel);
  // In the order of the kernel, so that operands are rewritten first.
  for (auto &[op, part] : parts) {
    builder.setInsertionPoint(op);
    part.first = firstAfter(builder, op);
  }
  SmallVector<std::pair<Operation *, Part>> built(parts.begin(), parts.end());
  auto reshape = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType());
        type && type.getRank() == 1)
      value.setType(RankedTensorType::get(shape(), type.getElementType()));
  };
  kernel.walk([&](Operation *op) {
    if (isa<tt::MakeRangeOp>(op))
      built.push_back({op, Part{nullptr, 0, bits}});
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
        reshape(constant.getResult());
        constant.setValueAttr(splat.resizeSplat(
            cast<ShapedType>(constant.getResult().getType())));
        return;
      }
    for (Value result : op->getResults())
      reshape(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          reshape(argument);
  });
  for (auto &[op, part] : built) {
    builder.setInsertionPoint(op);
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    op->getResult(0).replaceAllUsesWith(
        build(builder, op->getLoc(), part, element));
    op->erase();
  }
}

SplitKernel copyWithSplitIndex(tt::FuncOp kernel) {
  Splitter survey(kernel);
  if (!survey.survey())
    return {};
  OpBuilder builder(kernel);
  auto copy = cast<tt::FuncOp>(builder.clone(*kernel));
  Splitter splitter(copy);
  splitter.survey();
  splitter.rewrite();
  return {copy, splitter.mostPrograms};
}

} // namespace nereid::cpu
