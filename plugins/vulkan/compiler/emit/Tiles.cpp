// Tiles.cpp - registers of tiles, and operations that only move elements.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "gpu/ShapeLayouts.h"
#include "tile/Ops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::isElementOp;
using codegen::tileType;

Ids Emitter::registersOf(Value tile, const Layout &layout) {
  ArrayRef<Layout> variants = layouts.variantsOf(tile);
  Layout needed = layout.compacted();
  auto *found = llvm::find(variants, needed);
  assert(found != variants.end() && "a layout that was not planned");
  const Ids &held = tiles[tile][found - variants.begin()];
  // Registers that `needed` lacks are copies of those it has.
  Ids registers;
  for (const Conversion::Source &source :
       planConversion(needed, layout).sources)
    registers.push_back(held[source.registerIndex]);
  return registers;
}

void Emitter::define(Value tile, unsigned variant, Ids registers) {
  auto &all = tiles[tile];
  all.resize(layouts.variantsOf(tile).size());
  all[variant] = std::move(registers);
}

void Emitter::defineAll(Value tile, Ids registers) {
  ArrayRef<Layout> variants = layouts.variantsOf(tile);
  Type type = tileType(tile).getElementType();
  for (unsigned i = 1; i < variants.size(); ++i)
    define(tile, i, convert(registers, type, variants[0], variants[i]));
  define(tile, 0, std::move(registers));
}

/// Bits of the index that `bases` contribute.
static uint32_t bitsIn(ArrayRef<ElementIndex> bases) {
  uint32_t bits = 0;
  for (ElementIndex basis : bases)
    bits |= basis;
  return bits;
}

static SmallVector<ElementIndex> coordinatesOf(const Layout &layout,
                                               ArrayRef<ElementIndex> bases,
                                               unsigned dim) {
  SmallVector<ElementIndex> result;
  for (ElementIndex basis : bases)
    result.push_back(layout.coordinate(basis, dim));
  return result;
}

Indices Emitter::indicesOf(const Layout &layout, std::optional<unsigned> dim) {
  auto parts = [&](ArrayRef<ElementIndex> bases) {
    return dim ? coordinatesOf(layout, bases, *dim)
               : SmallVector<ElementIndex>(bases);
  };
  SmallVector<ElementIndex> lanes = parts(layout.laneBases()),
                            warps = parts(layout.warpBases());
  Indices indices;
  indices.thread = b.bitOr(permuteBits(lane, lanes), permuteBits(warp, warps));
  indices.threadBits = bitsIn(lanes) | bitsIn(warps);
  for (uint32_t i = 0; i < layout.registerCount(); ++i) {
    ElementIndex own = layout.elementOf(i);
    indices.registers.push_back(dim ? layout.coordinate(own, *dim) : own);
  }
  return indices;
}

Id Emitter::indexAt(const Indices &indices, uint32_t index) {
  uint32_t own = indices.registers[index];
  // As a sum, where no bit is in both, addresses fold the constant.
  return indices.threadBits & own ? b.bitXor(indices.thread, b.u32(own))
                                  : withConstant(indices.thread, own);
}

Id Emitter::isOwner(const Layout &layout) {
  Layout::Copies copies = layout.copies();
  if (!copies.laneMask && !copies.warpMask)
    return b.boolean(true);
  Id copy = b.bitOr(b.bitAnd(lane, b.u32(copies.laneMask)),
                    b.bitAnd(warp, b.u32(copies.warpMask)));
  return b.ieq(copy, b.u32(0));
}

Id Emitter::both(Id x, Id y) {
  if (std::optional<uint64_t> known = b.constantBits(x))
    return *known ? y : x;
  if (std::optional<uint64_t> known = b.constantBits(y))
    return *known ? x : y;
  return b.logicalAnd(x, y);
}

