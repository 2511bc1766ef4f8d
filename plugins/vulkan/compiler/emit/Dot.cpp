// Dot.cpp - products of single elements.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "../Dot.h"
#include "Emitter.h"

#include "gpu/Linear.h"
#include "gpu/SharedTile.h"

#include <map>

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;
using codegen::gpu::Bases;
using codegen::gpu::SharedTile;

// Words that are accessed at once.
static constexpr unsigned kVector = 4;

static bool isLeft(OpOperand &operand) {
  return operand.getOperandNumber() == 0;
}

static Type elementOf(OpOperand &operand) {
  return tileType(operand.get()).getElementType();
}

static Layout sourceOf(OpOperand &operand, const Distribution &layouts) {
  return layouts.operandLayout(operand, nullptr).compacted();
}

static SharedTile sharedTileOf(OpOperand &operand, const DotPlan &plan,
                               const Distribution &layouts) {
  return {sourceOf(operand, layouts), isLeft(operand), plan.slice, plan.words};
}

static uint32_t bitsOf(ArrayRef<uint32_t> words) {
  uint32_t bits = 0;
  for (uint32_t word : words)
    bits |= word;
  return bits;
}

SharedPlace Emitter::placeIn(OpOperand &operand, const DotPlan &plan,
                             unsigned unit) {
  SharedPlace place;
  place.unit = unit;
  place.offset = (plan.start + (isLeft(operand) ? 0 : plan.leftBytes())) / 4;
  place.offset /= unit;
  if (plan.buffers > 1)
    place.start = b.imul(buffers[operand.getOwner()->getParentOp()],
                         b.u32(plan.bufferBytes() / 4 / unit));
  return place;
}

/// Adds the part of a thread whose bits have these words.
static void addThread(DeviceBuilder &b, SharedPlace &place, Id part,
                      ArrayRef<uint32_t> words) {
  place.thread = place.thread ? b.bitXor(place.thread, part) : part;
  place.threadBits |= bitsOf(words) / place.unit;
}

static Bases inUnits(Bases words, unsigned unit) {
  for (uint32_t &word : words)
    word /= unit;
  return words;
}

void Emitter::stageOperand(OpOperand &operand, const DotPlan &plan,
                           int64_t round) {
  Value tile = operand.get();
  Type type = elementOf(operand);
  Layout layout = sourceOf(operand, layouts);
  SharedTile shared = sharedTileOf(operand, plan, layouts);
  Bases registers = shared.wordsOf(layout.registerBases());
  Bases lanes = shared.wordsOf(layout.laneBases()),
        warps = shared.wordsOf(layout.warpBases());
  // Registers that hold neighbors, from the lowest word.
  SmallVector<uint32_t, 2> run;
  for (uint32_t word = plan.words; word < kVector; word *= 2)
    if (auto *found = llvm::find(registers, word); found != registers.end())
      run.push_back(1u << (found - registers.begin()));
  bool isWide = plan.words << run.size() == kVector &&
                (bitsOf(lanes) | bitsOf(warps)) % kVector == 0;
  uint32_t inRun = isWide ? bitsOf(run) : 0;
  SharedPlace place = placeIn(operand, plan, isWide ? kVector : 1);
  addThread(b, place, permuteBits(lane, inUnits(lanes, place.unit)), lanes);
  addThread(b, place, permuteBits(warp, inUnits(warps, place.unit)), warps);

  Indices depths = indicesOf(layout, shared.depthDim());
  Id owner = isOwner(layout);
  uint32_t copies = layout.copies().registerMask;
  unsigned sliceBits = llvm::Log2_64(plan.slice);
  Ids values = registersOf(tile, layout);
  auto store = [&](uint32_t index) {
    uint32_t word = codegen::gpu::sumOf(registers, index);
    if (!isWide) {
      Id slot = slotIn(place, word);
      storeShared(slot, toWords(values[index], type), 1);
      return;
    }
    Ids words;
    for (uint32_t number = 0; number < 1u << run.size(); ++number)
      llvm::append_range(
          words,
          toWords(values[index | codegen::gpu::sumOf(run, number)], type));
    storeSharedVector(slotIn(place, word), words);
  };
  // Those under one condition share a branch.
  std::map<uint32_t, SmallVector<uint32_t>> byCondition;
  for (uint32_t index = 0; index < values.size(); ++index) {
    if (index & (copies | inRun))
      continue;
    Id mine = owner;
    if (plan.slice < plan.depth) {
      // A part that the thread does not change is known here.
      bool varies = depths.threadBits >> sliceBits != 0;
      uint32_t own = depths.registers[index];
      mine =
          both(owner,
               varies ? b.ieq(b.lshr(indexAt(depths, index), b.u32(sliceBits)),
                              b.u32(round))
                      : b.boolean(own >> sliceBits == uint32_t(round)));
    }
    byCondition[mine.number].push_back(index);
  }
  for (auto &[condition, indices] : byCondition) {
    emitWhere(Id{condition}, {}, [&] {
      // What is computed in a branch is not known after it.
      SharedPlace before = place;
      for (uint32_t index : indices)
        store(index);
      place = before;
      return Ids();
    });
  }
}

