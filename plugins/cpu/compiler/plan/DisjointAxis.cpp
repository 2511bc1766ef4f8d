// DisjointAxis.cpp - programs whose atomic operations update different memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The gradient of an embedding adds rows to those of a table that memory names:
// programs may update the same row. But those with different ids along the axis
// of columns never update the same place, so threads that each take all
// programs of some ids need no locks.
//
// An address is
//   pointer + uniform + step * id + column + multiples of `row`
// in elements, where `uniform` is the same in all programs, `id` the program's
// along the axis, `column` is not negative and bounded by the tile's size or a
// mask, and `row` depends on arguments only: the multiples may be anything,
// such as what was read from memory times the length of a row. Modulo `row`,
// programs of one id have the places from step * id on. So ids are disjoint if
//   step * id + column < min(step * (id + 1), row)
// for all of them, which the driver computes in each launch.

#include "plan/DisjointAxis.h"

#include "plan/AddressBounds.h"
#include "plan/PlainAtomics.h"

#include <numeric>

using namespace mlir;

namespace nereid::cpu {

using codegen::Monomial;
using codegen::Polynomial;
using codegen::TileForm;

static Polynomial polynomialOf(const Monomial &monomial) {
  Polynomial result(monomial.coefficient);
  for (Value factor : monomial.factors)
    result = *result.times(Polynomial::symbol(factor));
  return result;
}

/// The largest monomial of arguments that divides both. `row` is null at first.
static void divideBoth(std::optional<Monomial> &row, const Monomial &multiple) {
  Monomial common;
  SmallVector<Value, 2> left(multiple.factors);
  if (!row)
    llvm::copy_if(left, std::back_inserter(common.factors),
                  ScalarBounds::isArgument);
  else
    for (Value factor : row->factors)
      if (auto place = llvm::find(left, factor); place != left.end()) {
        common.factors.push_back(factor);
        left.erase(place);
      }
  common.coefficient = static_cast<int64_t>(
      std::gcd(multiple.coefficient, row ? row->coefficient : 0));
  row = common;
}

namespace {
/// The places that an operation updates, relative to its pointer.
struct Places {
  Operation *op = nullptr;
  BlockArgument pointer;
  Polynomial uniform, step;
  TileForm columns;  // without what is above, and without multiples of the row
  int64_t shift = 0; // of `uniform` from that of the first with this pointer
};

/// All operations with one pointer.
struct Updates {
  SmallVector<Places, 2> places;
  std::optional<Monomial> row; // null: there are no multiples of it
  int64_t least = 0;           // of the shifts
};

class AxisPlanner : AddressBounds {
public:
  AxisPlanner(int axis, const KernelInfo &info, codegen::TileForms &forms)
      : AddressBounds(info, forms), axis(axis), forms(forms) {}

  /// False if nothing is known of the places.
  bool addUpdate(Operation *op);
  /// Empty if it is not known.
  std::vector<nereid_work_step_t> condition();

private:
  bool split(const Polynomial &base, Places &places,
             std::optional<Monomial> &row) const;
  void splitStrides(const TileForm &form, Places &places,
                    std::optional<Monomial> &row) const;
  std::optional<WorkValue> value(const Polynomial &polynomial);
  bool addCondition(const Updates &updates, WorkValue &least);
  bool addDistances(WorkValue &least);
  std::optional<Bounds> rangeOf(const Updates &updates);

