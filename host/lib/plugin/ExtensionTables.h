// ExtensionTables.h - the extensions of a plugin that the host itself uses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_EXTENSION_TABLES_H
#define NEREID_HOST_PLUGIN_EXTENSION_TABLES_H

#include "abi/SlotTable.h"
#include "plugin/PluginInfo.h"

#include <functional>

namespace nereid::host {

struct ExtensionTables {
  SlotTable<nereid_streams_t> streams;
  SlotTable<nereid_events_t> events;
  SlotTable<nereid_memory_t> memory;
  SlotTable<nereid_interop_t> interop;
  SlotTable<nereid_benchmark_t> benchmark;
  SlotTable<nereid_frontend_t> frontend;
  SlotTable<nereid_libdevice_t> libdevice;

  /// Takes what \p find has, and returns the required slots that are missing.
  std::vector<std::string>
  read(const std::function<const void *(nereid_string_t id)> &find);
};

/// Copies the facts of \p table, which may be null, into \p info.
void readVendor(const nereid_vendor_t *table, PluginInfo &info);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_EXTENSION_TABLES_H
