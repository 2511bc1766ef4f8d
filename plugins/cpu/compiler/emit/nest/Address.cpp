// Address.cpp - addresses of tiles in memory and in scratch.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::TileForm;
using codegen::TileTerm;

static llvm::Type *pointeeOf(Emitter &emitter, Type pointers) {
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointers));
  return emitter.memoryType(type.getPointeeType());
}

/// Is `tile`, of integers, not computed from the index and scalars alone?
bool NestEmitter::dependsOnMemory(Value tile) {
  if (!isTile(tile))
    return false;
  auto [known, isNew] = memoryDependence.try_emplace(tile, true);
  if (!isNew)
    return known->second;
  Operation *op = tile.getDefiningOp();
  bool depends = !op || isa<tt::LoadOp, tt::GatherOp>(op) ||
                 !isTileExpression(op) ||
                 llvm::any_of(op->getOperands(),
                              [&](Value v) { return dependsOnMemory(v); });
  return memoryDependence[tile] = depends;
}

std::pair<llvm::Value *, int64_t> asSum(llvm::Value *index) {
  auto *sum = dyn_cast<llvm::BinaryOperator>(index);
  auto *distance = sum && sum->getOpcode() == llvm::Instruction::Add
                       ? dyn_cast<llvm::ConstantInt>(sum->getOperand(1))
                       : nullptr;
  return distance ? std::pair(sum->getOperand(0), distance->getSExtValue())
                  : std::pair(index, int64_t(0));
}

/// How often lanes repeat, if all non-uniform indices agree on it.
static int64_t repeatOf(const Indices &indices) {
  int64_t repeat = 0;
  for (const Index &index : indices)
    if (!index.isUniform())
      repeat = !repeat || repeat == index.repeat ? index.repeat : 1;
  return std::max<int64_t>(repeat, 1);
}

/// `polynomial`, at the outermost level where its scalars are available: those
/// of an element loop are not outside of it.
llvm::Value *NestEmitter::polynomialAt(const codegen::Polynomial &polynomial) {
  unsigned level = 0;
  for (const codegen::Monomial &monomial : polynomial.terms())
    for (Value factor : monomial.factors)
      level = std::max(level, levelOf(emitter.scalar(factor)));
  insertAt(level);
  if (!level)
    return emitter.polynomial(polynomial);
  PolynomialScope ofLoop(emitter);
  llvm::Value *value = emitter.polynomial(polynomial);
  place(value, level);
  return value;
}

/// Adds the summands of `polynomial` to `parts`, those of each level as one.
void NestEmitter::addByLevel(const codegen::Polynomial &polynomial,
                             SmallVectorImpl<llvm::Value *> &parts) {
  if (!nest.elementLoop) {
    parts.push_back(polynomialAt(polynomial));
    return;
  }
  for (unsigned level = 0; level < levels.size(); ++level) {
    codegen::Polynomial part =
        polynomial.filtered([&](const codegen::Monomial &monomial) {
          unsigned own = 0;
          for (Value factor : monomial.factors)
            own = std::max(own, levelOf(emitter.scalar(factor)));
          return own == level;
        });
    if (!part.isZero())
      parts.push_back(polynomialAt(part));
  }
}

