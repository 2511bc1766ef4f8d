// TargetFacts.cpp - asks a compiler's extensions about a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/TargetFacts.h"

#include "abi/Struct.h"
#include "support/Json.h"

namespace nereid::host {

Result<Values> readFrontendFacts(const Plugin &plugin, const Target &target,
                                 const Log *log) {
  Values facts;
  if (!plugin.extensions.frontend.isThere())
    return facts;
  nereid_target_t raw = target.get();
  Call call(log, plugin.info);
  ValueSink sink(facts, call);
  nereid_status_t status = call.run([&] {
    return plugin.extensions.frontend.visit_facts(plugin.state, &raw,
                                                  sink.get(), call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "frontend.visit_facts");
  return facts;
}

namespace {
/// Copies what a plugin adds.
struct FunctionSink {
  explicit FunctionSink(Call &call) : call(call) {}

  nereid_libdevice_sink_t sink{sizeof(nereid_libdevice_sink_t), 0, this, add};
  Call &call;
  Json functions = Json::array();

  static nereid_status_t
  add(const nereid_libdevice_sink_t *sink,
      const nereid_libdevice_function_t *function) noexcept;
};
} // namespace

nereid_status_t
FunctionSink::add(const nereid_libdevice_sink_t *sink,
                  const nereid_libdevice_function_t *function) noexcept {
  FunctionSink &self = *static_cast<FunctionSink *>(sink->user);
  try {
    if (!function || !NEREID_HAS(function, operand_count) ||
        !function->name.size || !function->symbol.size)
      return self.call.refuseMalformed("a function has no name or symbol");
    if (function->operand_count && !function->operands)
      return self.call.refuseMalformed("a function has a number of operands "
                                       "but no list");
    nereid_libdevice_function_t given = readStruct(*function);
    Json operands = Json::array();
    for (uint64_t i = 0; i < given.operand_count; ++i)
      operands.push_back(view(given.operands[i]));
    self.functions.push_back({{"name", view(given.name)},
                              {"symbol", view(given.symbol)},
                              {"result", view(given.result)},
                              {"operands", std::move(operands)}});
    return NEREID_OK;
  } catch (...) {
    return self.call.refuseForMemory();
  }
}

Result<Json> readLibdevice(const Plugin &plugin, const Target &target,
                           const Log *log) {
  if (!plugin.extensions.libdevice.isThere())
    return Json::array();
  nereid_target_t raw = target.get();
  Call call(log, plugin.info);
  FunctionSink sink(call);
  nereid_status_t status = call.run([&] {
    return plugin.extensions.libdevice.visit_functions(plugin.state, &raw,
                                                       &sink.sink, call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "libdevice.visit_functions");
  return std::move(sink.functions);
}

} // namespace nereid::host
