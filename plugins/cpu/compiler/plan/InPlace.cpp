// InPlace.cpp - operands of deferred dots that are read in place, in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A dot reads single elements, words or tiles of its left operand, so rows of
// any distance will do. If few rows of sums are needed, a right operand is read
// once, and packing it would cost more than the product. Where its columns are
// contiguous, lanes of a vector add up the products of a row and a column. Masks
// at the end of K are true in all iterations but the last, and remainders
// (`offs_m % M`) wrap around in the last programs only: each iteration finds
// out, and copies the operand if it must.

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

/// The load that `operand` is, perhaps with its dimensions exchanged.
static tt::LoadOp loadOf(const DotOperand &operand, bool &isTransposed) {
  Value value = operand.value;
  isTransposed = operand.isTransposed;
  while (swapsLastDims(value.getDefiningOp())) {
    value = value.getDefiningOp<tt::TransOp>().getSrc();
    isTransposed = !isTransposed;
  }
  return value.getDefiningOp<tt::LoadOp>();
}

/// The most rows of sums for which the columns of the right operand of `dot` may
/// be in place: as many as are in registers with some columns. 0: they may not
/// be.
static int64_t mostRowsByColumns(tt::DotOp dot, const DotPlan &plan,
                                 const GenerateOptions &options) {
  constexpr int64_t kFewRows = 4;
  int64_t registers = options.cpu.vectorRegisters;
  ArrayRef<int64_t> sums = dot.getType().getShape();
  int64_t most = std::min(
      {kFewRows, sums[0], (registers - 1) / (kColumnsAtOnce + 1)});
  int64_t depth = dot.getA().getType().getShape().back();
  bool isFew = plan.rows || sums[0] == most;
  bool mayReassociate =
      options.reassociate || isa<IntegerType>(dot.getType().getElementType());
  return plan.kind == DotKind::Elements && isFew && mayReassociate &&
                 !plan.left.isTransposed && plan.block.lanes > 1 &&
                 depth % plan.block.lanes == 0 && sums[1] % kColumnsAtOnce == 0
             ? most
             : 0;
}

/// The most rows of sums for which the rows of the right operand of `dot` may be
/// in place: as many as are in registers at once, so that it is read once. 0:
/// they may not be.
static int64_t mostRowsByRows(tt::DotOp dot, const DotPlan &plan) {
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
  bool isTransposed;
  tt::LoadOp load = loadOf(side, isTransposed);
  if (!options.fastPaths.has(FastPath::DotInPlace) || !load ||
      load->getParentOp() != loop ||
      !computesDotOperand(side.value.getDefiningOp()) ||
      codegen::rankOf(load) != 2 || hasWrites(loop))
    return std::nullopt;
  InPlaceOperand operand;
  operand.value = side.value;
  operand.load = load;
  const codegen::TileForm *form = forms.of(load.getPtr());
  if (!form || !addConditions(operand, forms))
    return std::nullopt;
  std::optional<codegen::TileForm> plain = addWraps(operand, *form, forms);
  if (!plain)
    return std::nullopt;
  auto isContiguous = [&](unsigned dim) {
    return plain->strides[dim].constant() == 1;
  };
  // Dimensions of the load: the depth, and that of lines.
  unsigned depthDim = isRight == isTransposed ? 1 : 0;
  bool isByRows = side.value == load.getResult() && !side.isTransposed &&
                  isContiguous(1);
  operand.isByColumns = isRight && !isByRows && isContiguous(depthDim);
  if (!isByRows && !operand.isByColumns)
    return std::nullopt;
  unsigned lineDim = operand.isByColumns ? 1 - depthDim : 0;
  operand.stride = plain->strides[lineDim];
  ArrayRef<int64_t> shape = codegen::tileType(load.getResult()).getShape();
  codegen::Polynomial next = isRight && isByRows
                                 ? operand.stride.scaled(shape[0])
                                 : codegen::Polynomial(shape[depthDim]);
  auto advance = codegen::advanceOf(plain->base, loop);
  if (!isInvariant(operand.stride, loop) || !advance || !(*advance == next))
    return std::nullopt;
  if (isRight) {
    operand.mostRows = isByRows ? mostRowsByRows(dot, plan)
                                : mostRowsByColumns(dot, plan, options);
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
