// plugin.cpp - the plugin's entry, start and end.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/guard.h"
#include "common/plugin_table.h"
#include "state.h"

namespace nereid::triton {

using namespace plugin;

static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **outState,
                              const nereid_call_t *) {
  Backend backend =
      Backend::read(std::string(view(host->plugin_path)), NEREID_PLUGIN_ID);
  if (!backend.problem.empty())
    throw Failure(NEREID_INVALID_ARGUMENT, backend.problem);
  *outState = new nereid_state_t(std::move(backend), Settings::read());
  return NEREID_OK;
}

static nereid_status_t shutdown(nereid_state_t *state, const nereid_call_t *) {
  delete state;
  return NEREID_OK;
}

// Fork-safe: a child starts workers of its own. Not unloadable: a hook on fork
// stays registered.
static nereid_plugin_t makePlugin() {
  nereid_plugin_t plugin = pluginOfThisBuild();
  plugin.flags = NEREID_PLUGIN_FORK_SAFE;
  plugin.device_type = text("triton");
  plugin.description =
      text("the installed Triton, in processes of its own, for cuda and hip");
  plugin.compiler = &kCompiler;
  plugin.create = kGuarded<create>;
  plugin.shutdown = kGuarded<shutdown>;
  plugin.get_extension = findExtension;
  return plugin;
}

} // namespace nereid::triton

extern "C" NEREID_EXPORT nereid_status_t
nereid_plugin_entry_1(const nereid_host_t *, const nereid_plugin_t **outPlugin,
                      const nereid_call_t *) {
  static const nereid_plugin_t plugin = nereid::triton::makePlugin();
  *outPlugin = &plugin;
  return NEREID_OK;
}
