// IndexParts.cpp - the parts of the index of tiles of one dimension.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/IndexParts.h"

#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace nereid::cpu {

/// Rows of fewer elements are not worth a loop: they stay parts of one.
static constexpr unsigned kLeastRowBits = 4;
static constexpr unsigned kMostDimensions = 4;

bool IndexParts::acceptType(Type type) {
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
bool IndexParts::accept(Operation *op) {
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

std::optional<FirstIndex> firstIndexOf(Value scalar, unsigned bits) {
  APInt factor;
  Value other;
  auto product = scalar.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  if (matchPattern(product.getRhs(), m_ConstantInt(&factor)))
    other = product.getLhs();
  else if (matchPattern(product.getLhs(), m_ConstantInt(&factor)))
    other = product.getRhs();
  else
    return std::nullopt;
  if (Operation *extension = other.getDefiningOp();
      isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension))
    other = extension->getOperand(0);
  auto id = other.getDefiningOp<tt::GetProgramIdOp>();
  if (!id || !factor.isStrictlyPositive() || factor.countr_zero() < bits)
    return std::nullopt;
  // Then no index overflows, nor an id, which is an i32.
  APInt most = APInt::getSignedMaxValue(factor.getBitWidth());
  uint64_t programs =
      most.udiv(factor).getLimitedValue(std::numeric_limits<int32_t>::max());
  return FirstIndex{unsigned(id.getAxisAsInt()), uint32_t(programs)};
}

/// Is `scalar` a multiple of the tile's size, and not negative? The latter may
/// depend on the grid.
bool IndexParts::isFirstIndex(Value scalar) {
  std::optional<FirstIndex> first = firstIndexOf(scalar, bits);
  if (!first)
    return false;
  uint32_t &limit = mostPrograms[first->axis];
  limit = std::min(limit, first->mostPrograms);
  return true;
}

/// The part of the index that `tile` is, if it is one.
std::optional<IndexPart> IndexParts::partOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto found = divisions.find(op); found != divisions.end())
    return found->second.odd == 1 ? std::optional(found->second.part)
                                  : std::nullopt;
  if (isa<tt::MakeRangeOp>(op))
    return IndexPart{nullptr, 0, bits};
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
      return IndexPart{splat.getSrc(), 0, bits};
  }
  return std::nullopt;
}

/// What the quotient or remainder `op` is of a remainder by odd * 2^shift, if
/// `divisor` is a power of two up to 2^shift.
std::optional<DividedIndex> IndexParts::divideRemainder(Operation *op,
                                                        const APInt &divisor) {
  auto found = divisions.find(op->getOperand(0).getDefiningOp());
  if (found == divisions.end() || found->second.odd == 1 ||
      !found->second.isRemainder)
    return std::nullopt;
  DividedIndex divided = found->second;
  unsigned by = divisor.countr_zero();
  if (!by || !divisor.isPowerOf2() || divided.cut + by > divided.shift)
    return std::nullopt;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return DividedIndex{{nullptr, divided.part.low + divided.cut, by}};
  divided.cut += by;
  return divided;
}

/// What the quotient or remainder `op` is, with the `first` of its operand.
std::optional<DividedIndex> IndexParts::divide(Operation *op) {
  APInt divisor;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
      !divisor.isStrictlyPositive())
    return std::nullopt;
  if (auto divided = divideRemainder(op, divisor))
    return divided;
  std::optional<IndexPart> part = partOf(op->getOperand(0));
  if (!part)
    return std::nullopt;
  unsigned by = std::min(divisor.countr_zero(), part->width);
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  if (by < part->width && !divisor.isPowerOf2())
    return DividedIndex{*part, by, divisor.getZExtValue() >> by, !isQuotient};
  if (isQuotient)
    part->low += by;
  part->width = isQuotient ? part->width - by : by;
  return DividedIndex{*part};
}

