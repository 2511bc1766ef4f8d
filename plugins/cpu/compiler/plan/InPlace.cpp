// InPlace.cpp - operands of deferred dots that are read in place, in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A dot reads single elements, words or tiles of its left operand, so rows of
// any distance will do. If few rows of sums are needed, a right operand is read
// once, and packing it would cost more than the product. Masks at the end of K
// are true in all iterations but the last, and remainders (`offs_m % M`) wrap
// around in the last programs only: each iteration finds out, and copies the
// operand if it must.

#include "analysis/Induction.h"
#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

static bool isInvariant(const codegen::Polynomial &value, scf::ForOp loop) {
  return llvm::all_of(value.terms(), [&](const codegen::Monomial &monomial) {
    return llvm::all_of(monomial.factors, [&](Value factor) {
      return loop.isDefinedOutsideOfLoop(factor);
    });
  });
}

/// Could an iteration of `loop` change the memory that a later one reads, or
/// order its reads?
static bool hasWrites(scf::ForOp loop) {
  return loop
      ->walk([](Operation *op) {
        return codegen::infoOf(op).writes || isVolatileLoad(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The only dimension that `value` depends on, 0 if it is uniform.
static std::optional<unsigned> onlyDimOf(Value value,
                                         codegen::TileForms &forms) {
  codegen::DimSet depends = forms.dependsOn(value);
  if (llvm::popcount(depends) > 1)
    return std::nullopt;
  return depends ? llvm::countr_zero(depends) : 0;
}

static bool addConditions(InPlaceOperand &operand, codegen::TileForms &forms) {
  Value mask = operand.load.getMask();
  if (!mask)
    return true;
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, forms)) {
    std::optional<unsigned> dim = onlyDimOf(conjunct.condition, forms);
    if (!dim)
      return false;
    InPlaceOperand::Condition condition{conjunct.condition, *dim};
    if (forms.dependsOn(conjunct.condition)) {
      condition.bound = codegen::intervalOf(conjunct.condition, *dim, forms);
      if (!condition.bound)
        return false;
    }
    operand.conditions.push_back(std::move(condition));
  }
  return true;
}

/// The form of the addresses where no remainder wraps around.
static std::optional<codegen::TileForm> addWraps(InPlaceOperand &operand,
                                                 const codegen::TileForm &form,
                                                 codegen::TileForms &forms) {
  for (const codegen::TileTerm &term : form.terms) {
    std::optional<codegen::WrapForm> wrap = forms.wrapOf(term.tensor);
    std::optional<unsigned> dim = onlyDimOf(term.tensor, forms);
    if (!wrap || !dim)
      return std::nullopt;
    std::optional<int64_t> stride = wrap->value.strides[*dim].constant();
    if (!stride)
      return std::nullopt;
    int64_t size = codegen::tileType(term.tensor).getDimSize(*dim);
    operand.wraps.push_back({term.tensor, *dim, (size - 1) * *stride});
  }
  codegen::TileForm plain = forms.unwrapped(form);
  if (!plain.isAffine())
    return std::nullopt;
  return plain;
}

/// The most rows of sums for which the right operand of `dot` may be in place:
/// as many as are in registers at once, so that it is read once. 0: it may not
/// be.
static int64_t mostRowsInPlace(tt::DotOp dot, const DotPlan &plan) {
  int64_t rows = dot.getType().getShape().front();
  int64_t strips = llvm::divideCeil(rows, plan.block.rows);
  // With more strips, programs seldom need a single one.
  bool isNarrow = strips == 1 || (strips <= 3 && plan.rows);
  return plan.kind == DotKind::Elements && !plan.right.packed && isNarrow
             ? llvm::divideCeil(rows, strips)
             : 0;
}

std::optional<InPlaceOperand>
Planner::planInPlace(tt::DotOp dot, scf::ForOp loop, bool isRight) {
  const DotPlan &plan = program->dots.at(dot);
  const DotOperand &side = isRight ? plan.right : plan.left;
  auto load = side.value.getDefiningOp<tt::LoadOp>();
  if (!options.fastPaths.has(FastPath::DotInPlace) || side.isTransposed ||
      !load || load->getParentOp() != loop || !computesDotOperand(load) ||
      codegen::rankOf(load) != 2 || hasWrites(loop))
    return std::nullopt;
  InPlaceOperand operand;
  operand.load = load;
  const codegen::TileForm *form = forms.of(load.getPtr());
  if (!form || !addConditions(operand, forms))
    return std::nullopt;
  std::optional<codegen::TileForm> plain = addWraps(operand, *form, forms);
  if (!plain || plain->strides[1].constant() != 1 ||
      !isInvariant(plain->strides[0], loop))
    return std::nullopt;
  operand.rowStride = plain->strides[0];
  ArrayRef<int64_t> shape = codegen::tileType(load.getResult()).getShape();
  codegen::Polynomial next = isRight ? operand.rowStride.scaled(shape[0])
                                     : codegen::Polynomial(shape[1]);
  auto advance = codegen::advanceOf(plain->base, loop);
  if (!advance || !(*advance == next))
    return std::nullopt;
  if (isRight) {
    operand.mostRows = mostRowsInPlace(dot, plan);
    if (!operand.mostRows)
      return std::nullopt;
  } else {
    // A tile register reads all of a line at once.
    operand.hasManyRows =
        plan.kind != DotKind::Tiles && plan.block.rows > options.cpu.setRows;
  }
  return operand;
}

} // namespace nereid::cpu
