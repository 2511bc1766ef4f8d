// InPlace.cpp - operands of deferred dots that are read in place, in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A dot reads single elements, words or tiles of its left operand, so rows of
// any distance will do. If few rows of sums are needed, a right operand is read
// once, and packing it would cost more than the product. Where its columns are
// contiguous, lanes of a vector add up the products of a row and a column.
// Masks at the end of K are true in all iterations but the last, and remainders
// (`offs_m % M`) wrap around in the last programs only: each iteration finds
// out, and copies the operand if it must.

#include "analysis/Induction.h"
#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

std::optional<SmallVector<TileCondition, 2>>
conditionsOf(Value mask, codegen::TileForms &forms) {
  SmallVector<TileCondition, 2> conditions;
  if (!mask)
    return conditions;
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, forms)) {
    std::optional<unsigned> dim = onlyDimOf(conjunct.condition, forms);
    if (!dim)
      return std::nullopt;
    TileCondition condition{conjunct.condition, *dim};
    condition.isOfRows = *dim == 0 && codegen::rankOf(conjunct.condition) == 2;
    if (forms.dependsOn(conjunct.condition)) {
      condition.bound = codegen::intervalOf(conjunct.condition, *dim, forms);
      if (!condition.bound)
        return std::nullopt;
    }
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

/// The form of the addresses where no remainder wraps around and no offset is
/// clamped.
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
    bool isOfRows = term.dependsOn == 1;
    InPlaceOperand::Wrap check{term.tensor, *dim, isOfRows, *stride};
    if (wrap->isClamped)
      check.below = wrap->modulus;
    operand.wraps.push_back(std::move(check));
  }
  codegen::TileForm plain = forms.unwrapped(form);
  if (!plain.isAffine())
    return std::nullopt;
  return plain;
}

namespace {
/// A load that an operand is, perhaps as f32, with its dimensions exchanged.
struct LoadedOperand {
  tt::LoadOp load;
  bool isExtended = false;
  unsigned exchanges = 0;
};
} // namespace

static LoadedOperand loadOf(const DotOperand &operand,
                            const GenerateOptions &options) {
  LoadedOperand found;
  Value value = operand.value;
  found.exchanges = operand.isTransposed;
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    auto extend = dyn_cast<arith::ExtFOp>(op);
    if (swapsLastDims(op)) {
      ++found.exchanges;
    } else if (extend && getElementTypeOrSelf(extend.getOut()).isF32()) {
      Type from = getElementTypeOrSelf(extend.getIn());
      if (!from.isBF16() && !(from.isF16() && options.cpu.hasF16Conversions))
        break;
      found.isExtended = true;
    } else {
      break;
    }
    value = op->getOperand(0);
  }
  found.load = value.getDefiningOp<tt::LoadOp>();
  return found;
}

/// May the right operand of `dot` be multiplied as it is in memory? bf16 and
/// f16 are, as f32; tile registers load columns.
static bool mayMultiplyInPlace(tt::DotOp dot, const DotPlan &plan,
                               bool isByColumns,
                               const GenerateOptions &options) {
  Type element = dot.getB().getType().getElementType();
  bool isNarrow =
      (element.isBF16() || element.isF16()) && !plan.left.isTransposed;
  return options.fastPaths.has(FastPath::DotKernel) &&
         (plan.kind == DotKind::Elements || isNarrow ||
          (plan.kind == DotKind::Tiles && plan.terms == 1 && isByColumns));
}

/// The most rows of sums for which the columns of the right operand of `dot`
/// may be in place: as many as are in registers with some columns. 0: they may
/// not be.
static int64_t mostRowsByColumns(tt::DotOp dot, const DotPlan &plan,
                                 bool hasRowLimit,
                                 const GenerateOptions &options) {
  // With two columns, a vector of each and of each row.
  int64_t registers = options.cpu.vectorRegisters;
  auto sums = dot.getType();
  int64_t most = std::min<int64_t>(sums.getShape()[0], registers / 4);
  int64_t depth = dot.getA().getType().getShape().back();
  int64_t lanes = options.cpu.vectorBits / sums.getElementTypeBitWidth();
  if (plan.kind == DotKind::Tiles && plan.terms == 1) {
    // A tile of each, whose rows are the columns.
    most = std::min(sums.getShape()[0], CpuModel::kTileColumns);
    int64_t bits = depth * dot.getB().getType().getElementTypeBitWidth();
    if (sums.getShape()[1] % CpuModel::kTileColumns != 0 ||
        bits % CpuModel::kTileRowBits != 0)
      return 0;
  } else if (plan.kind != DotKind::Elements) {
    // With more rows, instructions for bf16 save more than the packing costs.
    most = llvm::divideCeil(most, 2);
  }
  bool isFew = hasRowLimit || sums.getShape()[0] == most;
  bool mayReassociate =
      options.reassociate || isa<IntegerType>(sums.getElementType());
  return isFew && mayReassociate && !plan.left.isTransposed &&
                 depth % lanes == 0 && sums.getShape()[1] % 4 == 0
             ? most
             : 0;
}

