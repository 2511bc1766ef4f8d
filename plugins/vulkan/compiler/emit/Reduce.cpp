// Reduce.cpp - reductions and scans: in registers, then across threads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "tile/Combine.h"

#include "mlir/IR/TypeUtilities.h"

#include <map>

using namespace mlir;

namespace nereid::vulkan {

using codegen::Combine;
using codegen::CombineKind;
using codegen::combineOf;
using codegen::tileType;

static SmallVector<Type> elementTypesOf(ValueRange tiles) {
  SmallVector<Type> types;
  for (Value tile : tiles)
    types.push_back(getElementTypeOrSelf(tile));
  return types;
}

/// `lower` and `upper`, in this order, combined by the region.
static Ids joined(ArrayRef<Id> lower, ArrayRef<Id> upper) {
  Ids both(lower);
  both.append(upper.begin(), upper.end());
  return both;
}

/// Combines neighbours, then pairs of pairs: in order, with short chains.
Ids Emitter::foldTree(Region &region, SmallVector<Ids> parts) {
  while (parts.size() > 1) {
    SmallVector<Ids> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      next.push_back(emitRegion(region, joined(parts[i], parts[i + 1])));
    if (parts.size() % 2)
      next.push_back(parts.back());
    parts = std::move(next);
  }
  return parts.front();
}

/// The instruction that reduces a whole subgroup; none for other operations,
/// and for floating-point extrema, where NaN and the sign of zero count.
static std::optional<spv::Op> subgroupOp(CombineKind kind) {
  switch (kind) {
  case CombineKind::AddF:
    return spv::Op::OpGroupNonUniformFAdd;
  case CombineKind::AddI:
    return spv::Op::OpGroupNonUniformIAdd;
  case CombineKind::AndI:
    return spv::Op::OpGroupNonUniformBitwiseAnd;
  case CombineKind::OrI:
    return spv::Op::OpGroupNonUniformBitwiseOr;
  case CombineKind::XOrI:
    return spv::Op::OpGroupNonUniformBitwiseXor;
  case CombineKind::MaxSI:
    return spv::Op::OpGroupNonUniformSMax;
  case CombineKind::MinSI:
    return spv::Op::OpGroupNonUniformSMin;
  case CombineKind::MaxUI:
    return spv::Op::OpGroupNonUniformUMax;
  case CombineKind::MinUI:
    return spv::Op::OpGroupNonUniformUMin;
  default:
    return std::nullopt;
  }
}

/// Numbers of the bits whose basis has a coordinate along `axis`, lowest first.
static SmallVector<unsigned>
bitsAlong(const Layout &layout, ArrayRef<ElementIndex> bases, unsigned axis) {
  SmallVector<unsigned> bits;
  for (auto [bit, basis] : llvm::enumerate(bases))
    if (layout.coordinate(basis, axis))
      bits.push_back(bit);
  llvm::sort(bits, [&](unsigned x, unsigned y) {
    return layout.coordinate(bases[x], axis) <
           layout.coordinate(bases[y], axis);
  });
  return bits;
}

Ids Emitter::foldThread(Region &region, ArrayRef<Type> types, bool isLane,
                        unsigned bit, bool isOrdered, Ids own) {
  Ids other = exchange(own, types, isLane, bit);
  if (!isOrdered)
    return emitRegion(region, joined(own, other));
  Id isUpper = threadBit(isLane, bit);
  Ids lower, upper;
  for (auto [x, y] : llvm::zip(own, other)) {
    lower.push_back(b.select(isUpper, y, x));
    upper.push_back(b.select(isUpper, x, y));
  }
  return emitRegion(region, joined(lower, upper));
}

Ids Emitter::foldThreads(tt::ReduceOp op, const Layout &layout, Ids values) {
  Region &region = op.getCombineOp();
  SmallVector<Type> types = elementTypesOf(op.getSrcs());
  unsigned axis = op.getAxis();
  codegen::Combine combine;
  if (values.size() == 1)
    combine = combineOf(region);
  bool isOrdered = !combine.isCommutative();
  SmallVector<unsigned> lanes = bitsAlong(layout, layout.laneBases(), axis);
  std::optional<spv::Op> whole = subgroupOp(combine.kind);
  if (whole && lanes.size() == workgroup.laneBits && !lanes.empty() &&
      (types[0].isInteger(32) || types[0].isF32()) &&
      device.has("subgroup-arithmetic")) {
    values[0] = b.reduce(*whole, values[0]);
    lanes.clear();
  }
  for (unsigned bit : lanes)
    values = foldThread(region, types, true, bit, isOrdered, values);
  return foldWarps(region, types, bitsAlong(layout, layout.warpBases(), axis),
                   values);
}

Ids Emitter::foldWarps(Region &region, ArrayRef<Type> types,
                       ArrayRef<unsigned> bits, Ids own) {
  if (bits.empty())
    return own;
  // The threads whose numbers differ in `bits` only, in the order of the axis.
  uint32_t mask = 0;
  for (unsigned bit : bits)
    mask |= 1u << bit;
  Id first = b.iadd(
      b.shl(b.bitAnd(warp, b.u32(~mask)), b.u32(workgroup.laneBits)), lane);
  Id thread = b.iadd(b.shl(warp, b.u32(workgroup.laneBits)), lane);
  SmallVector<Ids> parts(1u << bits.size());
  for (auto [value, type] : llvm::zip(own, types)) {
    unsigned words = wordsOf(type), threads = workgroup.threads();
    barrier();
    storeShared(thread, toWords(value, type), threads);
    barrier();
    for (auto [number, part] : llvm::enumerate(parts)) {
      uint32_t distance = 0;
      for (auto [place, bit] : llvm::enumerate(bits))
        if (number >> place & 1)
          distance |= 1u << (workgroup.laneBits + bit);
      Id slot = b.iadd(first, b.u32(distance));
      part.push_back(fromWords(loadShared(slot, words, threads), type));
    }
  }
  return foldTree(region, std::move(parts));
}

LogicalResult Emitter::emitReduce(tt::ReduceOp op) {
  Layout layout = layouts.operandLayout(op->getOpOperand(0), nullptr);
  layout = layout.compacted();
  unsigned axis = op.getAxis();
  SmallVector<Ids> sources;
  for (Value source : op.getSrcs())
    sources.push_back(registersOf(source, layout));

  // By the index in the result; along the axis in order.
  Layout rest = layout.without(axis);
  std::map<ElementIndex, SmallVector<std::pair<uint32_t, Ids>>> groups;
  for (uint32_t i = 0; i < layout.registerCount(); ++i) {
    Ids parts;
    for (const Ids &source : sources)
      parts.push_back(source[i]);
    groups[rest.elementOf(i)].push_back(
        {layout.coordinate(layout.elementOf(i), axis), parts});
  }
  std::map<ElementIndex, Ids> folded;
  for (auto &[element, parts] : groups) {
    llvm::sort(parts, llvm::less_first());
    Ids values = foldTree(op.getCombineOp(),
                          SmallVector<Ids>(llvm::make_second_range(parts)));
    if (values.empty())
      return failure();
    folded[element] = foldThreads(op, layout, values);
  }
  Layout result = rest.compacted();
  for (auto [number, value] : llvm::enumerate(op.getResults())) {
    if (!tileType(value)) {
      scalars[value] = folded[0][number];
      continue;
    }
    Ids registers;
    for (uint32_t i = 0; i < result.registerCount(); ++i)
      registers.push_back(folded[result.elementOf(i)][number]);
    defineAll(value, std::move(registers));
  }
  return success();
}

namespace {
/// What a scan knows after some bits of the axis: for each register, its prefix
/// in the block of elements that these bits span, and for the first register of
/// each block, the block's total.
struct Prefixes {
  SmallVector<Ids> prefix, total;
  uint32_t done = 0; // register bits that blocks span

