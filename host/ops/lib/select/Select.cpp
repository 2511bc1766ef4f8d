// Select.cpp - layers from the highest to the lowest: the first whose operator
// has a variant that applies is taken.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Select.h"

#include "select/Call.h"
#include "select/Planner.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <set>

namespace nereid::ops {

const std::string *disabledBy(const Applied &applied, std::string_view name) {
  const Vendor &vendor = applied.pack->vendor();
  if (applied.layer->selector.empty()) {
    auto found = vendor.disabled.find(name);
    return found == vendor.disabled.end() ? nullptr : &found->second;
  }
  for (const Family &family : vendor.families)
    if (family.name == applied.layer->selector) {
      auto found = family.disabled.find(name);
      return found == family.disabled.end() ? nullptr : &found->second;
    }
  return nullptr;
}

// A type that the target's packs say the device lacks: the highest layer that
// names the type decides.
static Outcome checkDtypes(const std::vector<Applied> &layers,
                           std::string_view name, const CallFacts &call) {
  for (const NamedTensors &input : call.inputs)
    for (const TensorFacts &facts : input.members)
      for (const Applied &applied : layers) {
        const auto &dtypes = applied.pack->vendor().dtypes;
        auto found = dtypes.find(facts.dtype);
        if (found == dtypes.end())
          continue;
        if (!found->second)
          return unsupported(std::string(name) + ": " + input.name + " is " +
                             facts.dtype + ", which devices of '" +
                             applied.pack->vendor().name + "' do not have");
        break;
      }
  return {};
}

static const Operator *operatorOf(const Applied &applied,
                                  std::string_view name) {
  auto found = applied.layer->operators.find(name);
  return found == applied.layer->operators.end() ? nullptr : &found->second;
}

static const TunedOperator *findTuned(const std::vector<Applied> &layers,
                                      const Variant *variant, Applied &by) {
  if (!variant || variant->tune.empty())
    return nullptr;
  for (const Applied &applied : layers)
    if (const TunedOperator *tuned =
            applied.layer->configs.find(variant->tune)) {
      by = applied;
      return tuned;
    }
  return nullptr;
}

static Failure notFound(const Packs &packs, const TargetFacts &target,
                        std::string_view name) {
  std::vector<std::string> names = packs.operatorNames();
  if (std::find(names.begin(), names.end(), name) != names.end())
    return {NEREID_NOT_FOUND, "no pack for '" + target.type + ":" +
                                  target.arch + "' has the operator '" +
                                  std::string(name) + "'"};
  return {NEREID_NOT_FOUND, unknown("operator", name, names)};
}

Result<Plan> select(const Packs &packs, const TargetFacts &target,
                    std::string_view name, const CallFacts &call,
                    const Wanted *wanted, std::vector<Trial> *trials) {
  std::vector<Trial> ignored;
  std::vector<Trial> &tried = trials ? *trials : ignored;
  std::vector<Applied> layers = packs.layersFor(target);
  std::set<std::string, std::less<>> read; // attributes, by any layer
  bool isKnown = false;
  for (const Applied &applied : layers) {
    std::string label = applied.pack->labelOf(*applied.layer);
    if (const std::string *reason = disabledBy(applied, name)) {
      tried.push_back({label, {}, false, "disabled: " + *reason});
      return unsupported(std::string(name) + " is disabled by " + label + " (" +
                         applied.pack->directory() +
                         "/vendor.yaml): " + *reason);
    }
    const Operator *op = operatorOf(applied, name);
    if (!op)
      continue;
    if (!isKnown) {
      for (Outcome fits :
           {checkCall(*op, call), checkDtypes(layers, name, call)})
        if (!fits)
          return fits.failure();
      isKnown = true;
    }
    Plan plan;
    plan.applied = applied;
    plan.op = op;
    Planner planner(*op, target, call, wanted, plan);
    Result<bool> isPlanned = planner.run(label, tried);
    if (!isPlanned)
      return isPlanned.failure();
    read.merge(planner.readAttributes());
    if (*isPlanned) {
      plan.selection.decidingAttributes.assign(read.begin(), read.end());
      plan.tuned = findTuned(layers, plan.variant, plan.tunedBy);
      return plan;
    }
  }
  if (!isKnown)
    return notFound(packs, target, name);
  std::string reasons;
  for (const Trial &trial : tried)
    reasons += "\nnote: " + trial.layer + ", variant '" + trial.variant +
               "': " + trial.reason;
  return unsupported("no variant of '" + std::string(name) +
                     "' applies to this call" + reasons);
}

Result<std::vector<VariantSpace>>
spacesOf(const Packs &packs, const TargetFacts &target, std::string_view name,
         const CallFacts &call, Search search) {
  std::vector<VariantSpace> spaces;
  std::vector<Applied> layers = packs.layersFor(target);
  bool isKnown = false;
  for (const Applied &applied : layers) {
    std::string label = applied.pack->labelOf(*applied.layer);
    if (const std::string *reason = disabledBy(applied, name)) {
      if (isKnown)
        break;
      return unsupported(std::string(name) + " is disabled by " + label + ": " +
                         *reason);
    }
    const Operator *op = operatorOf(applied, name);
    if (!op)
      continue;
    if (!isKnown)
      for (Outcome fits :
           {checkCall(*op, call), checkDtypes(layers, name, call)})
        if (!fits)
          return fits.failure();
    isKnown = true;
    Plan plan;
    Outcome listed = Planner(*op, target, call, nullptr, plan)
                         .list(
                             label, search,
                             [&](const Variant &variant) {
                               Applied by;
                               return findTuned(layers, &variant, by);
                             },
                             spaces);
    if (!listed)
      return listed.failure();
  }
  if (!isKnown)
    return notFound(packs, target, name);
  return spaces;
}

Result<std::vector<InputValues>> valuesOf(const Packs &packs,
                                          const TargetFacts &target,
                                          std::string_view name,
                                          const CallFacts &call) {
  std::vector<InputValues> values;
  for (const Applied &applied : packs.layersFor(target)) {
    const Operator *op = operatorOf(applied, name);
    if (!op)
      continue;
    Plan plan;
    if (Outcome added =
            Planner(*op, target, call, nullptr, plan).addValues(values);
        !added)
      return added.failure();
  }
  return values;
}

} // namespace nereid::ops
