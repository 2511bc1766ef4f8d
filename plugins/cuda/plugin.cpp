// plugin.cpp - the plugin "cuda": its entry, its start and its end.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/guard.h"
#include "common/plugin_table.h"
#include "driver.h"
#include "state.h"

namespace nereid::cuda {

using namespace plugin;

static nereid_status_t create(const nereid_host_t *, nereid_state_t **outState,
                              const nereid_call_t *) {
  *outState = new nereid_state_t(Settings::read());
  return NEREID_OK;
}

static nereid_status_t shutdown(nereid_state_t *state, const nereid_call_t *) {
  delete state;
  return NEREID_OK;
}

// Not NEREID_PLUGIN_FORK_SAFE: a child cannot use the contexts of its parent.
// Not unloadable: the driver library is not.
static constexpr nereid_plugin_t makePlugin() {
  nereid_plugin_t plugin = pluginOfThisBuild();
  plugin.device_type = text("cuda");
  plugin.description = text("NVIDIA's GPUs, through their driver library");
  plugin.driver = &kDriver;
  plugin.create = kGuarded<create>;
  plugin.shutdown = kGuarded<shutdown>;
  plugin.get_extension = findExtension;
  return plugin;
}

} // namespace nereid::cuda

extern "C" NEREID_EXPORT nereid_status_t
nereid_plugin_entry_1(const nereid_host_t *, const nereid_plugin_t **outPlugin,
                      const nereid_call_t *) {
  static constinit const nereid_plugin_t plugin = nereid::cuda::makePlugin();
  *outPlugin = &plugin;
  return NEREID_OK;
}