/// The registers of one result in `layout`.
LogicalResult Emitter::emitVariant(Operation *op, const Layout &layout,
                                   MutableArrayRef<Ids> results) {
  uint32_t count = layout.registerCount();
  SmallVector<Ids> operands;
  for (OpOperand &use : op->getOpOperands()) {
    if (!tileType(use.get()))
      operands.push_back(Ids(count, scalars[use.get()]));
    else
      operands.push_back(
          registersOf(use.get(), layouts.operandLayout(use, &layout)));
  }
  auto at = [&](uint32_t index) {
    Ids values;
    for (const Ids &operand : operands)
      values.push_back(operand[index]);
    return values;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constantOp) {
        auto values = cast<DenseElementsAttr>(constantOp.getValue());
        if (!values.isSplat())
          return refuse(op, "a constant with different elements");
        results[0].assign(count, constant(values.getElementType(),
                                          values.getSplatValue<Attribute>()));
        return success();
      })
      .Case([&](tt::MakeRangeOp range) {
        Id start = b.u32(range.getStart());
        Indices indices = indicesOf(layout, 0);
        for (uint32_t i = 0; i < count; ++i)
          results[0].push_back(addSums(indexAt(indices, i), start));
        return success();
      })
      .Case<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp,
            tt::TransOp>([&](Operation *) {
        results[0] = operands[0];
        return success();
      })
      .Case<tt::JoinOp, tt::CatOp>([&](Operation *) {
        // One bit of the index says which operand an element is from.
        unsigned dim = isa<tt::JoinOp>(op) ? layout.rank() - 1 : 0;
        uint32_t half = layout.shape()[dim] / 2;
        Indices indices = indicesOf(layout, dim);
        bool isByThread = indices.threadBits & half;
        Id isSecond = b.ine(b.bitAnd(indices.thread, b.u32(half)), b.u32(0));
        for (uint32_t i = 0; i < count; ++i)
          results[0].push_back(
              isByThread ? b.select(isSecond, operands[1][i], operands[0][i])
                         : operands[(indices.registers[i] & half) != 0][i]);
        return success();
      })
      .Case([&](tt::SplitOp) {
        // The operand's last register bit is the half.
        for (uint32_t i = 0; i < count; ++i) {
          results[0].push_back(operands[0][i]);
          results[1].push_back(operands[0][i + count]);
        }
        return success();
      })
      .Default([&](Operation *) {
        if (!isElementOp(op))
          return refuse(op);
        for (uint32_t i = 0; i < count; ++i)
          for (auto [number, registers] : llvm::enumerate(results)) {
            Id value = emitElement(op, at(i), number);
            if (!value)
              return refuse(op);
            registers.push_back(value);
          }
        return success();
      });
}

LogicalResult Emitter::emitMap(tt::MapElementwiseOp op) {
  const Layout &layout = *layouts.ownLayoutOf(op->getResult(0));
  // What it loads may have been stored by other threads.
  WalkResult stores = op->walk([&](Operation *inner) {
    codegen::TileOpInfo info = codegen::infoOf(inner);
    if (info.pointers && !isa<tt::LoadOp>(inner))
      return WalkResult::interrupt();
    if (info.pointers)
      orderAccess(inner);
    return WalkResult::advance();
  });
  if (stores.wasInterrupted())
    return refuse(op, "a region that writes to memory");
  SmallVector<Ids> operands, results(op->getNumResults());
  for (OpOperand &use : op->getOpOperands())
    operands.push_back(
        registersOf(use.get(), layouts.operandLayout(use, &layout)));
  isDivergent = true;
  for (uint32_t i = 0; i < layout.registerCount(); ++i) {
    Ids at;
    for (const Ids &operand : operands)
      at.push_back(operand[i]);
    Ids values = emitRegion(op.getScalarOp(), at);
    if (values.empty())
      return failure();
    for (auto [registers, value] : llvm::zip(results, values))
      registers.push_back(value);
  }
  isDivergent = false;
  for (auto [result, registers] : llvm::zip(op->getResults(), results))
    defineAll(result, std::move(registers));
  return success();
}

LogicalResult Emitter::emitExpression(Operation *op) {
  // All results have the same layouts.
  Value tile = op->getResult(0);
  const Layout *own = layouts.ownLayoutOf(tile);
  auto variantsOf = [&](Value result) { return layouts.variantsOf(result); };
  if (own) {
    SmallVector<Ids> results(op->getNumResults());
    if (failed(emitVariant(op, *own, results)))
      return failure();
    for (auto [result, registers] : llvm::zip(op->getResults(), results))
      defineAll(result, std::move(registers));
    return success();
  }
  for (Value result : op->getResults())
    for (auto [variant, layout] : llvm::enumerate(variantsOf(result))) {
      SmallVector<Ids> results(op->getNumResults());
      if (failed(emitVariant(op, layout, results)))
        return failure();
      define(result, variant,
             std::move(results[cast<OpResult>(result).getResultNumber()]));
    }
  return success();
}

} // namespace nereid::vulkan
