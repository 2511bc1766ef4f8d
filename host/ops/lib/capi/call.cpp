// call.cpp - calls of operators, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Struct.h"
#include "call/LastFailure.h"
#include "call/OperatorCalls.h"
#include "call/Tuning.h"
#include "capi/KernelSource.h"
#include "capi/Ops.h"
#include "select/Candidates.h"
#include "select/Describe.h"
#include "support/Json.h"

#include <filesystem>

using namespace nereid::ops;
using nereid::host::readStruct;

struct nereid_operator_t {
  const nereid_ops_device_t *device;
  OperatorCalls calls;
};

struct nereid_ops_device_t {
  const Packs *packs;
  std::unique_ptr<Device> device;
  std::unique_ptr<Tuning> tuning;
  std::mutex mutex; // of the operators
  std::map<std::string, std::unique_ptr<nereid_operator_t>, std::less<>>
      operators;
};

// The folder of a backend's plugin.
static std::string folderOf(nereid_backend_t *backend) {
  nereid_backend_info_t info = {};
  info.struct_size = sizeof info;
  if (!backend || nereid_backend_info(backend, &info))
    return {};
  return std::filesystem::path(view(info.path)).parent_path();
}

// How processes that time calls find what this one uses.
static std::string setupFor(const nereid_ops_t &ops,
                            const nereid_ops_load_t &wanted,
                            const Device &device) {
  std::string folders = folderOf(wanted.backend);
  nereid_backend_t *compiler = nullptr;
  if (!nereid_backend_compiler(wanted.backend, wanted.device, &compiler))
    if (std::string other = folderOf(compiler);
        !other.empty() && other != folders)
      folders += ";" + other;
  return nereid::host::Json{
      {"target", device.type() + ":" + std::to_string(wanted.device)},
      {"plugin_dirs", folders},
      {"packs", ops.packs.directories()},
      {"python", view(wanted.python)}}
      .dump();
}

nereid_status_t nereid_ops_load(const nereid_ops_t *ops,
                                const nereid_ops_load_t *request,
                                nereid_ops_device_t **out_device) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(ops, "ops"), require(request, "request"),
                          require(out_device, "out_device")})
      if (!given)
        return given;
    nereid_ops_load_t wanted = readStruct(*request);
    if (Outcome given = require(wanted.runtime, "runtime"); !given)
      return given;
    if (wanted.kernels && !wanted.kernels->make)
      return Failure{NEREID_INVALID_ARGUMENT, "kernels->make is null"};
    Result<TuningSetting> setting = tuningOf(view(wanted.tuning));
    if (!setting)
      return setting.failure();
    if (!wanted.backend)
      if (nereid_status_t status = nereid_runtime_choose(
              wanted.runtime, {}, &wanted.backend, &wanted.device))
        return lastFailure(status);
    Result<std::unique_ptr<Device>> device = Device::open(
        ops->packs, wanted.runtime, wanted.backend, wanted.device,
        std::string(view(wanted.python)), callbackOf(wanted.kernels));
    if (!device)
      return device.failure();
    auto made = std::make_unique<nereid_ops_device_t>();
    made->packs = &ops->packs;
    made->device = std::move(*device);
    const Device &opened = *made->device;
    made->tuning = std::make_unique<Tuning>(
        ops->packs, opened.target(),
        TuningOptions{*setting, setupFor(*ops, wanted, opened),
                      std::string(view(wanted.store)),
                      [&opened] { return opened.origin(); }});
    *out_device = made.release();
    return {};
  });
}

void nereid_ops_device_destroy(nereid_ops_device_t *device) { delete device; }

// The operator in the highest layer that has it; its schema is that of all.
static Result<const Operator *> findOperator(const nereid_ops_device_t &device,
                                             std::string_view name) {
  const TargetFacts &target = device.device->target();
  std::vector<std::string> names;
  for (const Applied &applied : device.packs->layersFor(target)) {
    if (const std::string *reason = disabledBy(applied, name))
      return Failure{NEREID_UNIMPLEMENTED,
                     std::string(name) + " is disabled for " + target.type +
                         ":" + target.arch + ": " + *reason};
    auto found = applied.layer->operators.find(name);
    if (found != applied.layer->operators.end())
      return &found->second;
    for (const auto &[each, op] : applied.layer->operators)
      names.push_back(each);
  }
  if (names.empty())
    return Failure{NEREID_NOT_FOUND, "no pack for " + target.type + ":" +
                                         target.arch +
                                         " was found; set NEREID_PACK_DIRS"};
  return Failure{NEREID_NOT_FOUND, unknown("operator", name, names)};
}