  const int axis;
  codegen::TileForms &forms;
  llvm::MapVector<Value, Updates> all;
};
} // namespace

/// Sorts the monomials of `base`; false if the id is in one in another way than
/// times arguments.
bool AxisPlanner::split(const Polynomial &base, Places &places,
                        std::optional<Monomial> &row) const {
  auto isId = [&](Value factor) {
    auto id = factor.getDefiningOp<tt::GetProgramIdOp>();
    return id && static_cast<int>(id.getAxisAsInt()) == axis;
  };
  for (const Monomial &monomial : base.terms()) {
    Monomial rest = monomial;
    llvm::erase_if(rest.factors, isId);
    size_t ids = monomial.factors.size() - rest.factors.size();
    bool isUniform = llvm::all_of(rest.factors, isArgument);
    if (ids > 1 || (ids == 1 && !isUniform))
      return false;
    if (ids == 1)
      places.step = places.step + polynomialOf(rest);
    else if (isUniform)
      places.uniform = places.uniform + polynomialOf(rest);
    else
      divideBoth(row, monomial);
  }
  return true;
}

/// Dimensions with a constant stride that is shorter than the step are columns,
/// all others are multiples of the row.
void AxisPlanner::splitStrides(const TileForm &form, Places &places,
                               std::optional<Monomial> &row) const {
  std::optional<int64_t> step = places.step.constant();
  for (auto [own, stride] : llvm::zip(places.columns.strides, form.strides)) {
    std::optional<int64_t> known = stride.constant();
    if (known && *known >= 0 && (!step || *known < *step)) {
      own = stride;
      continue;
    }
    for (const Monomial &monomial : stride.terms())
      divideBoth(row, monomial);
  }
}

bool AxisPlanner::addUpdate(Operation *op) {
  Value pointers = codegen::infoOf(op).pointers->get();
  const TileForm *form = forms.of(pointers);
  if (!form || !isArgument(form->pointer))
    return false;
  Updates &updates = all[form->pointer];
  Places places;
  places.op = op;
  places.pointer = cast<BlockArgument>(form->pointer);
  places.columns.strides.resize(form->strides.size());
  if (!split(form->base, places, updates.row) || places.step.isZero())
    return false;
  splitStrides(*form, places, updates.row);
  for (const codegen::TileTerm &term : form->terms)
    for (const Monomial &monomial : term.coefficient.terms())
      divideBoth(updates.row, monomial);
  if (!updates.places.empty()) {
    const Places &first = updates.places.front();
    std::optional<int64_t> shift = (places.uniform - first.uniform).constant();
    if (!(first.step == places.step) || !shift)
      return false;
    places.shift = *shift;
    updates.least = std::min(updates.least, *shift);
  }
  updates.places.push_back(std::move(places));
  return true;
}

/// The value of a polynomial of arguments.
std::optional<WorkValue> AxisPlanner::value(const Polynomial &polynomial) {
  std::optional<Bounds> bounds = of(polynomial);
  if (!bounds || !bounds->isPoint())
    return std::nullopt;
  return bounds->low;
}

/// Adds to `least` what must not be negative for the ids to be disjoint in
/// `updates`.
bool AxisPlanner::addCondition(const Updates &updates, WorkValue &least) {
  std::optional<WorkValue> row;
  if (updates.row) {
    row = value(polynomialOf(*updates.row));
    if (!row)
      return false;
  }
  WorkValue id = formula.leaf(NEREID_WORK_PROGRAM_ID, axis, 0);
  for (const Places &places : updates.places) {
    std::optional<WorkValue> step = value(places.step);
    Value pointers = codegen::infoOf(places.op).pointers->get();
    OpOperand *mask = codegen::infoOf(places.op).mask;
    std::optional<Bounds> column =
        elements(places.columns, pointers, mask ? mask->get() : Value());
    if (!step || !column)
      return false;
    // Short rows are not those of a table.
    if (row && row->isConstant && step->isConstant &&
        row->number <= step->number)
      return false;
    // Of the last column, where the least shift is 0.
    WorkValue last =
        formula.add(column->high, {places.shift - updates.least + 1, true});
    least = formula.min(least, formula.subtract(*step, last));
    if (row)
      least = formula.min(
          least, formula.subtract(
                     *row, formula.add(formula.multiply(*step, id), last)));
  }
  return true;
}

/// The bytes that `updates` touch in a launch, if there are no rows.
std::optional<Bounds> AxisPlanner::rangeOf(const Updates &updates) {
  const Places &first = updates.places.front();
  std::optional<Bounds> begin = of(first.uniform + Polynomial(updates.least));
  std::optional<Bounds> step = of(first.step);
  if (updates.row || !begin || !step)
    return std::nullopt;
  std::optional<Bounds> extent =
      multiply(*step, position(NEREID_WORK_GRID_SIZE, axis));
  if (!extent)
    return std::nullopt;
  return bytesOf(first.pointer, {begin->low, add(*begin, *extent).low,
                                 begin->reach + extent->reach});
}

/// Adds to `least` that different pointers are of different memory.
bool AxisPlanner::addDistances(WorkValue &least) {
  SmallVector<Bounds> ranges;
  if (all.size() == 1)
    return true;
  for (auto &[pointer, updates] : all) {
    std::optional<Bounds> range = rangeOf(updates);
    if (!range)
      return false;
    for (const Bounds &other : ranges)
      least = formula.min(least, distance(*range, other));
    ranges.push_back(*range);
  }
  return true;
}

std::vector<nereid_work_step_t> AxisPlanner::condition() {
  WorkValue least{0, true};
  // The id is bounded, too.
  position(NEREID_WORK_PROGRAM_ID, axis);
  for (auto &[pointer, updates] : all)
    if (!addCondition(updates, least))
      return {};
  if (!addDistances(least))
    return {};
  std::vector<nereid_work_step_t> steps =
      formula.finish(formula.min(least, validity()));
  // It is for all programs of an id.
  bool isOfAll = llvm::none_of(steps, [&](const nereid_work_step_t &step) {
    return step.kind == NEREID_WORK_PROGRAM_ID && step.a != axis;
  });
  return isOfAll ? steps : std::vector<nereid_work_step_t>();
}

void planDisjointAxis(tt::FuncOp kernel, const GenerateOptions &options,
                      KernelInfo &info) {
  if (!options.fastPaths.has(FastPath::DisjointAxis))
    return;
  SmallVector<Operation *> updates;
  kernel.walk([&](Operation *op) {
    if (codegen::infoOf(op).isAtomic)
      updates.push_back(op);
  });
  if (updates.empty() || !llvm::all_of(updates, [&](Operation *op) {
        return mayBePlain(op, options);
      }))
    return;
  codegen::TileForms forms;
  for (int axis : {2, 1, 0}) {
    AxisPlanner planner(axis, info, forms);
    if (!llvm::all_of(updates,
                      [&](Operation *op) { return planner.addUpdate(op); }))
      continue;
    info.disjointCondition = planner.condition();
    info.disjointAxis = axis;
    if (!info.disjointCondition.empty())
      return;
  }
}

} // namespace nereid::cpu