/// The addresses of `pointers` at `indices`. Loop-invariant terms are added
/// first, from the outermost loop inwards, so that each loop level computes its
/// terms once.
Address NestEmitter::addressOf(Value pointers, const Indices &indices) {
  const TileForm *form = emitter.forms.of(pointers);
  if (!form || emitter.program.isOpaque(pointers)) {
    Element element = get(pointers, indices);
    if (element.isVector)
      return {nullptr, std::nullopt, element.value};
    return {element.value, 0, nullptr};
  }
  llvm::Type *pointee = pointeeOf(emitter, pointers.getType());
  Indices used;
  for (auto [factor, index] : llvm::zip(form->strides, indices))
    if (!factor.isZero())
      used.push_back(index);
  SmallVector<std::optional<Index>, 1> termIndices;
  for (const TileTerm &term : form->terms) {
    termIndices.push_back(
        partOfIndex(term.tensor, indicesAt(term.map, indices)));
    if (termIndices.back())
      used.push_back(*termIndices.back());
  }
  int64_t repeat = repeatOf(used);

  SmallVector<llvm::Value *> parts; // scalars, in elements
  llvm::Value *spread = nullptr;    // <lanes x i64>, non-uniform
  codegen::Polynomial stride;       // of the lanes
  auto addSpread = [&](llvm::Value *vector) {
    spread = spread ? at({spread, vector},
                         [&] { return builder.CreateAdd(spread, vector); })
                    : vector;
  };
  auto scaledBy = [&](const codegen::Polynomial &factor, llvm::Value *value,
                      bool isVector) {
    llvm::Value *by = polynomialAt(factor);
    if (auto *known = dyn_cast<llvm::ConstantInt>(by); known && known->isOne())
      return value;
    return at({value, by}, [&] {
      return builder.CreateMul(
          value, isVector ? builder.CreateVectorSplat(lanes, by) : by);
    });
  };
  auto addIndex = [&](const codegen::Polynomial &factor, const Index &index) {
    if (index.vector && (index.repeat == 1 || index.repeat != repeat))
      return addSpread(scaledBy(factor, index.vector, true));
    auto [base, distance] = asSum(index.base);
    std::optional<int64_t> by = factor.constant();
    if (!by)
      base = index.base;
    else if (distance)
      parts.push_back(emitter.i64(uint64_t(distance) * uint64_t(*by)));
    parts.push_back(scaledBy(factor, base, false));
    stride = stride + factor.scaled(index.lane);
  };

  addByLevel(form->base, parts);
  for (auto [dim, factor] : llvm::enumerate(form->strides))
    if (!factor.isZero())
      addIndex(factor, indices[dim]);
  for (auto [term, index] : llvm::zip(form->terms, termIndices)) {
    if (index) {
      addIndex(term.coefficient, *index);
      continue;
    }
    Indices inner = indicesAt(term.map, indices);
    if (const auto *division = pieceOf(term.tensor, inner)) {
      assumed = true;
      llvm::Value *first = asI64(get(term.tensor, startOfPiece(division->map)));
      parts.push_back(scaledBy(term.coefficient, first, false));
      if (division->stride())
        addIndex(term.coefficient, {placeInPiece(), 1, nullptr});
      continue;
    }
    std::optional<Element> constant = constantInPiece(term.tensor, inner);
    Element element = constant ? *constant : get(term.tensor, inner);
    llvm::Value *wide = at({element.value}, [&]() -> llvm::Value * {
      llvm::Type *type = builder.getInt64Ty();
      if (element.isVector)
        type = llvm::FixedVectorType::get(type, lanes);
      return element.value->getType()->getScalarType()->isIntegerTy(1)
                 ? builder.CreateZExt(element.value, type)
                 : builder.CreateSExt(element.value, type);
    });
    llvm::Value *part = scaledBy(term.coefficient, wide, element.isVector);
    if (element.isVector)
      addSpread(part);
    else
      parts.push_back(part);
  }

  // Outermost parts first; each adds one GEP. A constant is the displacement of
  // an instruction.
  auto turn = [&](llvm::Value *part) {
    return isa<llvm::Constant>(part) ? unsigned(levels.size()) : levelOf(part);
  };
  llvm::stable_sort(parts, [&](llvm::Value *a, llvm::Value *b) {
    return turn(a) < turn(b);
  });
  llvm::Value *base = emitter.scalar(form->pointer);
  for (size_t i = 0; i < parts.size();) {
    llvm::Value *offset = parts[i];
    unsigned level = turn(offset);
    for (++i; i < parts.size() && turn(parts[i]) == level; ++i)
      offset = at({offset, parts[i]},
                  [&] { return builder.CreateAdd(offset, parts[i]); });
    if (auto *known = dyn_cast<llvm::ConstantInt>(offset);
        known && known->isZero())
      continue;
    base = at({base, offset},
              [&] { return builder.CreateGEP(pointee, base, offset); });
  }
  std::optional<int64_t> step = stride.constant();
  if (!spread && step)
    return {base, step, nullptr, repeat, repeatOf(indices) != repeat};
  Address address;
  // Divisions alone are here because a piece ends between the lanes.
  bool onlyPieces = masks && !form->terms.empty() &&
                    llvm::all_of(form->terms, [&](const TileTerm &term) {
                      return masks->divides(term.tensor);
                    });
  bool isComputed = llvm::none_of(form->terms, [&](const TileTerm &term) {
    return dependsOnMemory(term.tensor);
  });
  bool mayBeOne = step ? *step == 0 || *step == 1 : stride.divisibility() == 1;
  bool isInPiece = piece && !spread;
  address.mayBeNeighbours =
      mayBeOne && isComputed && (!onlyPieces || isInPiece);
  if (!stride.isZero()) {
    llvm::Value *lane = polynomialAt(stride);
    if (!spread && repeat == 1)
      address.unknownStride = lane;
    addSpread(at({lane}, [&] {
      return builder.CreateMul(builder.CreateVectorSplat(lanes, lane),
                               laneOffsets(1, 64, repeat));
    }));
  }
  address.vector = at({base, spread},
                      [&] { return builder.CreateGEP(pointee, base, spread); });
  return address;
}

llvm::Value *NestEmitter::lanePointers(const Address &address,
                                       llvm::Type *element) {
  if (address.vector)
    return address.vector;
  return at({address.base}, [&] {
    // LLVM 19 at -O3 takes a GEP by a vector of zeros for a scalar.
    if (*address.stride == 0)
      return builder.CreateVectorSplat(lanes, address.base);
    return builder.CreateGEP(element, address.base,
                             laneOffsets(*address.stride, 64, address.repeat));
  });
}

Address NestEmitter::bufferAddress(llvm::Value *buffer,
                                   const TileLayout &layout,
                                   llvm::Type *element,
                                   const Indices &indices) {
  Index flat = zero();
  auto add = [&](const Index &index, int64_t stride) {
    flat = indexPlus(indexTimes(index, stride), flat);
  };
  size_t rank = layout.strides.size();
  for (size_t dim = rank; dim-- > 0;) {
    if (layout.panel && dim + 1 == rank) {
      add(indexAnd(indices[dim], layout.panel - 1), 1);
      add(indexShift(indices[dim], llvm::Log2_64(layout.panel)),
          layout.panelStride);
    } else {
      add(indices[dim], layout.strides[dim]);
    }
  }
  if (flat.vector && flat.repeat == 1)
    return {nullptr, std::nullopt, at({buffer, flat.vector}, [&] {
              return builder.CreateGEP(element, buffer, flat.vector);
            })};
  return {at({buffer, flat.base},
             [&] { return builder.CreateGEP(element, buffer, flat.base); }),
          flat.lane, nullptr, flat.repeat};
}

} // namespace nereid::cpu