nereid_status_t nereid_ops_operator(nereid_ops_device_t *device,
                                    nereid_string_t name,
                                    nereid_operator_t **out_operator) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(device, "device"), require(out_operator, "out_operator")})
      if (!given)
        return given;
    std::lock_guard lock(device->mutex);
    if (auto known = device->operators.find(view(name));
        known != device->operators.end()) {
      *out_operator = known->second.get();
      return {};
    }
    Result<const Operator *> op = findOperator(*device, view(name));
    if (!op)
      return op.failure();
    Selector choose = [device](std::string_view called, const CallFacts &call,
                               const Wanted *wanted) -> Result<Selection> {
      Result<Plan> plan = device->tuning->choose(called, call, wanted);
      if (!plan)
        return plan.failure();
      return std::move(plan->selection);
    };
    auto setAside = [device](const TunedChoice &choice,
                             const Failure &failure) {
      device->tuning->setAside(choice, failure);
    };
    std::unique_ptr<nereid_operator_t> made(new nereid_operator_t{
        device,
        {*device->device, **op, std::move(choose), std::move(setAside)}});
    *out_operator = made.get();
    device->operators.emplace(view(name), std::move(made));
    return {};
  });
}

nereid_status_t nereid_operator_call(nereid_operator_t *op,
                                     const nereid_operator_call_t *call) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(op, "op"), require(call, "call")})
      if (!given)
        return given;
    return op->calls.call(readStruct(*call));
  });
}

nereid_status_t nereid_operator_prepare(nereid_operator_t *op,
                                        const nereid_operator_call_t *call) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(op, "op"), require(call, "call")})
      if (!given)
        return given;
    return op->calls.prepare(readStruct(*call));
  });
}

static Result<nereid::host::Json> explain(const nereid_ops_device_t &device,
                                          std::string_view name,
                                          RequestedCall call) {
  Result<nereid::host::Json> tuned =
      device.tuning->explain(name, call.facts, call.wanted);
  if (!tuned)
    return tuned.failure();
  Result<nereid::host::Json> explained =
      explainCall(*device.packs, device.device->target(), name, call);
  if (explained)
    (*explained)["tuned"] = std::move(*tuned);
  return explained;
}

nereid_status_t nereid_ops_device_explain(nereid_ops_device_t *device,
                                          nereid_string_t name,
                                          nereid_string_t call,
                                          nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(device, "device"); !given)
      return given;
    Result<RequestedCall> requested = callOfJson(view(call));
    if (!requested)
      return requested.failure();
    Result<nereid::host::Json> explained =
        explain(*device, view(name), std::move(*requested));
    if (!explained)
      return explained.failure();
    return giveText(nereid::host::dumpJson(*explained), out_json);
  });
}

nereid_status_t nereid_operator_explain(nereid_operator_t *op,
                                        const nereid_operator_call_t *call,
                                        nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(op, "op"), require(call, "call")})
      if (!given)
        return given;
    Result<CallFacts> facts = op->calls.facts(readStruct(*call));
    if (!facts)
      return facts.failure();
    Result<std::optional<Wanted>> wanted =
        wantedOfJson(view(readStruct(*call).choice));
    if (!wanted)
      return wanted.failure();
    Result<nereid::host::Json> explained = explain(
        *op->device, op->calls.name(), {std::move(*facts), std::move(*wanted)});
    if (!explained)
      return explained.failure();
    return giveText(nereid::host::dumpJson(*explained), out_json);
  });
}

nereid_status_t nereid_operator_candidates(nereid_operator_t *op,
                                           const nereid_operator_call_t *call,
                                           uint32_t flags,
                                           nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(op, "op"), require(call, "call")})
      if (!given)
        return given;
    Result<CallFacts> facts = op->calls.facts(readStruct(*call));
    if (!facts)
      return facts.failure();
    Result<Candidates> candidates = candidatesOf(
        *op->device->packs, op->device->device->target(), op->calls.name(),
        *facts,
        flags & NEREID_CANDIDATES_EXPANDED ? Search::Expanded : Search::Usual);
    if (!candidates)
      return candidates.failure();
    return giveText(nereid::host::dumpJson(jsonOf(*candidates)), out_json);
  });
}
