// Variants.cpp - the variants of an operator in order: the first that applies
// is taken, or all are listed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Planner.h"

#include <algorithm>

namespace nereid::ops {

// "'n <= 16384' does not hold: n is 20000"
static std::string whyNot(const Expression &condition,
                          const Environment &names) {
  std::string text = "'" + condition.text() + "' does not hold";
  std::vector<std::string> shown;
  for (const NameUse &use : condition.uses()) {
    std::string name =
        use.name + (use.attribute.empty() ? "" : "." + use.attribute);
    Result<Expression> value = Expression::parse(name);
    Result<Value> is = value ? value->evaluate(names) : wrong("");
    if (!is || is->isObject() || shown.size() == 6)
      continue;
    std::string one = name + " is " + is->repr();
    if (std::find(shown.begin(), shown.end(), one) == shown.end())
      shown.push_back(one);
  }
  for (size_t i = 0; i < shown.size(); ++i)
    text += (i ? ", " : ": ") + shown[i];
  return text;
}

static bool isMeant(const Wanted &wanted, const std::string &layer,
                    const Variant &variant) {
  return wanted.variant.empty() || wanted.variant == variant.name ||
         wanted.variant == layer + '/' + variant.name;
}

void Planner::finish(const std::string &layer) {
  plan.selection.op = op.name;
  plan.selection.layer = layer;
  plan.selection.variant = plan.variant ? plan.variant->name : "";
}

Result<bool> Planner::run(const std::string &layer,
                          std::vector<Trial> &trials) {
  Result<bool> isEmpty = begin(layer, trials);
  if (!isEmpty)
    return isEmpty;
  if (*isEmpty) {
    finish(layer);
    return true;
  }
  Scope names(op.let, base);
  for (const Variant &variant : op.variants) {
    if (wanted && !isMeant(*wanted, layer, variant)) {
      trials.push_back(
          {layer, variant.name, false, "'" + wanted->variant + "' is wanted"});
      continue;
    }
    if (variant.when) {
      Result<Value> applies =
          evaluate(*variant.when, names, "variant '" + variant.name + "'");
      if (!applies)
        return applies.failure();
      if (!applies->isTrue()) {
        trials.push_back({layer, variant.name, false,
                          whyNot(variant.when->expression, names)});
        continue;
      }
    }
    if (Outcome made = makeVariant(variant, names); !made)
      return made.failure();
    finish(layer);
    trials.push_back({layer, variant.name, true,
                      variant.when
                          ? "'" + variant.when->expression.text() + "' holds"
                          : "it has no condition"});
    return true;
  }
  return false;
}

// Conditions of configurations see the call, the variant and the settings of
// its first step that is tuned.
Outcome Planner::expandVariant(const TunedOperator &tuned, Search search,
                               const Scope &names, VariantSpace &space) {
  const Variant &variant = *space.variant;
  Scope own(variant.let, names);
  auto step = std::find_if(variant.steps.begin(), variant.steps.end(),
                           [](const Step &each) { return each.isTuned; });
  Definitions settings;
  if (step != variant.steps.end()) {
    settings = step->constants;
    settings.insert(settings.end(), step->options.begin(), step->options.end());
  }
  Names inner(&own);
  inner.set("step", Value(int64_t(0)));
  Scope scope(settings, inner);
  Result<std::vector<Configuration>> expanded = expand(tuned, search, &scope);
  if (!expanded)
    return expanded.failure();
  space.configurations = std::move(*expanded);
  return {};
}

Outcome Planner::list(
    const std::string &layer, Search search,
    const std::function<const TunedOperator *(const Variant &)> &findTuned,
    std::vector<VariantSpace> &out) {
  std::vector<Trial> ignored;
  Result<bool> isEmpty = begin(layer, ignored);
  if (!isEmpty)
    return isEmpty.failure();
  if (*isEmpty)
    return {};
  Scope names(op.let, base);
  for (const Variant &variant : op.variants) {
    VariantSpace space;
    space.layer = layer;
    space.op = &op;
    space.variant = &variant;
    Result<Value> applies = Value(true);
    if (variant.when)
      applies =
          evaluate(*variant.when, names, "variant '" + variant.name + "'");
    Outcome made;
    if (!applies)
      made = applies.failure();
    else if (!applies->isTrue())
      space.unsupported = whyNot(variant.when->expression, names);
    else if (made = makeVariant(variant, names); made)
      if (const TunedOperator *tuned = findTuned(variant))
        if (Outcome expanded = expandVariant(*tuned, search, names, space);
            !expanded)
          space.problem = expanded.failure().text;
    if (!made)
      space.unsupported = made.failure().text;
    out.push_back(std::move(space));
  }
  return {};
}

} // namespace nereid::ops
