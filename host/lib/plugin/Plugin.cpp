// Plugin.cpp - the end of a plugin, and its extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Plugin.h"

#include "abi/HostTable.h"

#include <dlfcn.h>

namespace nereid::host {

Plugin::Plugin() = default;

Plugin::~Plugin() {
  std::lock_guard lock(lifecycleMutex());
  if (isCreated && table.shutdown) {
    try {
      table.shutdown(state);
    } catch (...) {
      // Nothing can be done about a plugin that cannot end.
    }
  }
  if (library && (info.flags & NEREID_PLUGIN_UNLOADABLE))
    dlclose(library);
}

const void *Plugin::extension(nereid_string_t id) const noexcept {
  if (!table.get_extension)
    return nullptr;
  try {
    return table.get_extension(state, id);
  } catch (...) {
    return nullptr;
  }
}

} // namespace nereid::host