  Ids &totalOf(uint32_t index) { return total[index & ~done]; }
};
} // namespace

LogicalResult Emitter::emitScan(tt::ScanOp op) {
  const Layout &layout = *layouts.ownLayoutOf(op->getResult(0));
  Region &region = op.getCombineOp();
  SmallVector<Type> types = elementTypesOf(op.getSrcs());
  uint32_t count = layout.registerCount();
  unsigned axis = op.getAxis();
  Prefixes state;
  state.prefix.resize(count);
  for (OpOperand &use : op->getOpOperands())
    for (auto [index, value] : llvm::enumerate(
             registersOf(use.get(), layouts.operandLayout(use, &layout))))
      state.prefix[index].push_back(value);
  state.total = state.prefix;

  // A block is joined to the one before it, for each bit from the lowest: the
  // total of the half that comes first is combined with all of the other.
  bool isReverse = op.getReverse();
  auto inRegisters = [&](unsigned bit) {
    uint32_t flip = 1u << bit;
    for (uint32_t i = 0; i < count; ++i) {
      bool isSecond = bool(i & flip) != isReverse;
      if (isSecond)
        state.prefix[i] = emitRegion(
            region, joined(state.totalOf(i ^ flip), state.prefix[i]));
    }
    for (uint32_t i = 0; i < count; ++i)
      if (!(i & (state.done | flip))) {
        Ids lower = state.total[i], upper = state.total[i | flip];
        if (isReverse)
          std::swap(lower, upper);
        state.total[i] = emitRegion(region, joined(lower, upper));
      }
    state.done |= flip;
  };
  auto acrossThreads = [&](bool isLane, unsigned bit) {
    Id isSecond = threadBit(isLane, bit);
    if (isReverse)
      isSecond = b.logicalNot(isSecond);
    for (uint32_t first = 0; first < count; ++first) {
      if (first & state.done)
        continue;
      Ids own = state.total[first];
      Ids other = exchange(own, types, isLane, bit);
      for (uint32_t i = 0; i < count; ++i) {
        if ((i & ~state.done) != first)
          continue;
        // What the other half combines is not used.
        assertsWhere = isSecond;
        Ids longer = emitRegion(region, joined(other, state.prefix[i]));
        assertsWhere = {};
        for (auto [value, with] : llvm::zip(state.prefix[i], longer))
          value = b.select(isSecond, with, value);
      }
      Ids lower, upper;
      for (auto [x, y] : llvm::zip(own, other)) {
        lower.push_back(b.select(isSecond, y, x));
        upper.push_back(b.select(isSecond, x, y));
      }
      state.total[first] = emitRegion(region, joined(lower, upper));
    }
  };
  struct Step {
    uint32_t weight;
    int place; // 0 registers, 1 lanes, 2 warps
    unsigned bit;
  };
  SmallVector<Step> steps;
  auto addSteps = [&](ArrayRef<ElementIndex> bases, int place) {
    for (unsigned bit : bitsAlong(layout, bases, axis))
      steps.push_back({layout.coordinate(bases[bit], axis), place, bit});
  };
  addSteps(layout.registerBases(), 0);
  addSteps(layout.laneBases(), 1);
  addSteps(layout.warpBases(), 2);
  llvm::sort(steps,
             [](const Step &x, const Step &y) { return x.weight < y.weight; });
  for (const Step &step : steps)
    step.place == 0 ? inRegisters(step.bit)
                    : acrossThreads(step.place == 1, step.bit);
  for (auto [number, value] : llvm::enumerate(op->getResults())) {
    Ids registers;
    for (const Ids &prefix : state.prefix)
      registers.push_back(prefix[number]);
    defineAll(value, std::move(registers));
  }
  return success();
}

} // namespace nereid::vulkan