bool IndexParts::survey(tt::FuncOp kernel) {
  mostPrograms.fill(std::numeric_limits<uint32_t>::max());
  bool canSplit = true;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    canSplit &= op == kernel || accept(op);
    if (auto comparison = dyn_cast<arith::CmpIOp>(op); canSplit && comparison)
      if (auto part = partOf(comparison.getLhs());
          part && part->low == 0 && part->width == bits)
        comparisons.push_back({comparison, part->first});
    if (!canSplit ||
        !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
            op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    std::optional<DividedIndex> divided = divide(op);
    if (!divided)
      return;
    divisions[op] = *divided;
    const IndexPart &part = divided->part;
    if (divided->odd > 1 && part.low + divided->shift < kLeastRowBits)
      canSplit = false;
    for (unsigned cut : {part.low, part.low + divided->cut,
                         part.low + divided->shift, part.low + part.width})
      if (cut >= kLeastRowBits)
        cuts.insert(cut);
  });
  cuts.erase(bits);
  return canSplit && !divisions.empty() && cuts.size() < kMostDimensions;
}

SmallVector<int64_t> IndexParts::shape() const {
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

Value broadcastTo(OpBuilder &builder, Location location, Value tile,
                  ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return builder.create<tt::BroadcastOp>(
      location, RankedTensorType::get(shape, type.getElementType()), tile);
}

Value constantTile(OpBuilder &builder, Location location, uint64_t number,
                   RankedTensorType type) {
  Attribute element =
      builder.getIntegerAttr(type.getElementType(), int64_t(number));
  return builder.create<arith::ConstantOp>(
      location, DenseElementsAttr::get(type, element));
}

Value bitsOfIndex(OpBuilder &builder, Location location, unsigned above,
                  unsigned width, unsigned below) {
  Type i32 = builder.getI32Type();
  int64_t size = int64_t(1) << width;
  Value range = builder.create<tt::MakeRangeOp>(
      location, RankedTensorType::get({size}, i32), 0, size);
  if (!above && !below)
    return range;
  for (unsigned axis : {0, 2})
    range = builder.create<tt::ExpandDimsOp>(location, range, axis);
  range = broadcastTo(builder, location, range,
                      {int64_t(1) << above, size, int64_t(1) << below});
  size = int64_t(1) << (above + width + below);
  return builder.create<tt::ReshapeOp>(
      location, RankedTensorType::get({size}, i32), range, false, false);
}

Value IndexParts::tileOf(OpBuilder &builder, Location location,
                         const IndexPart &part, Type element) const {
  struct Bits {
    unsigned begin, end;
  };
  SmallVector<int64_t> sizes = shape();
  SmallVector<Bits> whole, own; // of each dimension; those of the part
  unsigned low = bits;
  for (int64_t &size : sizes) {
    unsigned end = low;
    low -= llvm::Log2_64(size);
    whole.push_back({low, end});
    own.push_back(
        {std::max(low, part.low), std::min(end, part.low + part.width)});
    if (own.back().begin >= own.back().end)
      size = 1;
  }
  auto type = RankedTensorType::get(sizes, element);
  Value first = part.first;
  if (!first)
    first = builder.create<arith::ConstantOp>(
        location, builder.getIntegerAttr(element, 0));
  Value sum = builder.create<tt::SplatOp>(location, type, first);
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size == 1)
      continue;
    auto [begin, end] = own[dim];
    Value index = bitsOfIndex(builder, location, whole[dim].end - end,
                              end - begin, begin - whole[dim].begin);
    for (unsigned other = 0; other < sizes.size(); ++other)
      if (other != dim)
        index = builder.create<tt::ExpandDimsOp>(location, index, other);
    auto indexType = cast<RankedTensorType>(index.getType()).clone(element);
    unsigned width = element.getIntOrFloatBitWidth();
    if (width > 32)
      index = builder.create<arith::ExtSIOp>(location, indexType, index);
    else if (width < 32)
      index = builder.create<arith::TruncIOp>(location, indexType, index);
    uint64_t factor = uint64_t(1) << (begin - part.low);
    index = builder.create<arith::MulIOp>(
        location, index, constantTile(builder, location, factor, indexType));
    sum = builder.create<arith::AddIOp>(
        location, sum, broadcastTo(builder, location, index, sizes));
  }
  return sum;
}

} // namespace nereid::cpu
