// Tile.cpp - evaluates a tile expression at an index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

/// The memo key of a value: indices of dimensions that it does not depend on
/// are ignored.
MemoKey NestEmitter::keyOf(Value value, const Indices &indices) {
  Indices key = indices;
  codegen::DimSet depends = emitter.forms.dependsOn(value);
  for (auto [dim, index] : llvm::enumerate(key))
    if (!(depends >> dim & 1))
      index = zero();
  return {value.getAsOpaquePointer(), lanes, key};
}

void NestEmitter::remember(Value value, const Indices &indices, Element element,
                           unsigned level) {
  levels[level].memo[keyOf(value, indices)] = element;
}

/// The layout of a materialized value.
static TileLayout layoutOf(const TileProgram &program, Value value) {
  const Buffer *buffer = program.materialized.lookup(value);
  return buffer ? buffer->layout()
                : TileLayout::rowMajor(codegen::tileType(value).getShape());
}

Element NestEmitter::get(Value value, const Indices &indices) {
  MemoKey key = keyOf(value, indices);
  const Indices &used = std::get<Indices>(key);
  // Before the values that are known: a row's condition may have been evaluated
  // to find where it is true.
  if (getElementTypeOrSelf(value.getType()).isInteger(1) &&
      isKnownTrue(value, used))
    return {builder.getTrue(), false, /*assumes=*/true};
  if (!isTile(value))
    return {emitter.scalar(value), false};
  for (Level &level : levels)
    if (auto known = level.memo.find(key); known != level.memo.end()) {
      assumed |= known->second.assumes;
      return known->second;
    }
  bool outer = assumed;
  assumed = false;
  Element element;
  if (emitter.program.isMaterialized(value)) {
    llvm::Value *buffer = emitter.bufferPointer(value);
    // A tile in registers: the plan groups no nest that reads others.
    if (!buffer) {
      emitter.refuse(value.getDefiningOp(), "an exchange beyond its group");
      return {llvm::PoisonValue::get(emitter.typeOf(value)), false};
    }
    // A value written by an earlier part of this row is read after that part.
    unsigned outerMinimum = minimumLevel;
    if (written.contains(value))
      minimumLevel = std::max(minimumLevel, rowLevel);
    element = readBuffer(buffer, layoutOf(emitter.program, value),
                         value.getType(), used);
    minimumLevel = outerMinimum;
  } else if (llvm::Value *mask = lanesWithin(value, used)) {
    element = {mask, true};
  } else if (const codegen::PlannedDivision *division = pieceOf(value, used))
    element = inPiece(*division);
  else
    element = define(value, used);
  element.assumes = assumed;
  assumed |= outer;
  unsigned level = levelOf(element.value);
  if (element.assumes)
    level = std::max(level, assumptionLevel);
  levels[level].memo[key] = element;
  return element;
}

/// Evaluates `value` from its operation, even if it has a buffer.
Element NestEmitter::define(Value value, const Indices &indices) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    emitter.refuse(emitter.program.function, "a tile argument without buffer");
    return {llvm::PoisonValue::get(emitter.typeOf(value)), false};
  }
  AtLine line = emitter.at(op->getLoc());
  if (auto rangeOp = dyn_cast<tt::MakeRangeOp>(op))
    return range(rangeOp, indices.front());
  if (codegen::isShapeOp(op))
    return get(op->getOperand(0), operandIndices(value, indices));
  if (auto joinOp = dyn_cast<tt::JoinOp>(op))
    return join(joinOp, indices);
  if (auto catOp = dyn_cast<tt::CatOp>(op))
    return cat(catOp, indices);
  if (auto gatherOp = dyn_cast<tt::GatherOp>(op))
    return gather(gatherOp, indices);
  if (auto loadOp = dyn_cast<tt::LoadOp>(op))
    return load(loadOp, indices);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return resultOf(loop, cast<OpResult>(value).getResultNumber(), indices);
  if (op->hasTrait<OpTrait::ConstantLike>())
    return constant(value, indices);
  return elementwise(op, cast<OpResult>(value).getResultNumber(), indices);
}

Element NestEmitter::elementwise(Operation *op, unsigned result,
                                 const Indices &indices) {
  SmallVector<llvm::Value *> operands;
  bool isVector = false;
  for (Value operand : op->getOperands()) {
    Element element = get(operand, isTile(operand) ? indices : Indices());
    operands.push_back(element.value);
    isVector |= element.isVector;
  }
  unsigned level = levelOf(operands);
  insertAt(level);
  SmallVector<llvm::Value *> results =
      emitter.elementOp(op, operands, isVector ? lanes : 1);
  place(results[result], level);
  return {results[result], isVector};
}

Element NestEmitter::range(tt::MakeRangeOp op, const Index &index) {
  int64_t start = op.getStartAttr().getInt();
  if (index.vector) {
    llvm::Value *value = at({index.vector}, [&] {
      auto *type = llvm::FixedVectorType::get(builder.getInt32Ty(), lanes);
      return builder.CreateAdd(
          builder.CreateTrunc(index.vector, type),
          llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes),
                                         builder.getInt32(start)));
    });
    return {value, true};
  }
  llvm::Value *value = at({index.base}, [&]() -> llvm::Value * {
    llvm::Value *base = builder.CreateTrunc(index.base, builder.getInt32Ty());
    if (start)
      base = builder.CreateAdd(base, builder.getInt32(start));
    if (!index.lane)
      return base;
    return builder.CreateAdd(builder.CreateVectorSplat(lanes, base),
                             laneOffsets(index.lane, 32));
  });
  return {value, index.lane != 0};
}