void Emitter::stageOperands(tt::DotOp op, const DotPlan &plan, int64_t round) {
  if (plan.buffers == 1)
    barrier();
  stageOperand(op->getOpOperand(0), plan, round);
  stageOperand(op->getOpOperand(1), plan, round);
  barrier();
}

void Emitter::stageBefore(tt::LoadOp load) {
  for (Operation *op = load; op; op = op->getNextNode()) {
    if (stageEarly(op))
      return;
    const DotPlan *plan = dots.find(op);
    if (!plan)
      continue;
    bool isReady =
        tiles.contains(op->getOperand(0)) && tiles.contains(op->getOperand(1));
    if (isReady && plan->isPrivate && staged.insert(op).second)
      stageOperands(cast<tt::DotOp>(op), *plan, 0);
    return;
  }
}

Id Emitter::multiplyAdd(Id x, Id y, Id sum, Type type) {
  if (!isa<FloatType>(type))
    return b.iadd(b.imul(x, y), sum);
  if (contractsDots && device.hasExactFma)
    return b.fma(x, y, sum);
  b.allowContraction(contractsDots);
  Id result = b.fadd(b.fmul(x, y), sum);
  b.allowContraction(false);
  return result;
}

namespace {
/// What a thread reads of one operand in each step of the depth.
struct Side {
  SharedTile tile;
  SharedPlace place;
  unsigned width = 1; // elements that are read at once
  /// By register of the sums: the coordinate, and the batch above it.
  SmallVector<std::pair<uint32_t, uint32_t>> factors;
};
} // namespace

