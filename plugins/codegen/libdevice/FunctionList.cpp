// The list of external functions as "nereid.libdevice/1" reports it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "FunctionList.h"

#include "ExternFunctions.h"
#include "common/text.h"

#include <vector>

namespace nereid::codegen {

using namespace plugin;

/// Those that expand/lib/ExternLibrary.cpp computes.
static bool callsCLibrary(const ExternFunction &function) {
  return function.name == "lgamma" || function.name == "tgamma" ||
         function.name == "jn" || function.name == "yn";
}

static bool usesF64(const ExternFunction &function) {
  return function.result == "f64" ||
         function.operands.find("f64") != std::string_view::npos;
}

nereid_status_t addExternFunctions(const ExternTarget &target,
                                   const nereid_libdevice_sink_t *sink) {
  for (const ExternFunction &function : externFunctions()) {
    if ((!target.hasF64 && usesF64(function)) ||
        (!target.hasCLibrary && callsCLibrary(function)))
      continue;
    std::vector<nereid_string_t> operands;
    for (std::string_view list = function.operands; !list.empty();)
      operands.push_back(text(takeItem(list, ' ')));
    nereid_libdevice_function_t out = {};
    out.struct_size = sizeof out;
    out.name = text(function.name);
    out.symbol = text(function.symbol);
    out.result = text(function.result);
    out.operands = operands.data();
    out.operand_count = operands.size();
    if (nereid_status_t status = sink->add(sink, &out))
      return status;
  }
  return NEREID_OK;
}

} // namespace nereid::codegen
