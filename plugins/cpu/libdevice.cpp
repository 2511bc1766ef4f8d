// libdevice.cpp - extension "nereid.libdevice/1": the external functions that
// kernels may call, without loading the compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "libdevice.h"

#include "common/guard.h"
#include "ExternFunctions.h"

#include <vector>

namespace nereid::cpu {

using namespace plugin;

static std::vector<nereid_string_t> split(std::string_view words) {
  std::vector<nereid_string_t> list;
  while (!words.empty())
    list.push_back(text(takeItem(words, ' ')));
  return list;
}

static nereid_status_t visitFunctions(nereid_state_t *, const nereid_target_t *,
                                      const nereid_libdevice_sink_t *sink,
                                      const nereid_call_t *) {
  for (const codegen::ExternFunction &function : codegen::externFunctions()) {
    std::vector<nereid_string_t> operands = split(function.operands);
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

const nereid_libdevice_t kLibdevice = {sizeof(nereid_libdevice_t), 0,
                                       kGuarded<visitFunctions>};

} // namespace nereid::cpu
