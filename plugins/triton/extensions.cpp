// extensions.cpp - what kernels for a target may use, as the installed Triton
// says it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/plugin_table.h"
#include "common/values.h"
#include "slots.h"
#include "state.h"

namespace nereid::triton {

using namespace plugin;
using worker::Json;

// ---------------------------------------------------------------- frontend
static std::vector<std::string> listOf(const Json &facts, const char *name) {
  auto found = facts.find(name);
  std::vector<std::string> list;
  if (found != facts.end() && found->is_array())
    for (const Json &item : *found)
      if (item.is_string())
        list.push_back(item.get<std::string>());
  return list;
}

static nereid_status_t visitFacts(nereid_state_t *state,
                                  const nereid_target_t *target,
                                  const nereid_value_sink_t *sink,
                                  const nereid_call_t *call) {
  auto known = state->installed.facts(nameOf(target), call);
  const Json &facts = known->frontend;
  ValueWriter writer(sink);
  for (const char *name : {"fp8_types", "dot_fp8_types", "dot_precisions"}) {
    std::vector<std::string> list = listOf(facts, name);
    writer.addList(name, textsOf(list));
  }
  if (auto found = facts.find("default_dot_precision");
      found != facts.end() && found->is_string())
    writer.addString("default_dot_precision", found->get<std::string>());
  if (auto found = facts.find("max_num_imprecise_acc");
      found != facts.end() && found->is_number_integer())
    writer.addInteger("max_num_imprecise_acc", found->get<int64_t>());
  std::vector<int64_t> sizes;
  if (auto found = facts.find("min_dot_size");
      found != facts.end() && found->is_array())
    for (const Json &size : *found)
      sizes.push_back(size.is_number_integer() ? size.get<int64_t>() : 1);
  if (sizes.size() == 3)
    writer.addList("min_dot_size", sizes);
  return writer.status();
}

// ---------------------------------------------------------------- libdevice
// An item of "functions" is [name, symbol, result, [operands]].
static nereid_status_t visitFunctions(nereid_state_t *state,
                                      const nereid_target_t *target,
                                      const nereid_libdevice_sink_t *sink,
                                      const nereid_call_t *call) {
  auto known = state->installed.facts(nameOf(target), call);
  auto list = known->frontend.find("functions");
  if (list == known->frontend.end() || !list->is_array())
    return NEREID_OK;
  for (const Json &item : *list) {
    try {
      auto name = item.at(0).get<std::string>();
      auto symbol = item.at(1).get<std::string>();
      auto result = item.at(2).get<std::string>();
      auto operands = item.at(3).get<std::vector<std::string>>();
      std::vector<nereid_string_t> views = textsOf(operands);
      nereid_libdevice_function_t out = {};
      out.struct_size = sizeof out;
      out.name = text(name);
      out.symbol = text(symbol);
      out.result = text(result);
      out.operands = views.data();
      out.operand_count = views.size();
      if (nereid_status_t status = sink->add(sink, &out))
        return status;
    } catch (const Json::exception &) {
      throw Failure(NEREID_INTERNAL, "the worker describes an external "
                                     "function in a way that is not "
                                     "understood");
    }
  }
  return NEREID_OK;
}

const void *findExtension(nereid_state_t *, nereid_string_t id) {
  static const nereid_frontend_t frontend = {sizeof(nereid_frontend_t), 0,
                                             kSlot<visitFacts>};
  static const nereid_libdevice_t libdevice = {sizeof(nereid_libdevice_t), 0,
                                               kSlot<visitFunctions>};
  static constexpr Extension extensions[] = {
      {NEREID_EXT_FRONTEND, &frontend}, {NEREID_EXT_LIBDEVICE, &libdevice}};
  return findTable(extensions, id);
}

} // namespace nereid::triton
