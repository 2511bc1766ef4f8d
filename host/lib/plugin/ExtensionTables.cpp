// ExtensionTables.cpp - asks a plugin for the extensions that the host uses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/ExtensionTables.h"

#include "abi/Struct.h"

namespace nereid::host {

std::vector<std::string> ExtensionTables::read(
    const std::function<const void *(nereid_string_t id)> &find) {
  std::vector<std::string> missing;
  auto take = [&]<typename Table>(std::string_view id,
                                  SlotTable<Table> &table) {
    auto *given = static_cast<const Table *>(find(borrow(id)));
    std::vector<std::string> more = table.assign(given);
    missing.insert(missing.end(), more.begin(), more.end());
  };
  take(NEREID_EXT_STREAM, streams);
  take(NEREID_EXT_EVENT, events);
  take(NEREID_EXT_MEMORY, memory);
  take(NEREID_EXT_INTEROP, interop);
  take(NEREID_EXT_BENCHMARK, benchmark);
  take(NEREID_EXT_FRONTEND, frontend);
  take(NEREID_EXT_LIBDEVICE, libdevice);
  return missing;
}

void readVendor(const nereid_vendor_t *table, PluginInfo &info) {
  if (!table)
    return;
  nereid_vendor_t given = readStruct(*table);
  info.vendorName = view(given.vendor_name);
  info.deviceName = view(given.device_name);
  info.deviceQueryCommand = view(given.device_query_command);
  info.dispatchKey = view(given.dispatch_key);
}

} // namespace nereid::host
