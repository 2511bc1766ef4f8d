// LaunchFormula.cpp - the steps of a condition.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/LaunchFormula.h"

#include "../image.h"

#include "llvm/Support/MathExtras.h"

namespace nereid::cpu {

static bool isConstant(WorkValue value, int64_t number) {
  return value.isConstant && value.number == number;
}

/// The result of a step with constants, if it is exact.
static std::optional<int64_t> fold(int64_t kind, int64_t a, int64_t b) {
  int64_t result;
  switch (kind) {
  case NEREID_WORK_ADD:
    if (llvm::AddOverflow(a, b, result))
      return std::nullopt;
    return result;
  case NEREID_WORK_SUBTRACT:
    if (llvm::SubOverflow(a, b, result))
      return std::nullopt;
    return result;
  case NEREID_WORK_MULTIPLY:
    if (llvm::MulOverflow(a, b, result))
      return std::nullopt;
    return result;
  case NEREID_WORK_DIVIDE:
    if (b <= 0)
      return std::nullopt;
    return a / b;
  case NEREID_WORK_REMAINDER:
    if (b <= 0)
      return std::nullopt;
    return a % b;
  case NEREID_WORK_MIN:
    return std::min(a, b);
  case NEREID_WORK_MAX:
    return std::max(a, b);
  default:
    return std::nullopt;
  }
}

WorkValue LaunchFormula::step(int64_t kind, int64_t a, int64_t b) {
  auto [place, isNew] =
      known.try_emplace({kind, a, b}, static_cast<int64_t>(steps.size()));
  if (isNew)
    steps.push_back({kind, a, b});
  return {place->second, false};
}

int64_t LaunchFormula::stepOf(WorkValue value) {
  return value.isConstant ? step(NEREID_WORK_CONSTANT, value.number, 0).number
                          : value.number;
}

WorkValue LaunchFormula::combine(int64_t kind, WorkValue a, WorkValue b) {
  if (a.isConstant && b.isConstant) {
    std::optional<int64_t> number = fold(kind, a.number, b.number);
    isExact &= number && std::abs(*number) < kMostExact;
    return {number.value_or(0), true};
  }
  bool isSum = kind == NEREID_WORK_ADD,
       isProduct = kind == NEREID_WORK_MULTIPLY;
  bool isDifference = kind == NEREID_WORK_SUBTRACT;
  if (isProduct && (isConstant(a, 0) || isConstant(b, 0)))
    return {0, true};
  if ((isSum && isConstant(a, 0)) || (isProduct && isConstant(a, 1)))
    return b;
  if (((isSum || isDifference) && isConstant(b, 0)) ||
      (isProduct && isConstant(b, 1)))
    return a;
  int64_t first = stepOf(a), second = stepOf(b);
  return step(kind, first, second);
}

std::vector<nereid_work_step_t> LaunchFormula::finish(WorkValue result) {
  std::vector<nereid_work_step_t> out = std::move(steps);
  if (result.isConstant)
    out.push_back({NEREID_WORK_CONSTANT, result.number, 0});
  else if (result.number + 1 != static_cast<int64_t>(out.size()))
    out.push_back(out[result.number]); // computed again, at the end
  if (!isExact || out.size() > NEREID_CPU_MAX_CONDITION_STEPS)
    out.clear();
  return out;
}

} // namespace nereid::cpu
