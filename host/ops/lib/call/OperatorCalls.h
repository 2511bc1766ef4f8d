// OperatorCalls.h - one operator on one device, called again and again: what is
// known about a call is found by its shapes, strides, types and attributes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_OPERATOR_CALLS_H
#define NEREID_OPS_CALL_OPERATOR_CALLS_H

#include "call/Device.h"
#include "call/PlanTable.h"
#include "call/Preparation.h"
#include "nereid/ops.h"
#include "pack/Operator.h"

namespace nereid::ops {

/// Any thread.
class OperatorCalls {
public:
  /// Calls with more tensors than this are refused.
  static constexpr size_t mostTensors = 4096;
  /// Plans that are kept; calls beyond are planned each time.
  static constexpr size_t mostPlans = 65536;

  /// What a kernel that a tuned result names failed with.
  using SetAside = std::function<void(const TunedChoice &, const Failure &)>;

  OperatorCalls(Device &device, const Operator &op, Selector choose,
                SetAside setAside);

  const std::string &name() const { return op.name; }
  Outcome call(const nereid_operator_call_t &call);
  /// Plans the call without launching anything.
  Outcome prepare(const nereid_operator_call_t &call);
  /// What a selection is made from.
  Result<CallFacts> facts(const nereid_operator_call_t &call) const;

private:
  struct Gathered;
  Outcome gather(const nereid_operator_call_t &call, Gathered &out) const;
  Outcome addTensor(const nereid_tensor_t *tensor, const std::string &name,
                    Gathered &out) const;
  Outcome gatherTensors(const nereid_tensor_argument_t *given, uint64_t count,
                        bool areOutputs, Gathered &out) const;
  Outcome gatherAttributes(const nereid_operator_call_t &call,
                           Gathered &out) const;
  void writeKey(Gathered &gathered, uint64_t deciding) const;
  Result<const CallPlan *> planFor(Gathered &gathered,
                                   std::unique_ptr<const CallPlan> &own);
  Result<CallFacts> factsOf(const Gathered &gathered) const;
  Outcome makeOutputs(const nereid_operator_call_t &call, const CallPlan &plan,
                      Gathered &gathered) const;

  Device &device;
  const Operator &op;
  const Selector choose;
  const SetAside setAside;
  std::vector<std::string> outputNames;
  std::vector<nereid_value_t> defaults; // of attributes; type 0: not a number
  /// The attributes that decided something so far, by bit: others are not in
  /// keys. It only grows; a plan is stored under a key of the value that
  /// includes its own.
  std::atomic<uint64_t> decidingAttributes = 0;
  PlanTable<CallPlan> plans;
};

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_OPERATOR_CALLS_H
