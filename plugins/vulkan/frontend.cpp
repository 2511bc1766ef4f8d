// frontend.cpp - what kernels for a target may use, by its features.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "FunctionList.h"
#include "common/frontend_facts.h"
#include "common/guard.h"
#include "extensions.h"
#include "target.h"
#include "tile_limits.h"

#include <charconv>

namespace nereid::vulkan {

using namespace plugin;

static nereid_status_t visitFacts(nereid_state_t *,
                                  const nereid_target_t *target,
                                  const nereid_value_sink_t *sink,
                                  const nereid_call_t *) {
  int64_t threads = 0;
  constexpr std::string_view kThreads = "threads=";
  std::string text = featuresFor(target);
  for (std::string_view list = text; !list.empty();) {
    std::string_view feature = takeItem(list, ',');
    if (feature.starts_with(kThreads))
      std::from_chars(feature.data() + kThreads.size(),
                      feature.data() + feature.size(), threads);
  }
  ValueWriter values(sink);
  addFrontendFacts(values);
  if (threads)
    values.addInteger("max_tensor_elements", threads * kMaxElementsPerThread);
  return values.status();
}

const nereid_frontend_t kFrontend = {sizeof(nereid_frontend_t), 0,
                                     kGuarded<visitFacts>};

static nereid_status_t visitFunctions(nereid_state_t *,
                                      const nereid_target_t *target,
                                      const nereid_libdevice_sink_t *sink,
                                      const nereid_call_t *) {
  codegen::ExternTarget has;
  has.hasCLibrary = false;
  has.hasF64 =
      (',' + featuresFor(target) + ',').find(",f64,") != std::string::npos;
  return codegen::addExternFunctions(has, sink);
}

const nereid_libdevice_t kLibdevice = {sizeof(nereid_libdevice_t), 0,
                                       kGuarded<visitFunctions>};

} // namespace nereid::vulkan