/// A splat is an immediate; other constants are loaded from a table.
Element NestEmitter::constant(Value value, const Indices &indices) {
  if (llvm::Value *any = emitter.poison(value))
    return {any, false};
  DenseElementsAttr dense;
  auto type = cast<RankedTensorType>(value.getType());
  if (matchPattern(value, m_Constant(&dense)) && dense.isSplat())
    return {codegen::emitConstant(dense.getSplatValue<Attribute>(),
                                  emitter.context()),
            false};
  if (!dense || !type.getElementType().isIntOrFloat()) {
    emitter.refuse(value.getDefiningOp(), "a constant of this kind");
    return {llvm::PoisonValue::get(emitter.typeOf(value)), false};
  }
  llvm::Type *memory = emitter.memoryType(type);
  SmallVector<llvm::Constant *> elements;
  for (Attribute attribute : dense.getValues<Attribute>()) {
    llvm::Constant *element =
        codegen::emitConstant(attribute, emitter.context());
    if (element->getType() != memory)
      element = llvm::ConstantInt::get(memory, element->isOneValue());
    elements.push_back(element);
  }
  auto *table = llvm::ArrayType::get(memory, elements.size());
  auto *global = new llvm::GlobalVariable(
      emitter.module, table, true, llvm::GlobalValue::PrivateLinkage,
      llvm::ConstantArray::get(table, elements), "table");
  return readBuffer(global, TileLayout::rowMajor(type.getShape()), type,
                    indices);
}

Element NestEmitter::choose(Element condition, Element a, Element b) {
  if (auto *known = dyn_cast<llvm::ConstantInt>(condition.value))
    return known->isOne() ? a : b;
  bool isVector = condition.isVector || a.isVector || b.isVector;
  llvm::Value *x = isVector ? widen(a) : a.value;
  llvm::Value *y = isVector ? widen(b) : b.value;
  return {at({condition.value, x, y},
             [&] { return builder.CreateSelect(condition.value, x, y); }),
          isVector};
}

llvm::Value *NestEmitter::widen(Element element) {
  if (element.isVector || lanes == 1)
    return element.value;
  return at({element.value},
            [&] { return builder.CreateVectorSplat(lanes, element.value); });
}

/// Is `index`, 0 or 1, the first?
Element NestEmitter::isFirst(const Index &index) {
  if (index.isUniform())
    return {
        at({index.base},
           [&] { return builder.CreateICmpEQ(index.base, emitter.i64(0)); }),
        false};
  llvm::Value *vector = indexVector(index);
  return {at({vector},
             [&] {
               return builder.CreateICmpEQ(
                   vector, llvm::Constant::getNullValue(vector->getType()));
             }),
          true};
}

Element NestEmitter::join(tt::JoinOp op, const Indices &indices) {
  Indices inner = indicesAt(
      codegen::operandMap(op, 0, codegen::identityMap(indices.size())),
      indices);
  const Index &half = indices.back();
  if (auto *known = dyn_cast_or_null<llvm::ConstantInt>(half.base);
      known && half.isUniform())
    return get(known->isZero() ? op.getLhs() : op.getRhs(), inner);
  Element isLeft = isFirst(half);
  Element lhs = get(op.getLhs(), inner), rhs = get(op.getRhs(), inner);
  return choose(isLeft, lhs, rhs);
}

Element NestEmitter::cat(tt::CatOp op, const Indices &indices) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  int64_t size = type.getDimSize(0);
  Indices inner = indices;
  inner[0] = indexAnd(indices[0], size - 1);
  Index half = indexShift(indices[0], llvm::Log2_64(size));
  Element isLeft = isFirst(half);
  return choose(isLeft, get(op.getLhs(), inner), get(op.getRhs(), inner));
}

/// Reads the source, which is materialized. An index out of range is undefined
/// behaviour in Triton; here it is clamped to the buffer.
Element NestEmitter::gather(tt::GatherOp op, const Indices &indices) {
  if (emitter.options.fastPaths.has(FastPath::Exchange))
    if (std::optional<int64_t> distance = codegen::exchangeDistanceOf(op))
      return exchange(op, *distance, indices.front());
  Element where = get(op.getIndices(), indices);
  int64_t size =
      cast<RankedTensorType>(op.getSrc().getType()).getDimSize(op.getAxis());
  Index index;
  llvm::Value *wide = at({where.value}, [&]() -> llvm::Value * {
    llvm::Type *type = builder.getInt64Ty();
    llvm::Constant *mask = builder.getInt64(size - 1);
    if (where.isVector) {
      type = llvm::FixedVectorType::get(type, lanes);
      mask = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes),
                                            mask);
    }
    return builder.CreateAnd(builder.CreateSExtOrTrunc(where.value, type),
                             mask);
  });
  if (where.isVector)
    index.vector = wide;
  else
    index.base = wide;
  Indices inner = indices;
  inner[op.getAxis()] = index;
  return get(op.getSrc(), inner);
}

} // namespace nereid::cpu
