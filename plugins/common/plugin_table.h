// plugin_table.h - the plugin's own table and its extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_PLUGIN_TABLE_H
#define NEREID_PLUGINS_COMMON_PLUGIN_TABLE_H

#include "text.h"

#include <span>

namespace nereid::plugin {

#ifdef NEREID_PLUGIN_ID // for the file with the entry
/// A table with the fields that the build determines.
constexpr nereid_plugin_t pluginOfThisBuild() {
  nereid_plugin_t plugin = {};
  plugin.struct_size = sizeof plugin;
  plugin.abi_major = NEREID_ABI_MAJOR;
  plugin.abi_minor = NEREID_ABI_MINOR;
  plugin.abi_revision = NEREID_ABI_REVISION;
  plugin.min_host_minor = NEREID_PLUGIN_MIN_HOST_MINOR;
  plugin.id = text(NEREID_PLUGIN_ID);
  plugin.version = text(NEREID_PLUGIN_VERSION);
  return plugin;
}
#endif

/// An extension and its table.
struct Extension {
  std::string_view id;
  const void *table;
};

/// Null if there is none with this \p id.
inline const void *findTable(std::span<const Extension> extensions,
                             nereid_string_t id) {
  for (const Extension &extension : extensions)
    if (view(id) == extension.id)
      return extension.table;
  return nullptr;
}

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_PLUGIN_TABLE_H