void Emitter::multiplySlice(tt::DotOp op, const DotPlan &plan, Ids &sums) {
  const Layout &layout = *layouts.ownLayoutOf(op);
  unsigned rank = layout.rank();
  Type type = op.getType().getElementType();
  auto sideOf = [&](unsigned number) {
    OpOperand &operand = op->getOpOperand(number);
    unsigned dim = number == 0 ? rank - 2 : rank - 1;
    SharedTile tile = sharedTileOf(operand, plan, layouts);
    auto factorOf = [&](ElementIndex element) {
      return std::pair(layout.coordinate(element, dim),
                       rank == 3 ? layout.coordinate(element, 0) : 0);
    };
    auto wordsOfThread = [&](ArrayRef<ElementIndex> bases) {
      return Bases(llvm::map_range(bases, [&](ElementIndex basis) {
        auto [other, batch] = factorOf(basis);
        return tile.wordOf(0, other, batch);
      }));
    };
    Side side = {tile, SharedPlace(), 1, {}};
    uint32_t inRegisters = 0;
    for (uint32_t i = 0; i < layout.registerCount(); ++i)
      side.factors.push_back(factorOf(layout.elementOf(i)));
    for (ElementIndex basis : layout.registerBases())
      if (auto [other, batch] = factorOf(basis); batch == 0)
        inRegisters |= llvm::has_single_bit(other) ? other : 0;
    Bases lanes = wordsOfThread(layout.laneBases()),
          warps = wordsOfThread(layout.warpBases());
    unsigned most = kVector / plan.words;
    if ((inRegisters & (most - 1)) == most - 1 &&
        (bitsOf(lanes) | bitsOf(warps)) % kVector == 0)
      side.width = most;
    unsigned unit = side.width > 1 ? kVector : 1;
    side.place = placeIn(operand, plan, unit);
    addThread(b, side.place, permuteBits(lane, inUnits(lanes, unit)), lanes);
    addThread(b, side.place, permuteBits(warp, inUnits(warps, unit)), warps);
    return side;
  };
  Side sides[2] = {sideOf(0), sideOf(1)};

  int64_t rounds = plan.slice / plan.unrolled;
  spirv::Carried loop;
  if (rounds > 1) {
    Ids carried = {b.u32(0)};
    llvm::append_range(carried, sums);
    loop = b.beginLoop(ArrayRef<Id>(carried));
    loopCondition(b.ult(loop[0], b.u32(rounds)));
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = loop[i + 1];
    for (Side &side : sides) {
      Bases words;
      for (int64_t depth = plan.unrolled; depth < plan.slice; depth *= 2)
        words.push_back(side.tile.wordOf(depth, 0, 0));
      addThread(b, side.place,
                permuteBits(loop[0], inUnits(words, side.place.unit)), words);
    }
  }

  // Registers of one row, or of one column, share what they read.
  using Values = std::map<std::pair<uint32_t, uint32_t>, Id>;
  auto readStep = [&](Side &side, uint32_t depth) {
    Values values;
    for (auto [other, batch] : side.factors) {
      if (values.count({other, batch}))
        continue;
      uint32_t first = other & ~(side.width - 1);
      Id slot = slotIn(side.place, side.tile.wordOf(depth, first, batch));
      if (side.width == 1) {
        values[{other, batch}] =
            fromWords(loadShared(slot, plan.words, 1), type);
        continue;
      }
      Id vector = loadSharedVector(slot);
      Ids words;
      for (uint32_t i = 0; i < kVector; ++i)
        words.push_back(b.extract(vector, {i}));
      for (uint32_t i = 0; i < side.width; ++i)
        values[{first + i, batch}] =
            fromWords(ArrayRef(words).slice(i * plan.words, plan.words), type);
    }
    return values;
  };
  // Each step is read before the products of the one before it.
  Values left = readStep(sides[0], 0), right = readStep(sides[1], 0);
  for (uint32_t depth = 0; depth < plan.unrolled; ++depth) {
    Values nextLeft, nextRight;
    if (depth + 1 < plan.unrolled) {
      nextLeft = readStep(sides[0], depth + 1);
      nextRight = readStep(sides[1], depth + 1);
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = multiplyAdd(left[sides[0].factors[i]], right[sides[1].factors[i]],
                        sum, type);
    left = std::move(nextLeft);
    right = std::move(nextRight);
  }

  if (rounds == 1)
    return;
  Ids next = {b.iadd(loop[0], b.u32(1))};
  llvm::append_range(next, sums);
  endLoop(op.getLoc(), next);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = loop[i + 1];
}

LogicalResult Emitter::emitDot(tt::DotOp op) {
  const DotPlan &plan = *dots.find(op);
  const Layout &layout = *layouts.ownLayoutOf(op);
  Ids sums = registersOf(op.getC(),
                         layouts.operandLayout(op->getOpOperand(2), &layout));
  for (int64_t round = 0; round * plan.slice < plan.depth; ++round) {
    if (!staged.erase(op))
      stageOperands(op, plan, round);
    multiplySlice(op, plan, sums);
  }
  defineAll(op, std::move(sums));
  return success();
}

} // namespace nereid::vulkan