/// Sets the most rows of sums for which the rows of the right operand of `dot`
/// may be in place: as many as are in registers at once, so that it is read
/// once, or twice as many. 0: they may not be.
static void limitByRows(InPlaceOperand &operand, tt::DotOp dot,
                        const DotPlan &plan, const GenerateOptions &options) {
  int64_t rows = dot.getType().getShape().front();
  // bf16 is multiplied as f32, of more rows by one vector of each.
  int64_t atOnce = plan.kind == DotKind::Elements ? plan.block.rows
                                                  : 2 * options.cpu.dotRows;
  int64_t strips = llvm::divideCeil(rows, atOnce);
  // Others would convert bf16 twice, which takes longer than to pack it.
  bool mayHaveTwo = plan.kind == DotKind::Elements && rows % (2 * strips) == 0;
  if (mayHaveTwo && (strips == 2 || operand.firstRow))
    operand.rowGroups = 2;
  // Of many strips, a program needs a single one at the end of a matrix, and a
  // part of a program does.
  if (strips <= operand.rowGroups || operand.rows)
    operand.mostRows =
        operand.rowGroups * int64_t(llvm::divideCeil(rows, strips));
}

/// Where an operand of `dot` is in memory, in lines that are contiguous.
std::optional<InPlaceOperand> Planner::planPlace(tt::DotOp dot, scf::ForOp loop,
                                                 bool isRight) {
  const DotPlan &plan = program->dots.at(dot);
  const DotOperand &side = isRight ? plan.right : plan.left;
  LoadedOperand found = loadOf(side, options);
  tt::LoadOp load = found.load;
  if (!options.fastPaths.has(FastPath::DotInPlace) || !load ||
      load->getParentOp() != loop ||
      !computesDotOperand(side.value.getDefiningOp()) ||
      codegen::rankOf(load) != 2 || hasWrites(loop))
    return std::nullopt;
  InPlaceOperand operand;
  operand.value = side.value;
  operand.load = load;
  operand.isExtended = found.isExtended;
  const codegen::TileForm *form = forms.of(load.getPtr());
  auto conditions = conditionsOf(load.getMask(), forms);
  if (!form || !conditions)
    return std::nullopt;
  operand.conditions = std::move(*conditions);
  std::optional<codegen::TileForm> plain = addWraps(operand, *form, forms);
  if (!plain)
    return std::nullopt;
  auto isContiguous = [&](unsigned dim) {
    return plain->strides[dim].constant() == 1;
  };
  // Dimensions of the load: the depth, and that of lines.
  operand.depthDim = isRight == (found.exchanges % 2 == 1) ? 1 : 0;
  bool isByRows = found.exchanges == 0 && isContiguous(1);
  operand.isByColumns = isRight && !isByRows && isContiguous(operand.depthDim);
  if (!isByRows && !operand.isByColumns)
    return std::nullopt;
  operand.stride =
      plain->strides[operand.isByColumns ? 1 - operand.depthDim : 0];
  operand.base = plain->base;
  if (!isInvariant(operand.stride, loop))
    return std::nullopt;
  return operand;
}

std::optional<InPlaceOperand>
Planner::planInPlace(tt::DotOp dot, scf::ForOp loop, bool isRight) {
  std::optional<InPlaceOperand> place = planPlace(dot, loop, isRight);
  if (!place)
    return std::nullopt;
  InPlaceOperand &operand = *place;
  const DotPlan &plan = program->dots.at(dot);
  // Rows are converted to those of a buffer that joins them.
  if (!isRight && operand.isExtended &&
      (plan.left.packed ||
       program->materialized.lookup(plan.left.value)->joinedDim != 1))
    return std::nullopt;
  ArrayRef<int64_t> shape =
      codegen::tileType(tt::LoadOp(operand.load).getResult()).getShape();
  codegen::Polynomial next = isRight && !operand.isByColumns
                                 ? operand.stride.scaled(shape[0])
                                 : codegen::Polynomial(shape[operand.depthDim]);
  auto advance = codegen::advanceOf(operand.base, loop);
  if (!advance || !(*advance == next))
    return std::nullopt;
  if (isRight) {
    RowLimits limits = rowLimits.lookup(dot);
    operand.firstRow = limits.first;
    operand.rows = limits.end;
    operand.rowsLeft = limits.left;
    bool hasLimit = bool(operand.rows);
    if (operand.isByColumns)
      operand.mostRows = mostRowsByColumns(dot, plan, hasLimit, options);
    else
      limitByRows(operand, dot, plan, options);
    if (!operand.mostRows ||
        !mayMultiplyInPlace(dot, plan, operand.isByColumns, options))
      return std::nullopt;
  } else {
    // A tile register reads all of a line at once, and all of its rows.
    bool isInTiles = plan.kind == DotKind::Tiles;
    operand.rows = isInTiles ? Value() : plan.rows;
    operand.hasManyRows = !isInTiles && !operand.isExtended &&
                          plan.block.rows > options.cpu.setRows;
  }
  return place;
}

/// The right operand of `dot`, if it is packed from rows in memory. Columns are
/// copied before they are turned: few rows of 4096 columns of bf16 ran at 0.8
/// times the rate on a Zen 5 where they were not.
std::optional<InPlaceOperand> Planner::planPacked(tt::DotOp dot,
                                                  scf::ForOp loop) {
  const DotOperand &right = program->dots.at(dot).right;
  if (!right.packed || right.isTransposed)
    return std::nullopt;
  std::optional<InPlaceOperand> place = planPlace(dot, loop, /*isRight=*/true);
  bool isAlike = place && !place->isExtended && !place->isByColumns;
  return isAlike ? place : std::nullopt;
}

} // namespace nereid::cpu
