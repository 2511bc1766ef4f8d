// Planner.h - plans a call with the operator of one layer.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SELECT_PLANNER_H
#define NEREID_OPS_SELECT_PLANNER_H

#include "select/Select.h"

#include <functional>
#include <map>
#include <set>

namespace nereid::ops {

/// The values of a call; remembers which attributes were read.
class CallNames : public Names {
public:
  explicit CallNames(const Schema &schema) : schema(schema) {}

  Result<const Value *> find(std::string_view name) const override {
    if (schema.attribute(name))
      read.emplace(name);
    return Names::find(name);
  }

  mutable std::set<std::string, std::less<>> read;

private:
  const Schema &schema;
};

/// Plans a call with the operator of one layer.
class Planner {
public:
  Planner(const Operator &op, const TargetFacts &target, const CallFacts &call,
          const Wanted *wanted, Plan &plan)
      : op(op), target(target), call(call), wanted(wanted), plan(plan),
        base(op.schema) {}

  /// True if the plan is complete, false if no variant applies.
  Result<bool> run(const std::string &layer, std::vector<Trial> &trials);
  /// The attributes whose values run() has looked at.
  std::set<std::string, std::less<>> &readAttributes() { return base.read; }
  /// Adds the operator's variants and what \p findTuned says of them.
  Outcome
  list(const std::string &layer, Search search,
       const std::function<const TunedOperator *(const Variant &)> &findTuned,
       std::vector<VariantSpace> &out);

  /// Adds the values of inputs that have none yet.
  Outcome addValues(std::vector<InputValues> &out);

private:
  /// What an object of an expression stands for.
  struct Known {
    SelectedTensor tensor;
    size_t index = SelectedItem::none; // in the selection
  };

  // Planner.cpp
  Failure place(const Placed &placed, std::string_view what,
                const Failure &failure) const;
  Result<Value> evaluate(const Placed &placed, const Environment &names,
                         std::string_view what);
  std::shared_ptr<const Object>
  know(SelectedTensor tensor, const std::vector<int64_t> *steps = nullptr);
  void define(const std::string &name, SelectedTensor::Role role,
              const TensorFacts &facts,
              const std::vector<int64_t> *steps = nullptr);
  size_t indexOf(Known &known);
  void setInputs();
  void setList(const std::string &name, const std::vector<TensorFacts> &members,
               const std::vector<bool> &isCopied);
  Outcome checkTypes(const Scope &names);
  Outcome checkRequirements(const Scope &names);
  Outcome makeTensor(const std::string &name, const Placed &dtype,
                     const Placed &shape, const Environment &names,
                     TensorFacts &facts);
  Outcome makeOutputs(const Scope &names);
  void copyInputs();
  void collapseSpace();
  Outcome makeKey(const Scope &names);
  Result<bool> begin(const std::string &layer, std::vector<Trial> &trials);

  // Launches.cpp
  Outcome makeLaunch(const Step &step, const Environment &names);
  Outcome addItems(const Value &value, const Definition &argument,
                   SelectedArgument &out, bool isInList);
  Result<SelectedArgument> makeArgument(const Definition &argument,
                                        const Environment &names);
  Outcome makeVariant(const Variant &variant, const Scope &names);

  // Variants.cpp
  void finish(const std::string &layer);
  Outcome expandVariant(const TunedOperator &tuned, Search search,
                        const Scope &names, VariantSpace &space);

  const Operator &op;
  const TargetFacts &target;
  const CallFacts &call;
  const Wanted *wanted;
  Plan &plan;
  CallNames base;
  // Single tensors by their names, and every object that stands for one.
  std::map<std::string, TensorFacts, std::less<>> tensors;
  std::map<std::string, SelectedTensor::Role, std::less<>> roles;
  std::map<std::string, bool, std::less<>> copied;
  std::map<const Object *, Known> objects;
  std::vector<std::shared_ptr<const Object>> kept; // so that none is reused
};

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_PLANNER_H
