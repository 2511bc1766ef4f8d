// MaskPlan.cpp - conditions of masks as bounds.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tile/MaskPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::codegen {

/// The dimension of a tile that depends on `axis`.
static std::optional<unsigned> dimensionAlong(unsigned axis,
                                              ArrayRef<IndexSource> map) {
  for (auto [dim, source] : llvm::enumerate(map))
    if (source.isAlong(axis))
      return dim;
  return std::nullopt;
}

void MaskPlanner::addConditions(const MaskedAccess &access) {
  if (!access.mask)
    return;
  for (const MaskConjunct &conjunct : conjunctsOf(access.mask, forms)) {
    PlannedCondition found{conjunct.in(access.map), {}, false};
    if (hasOther(found.map) || llvm::is_contained(plan.conditions, found))
      continue;
    std::optional<unsigned> dim = dimensionAlong(axis, found.map);
    if (dim && (forms.dependsOn(found.condition) >> *dim & 1)) {
      found.bound = intervalOf(found.condition, *dim, forms);
      if (!found.bound)
        continue;
    }
    if (isReady(found.condition))
      plan.conditions.push_back(std::move(found));
  }
}

void MaskPlanner::dropIf(
    llvm::function_ref<bool(const PlannedCondition &)> drop) {
  llvm::erase_if(plan.conditions, drop);
}

void MaskPlanner::setActive(
    llvm::function_ref<bool(const ConditionAt &)> isInactive) {
  for (PlannedCondition &condition : plan.conditions)
    condition.isActive = isInactive(condition);
}

bool isConjunctOf(const ConditionAt &condition, const MaskedAccess &access,
                  TileForms &forms) {
  return access.mask &&
         llvm::any_of(conjunctsOf(access.mask, forms),
                      [&](const MaskConjunct &conjunct) {
                        return conjunct.in(access.map) == condition;
                      });
}

} // namespace nereid::codegen
