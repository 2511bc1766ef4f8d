// plugin.cpp - the plugin's entry, start and end: of `triton`, and of the
// copies that wrap a backend in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/guard.h"
#include "common/plugin_table.h"
#include "state.h"

#include <dlfcn.h>
#include <filesystem>

namespace nereid::triton {

using namespace plugin;

#ifdef NEREID_PYTHON_BACKEND
// Of the file: `nereid new-plugin --from-python` copies it under other names,
// and writes the name into its note.
static std::string_view ownId() {
  static const std::string id = [] {
    Dl_info info = {};
    if (!dladdr(reinterpret_cast<const void *>(&ownId), &info) ||
        !info.dli_fname)
      return std::string(NEREID_PLUGIN_ID);
    return std::filesystem::path(info.dli_fname).stem().string();
  }();
  return id;
}
static constexpr std::string_view kDescription =
    "a backend in Python, in processes of its own";
#else
static std::string_view ownId() { return NEREID_PLUGIN_ID; }
static constexpr std::string_view kDescription =
    "the installed Triton, in processes of its own, for cuda and hip";
#endif

static nereid_status_t create(const nereid_host_t *host,
                              nereid_state_t **outState,
                              const nereid_call_t *) {
  Backend backend =
      Backend::read(std::string(view(host->plugin_path)), std::string(ownId()));
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
  plugin.id = text(ownId());
  plugin.device_type = text(ownId());
  plugin.description = text(kDescription);
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
