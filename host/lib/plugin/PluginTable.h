// PluginTable.h - checks and copies a plugin's description of itself.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PLUGIN_TABLE_H
#define NEREID_HOST_PLUGIN_PLUGIN_TABLE_H

#include "plugin/LoadReport.h"
#include "plugin/Plugin.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::host {

/// Copies \p given, of any size, into \p out, and reports what is wrong with
/// it. Its id must be \p expectedId, unless that is empty.
std::optional<Rejection> readPluginTable(const nereid_plugin_t *given,
                                         const std::string &expectedId,
                                         nereid_plugin_t &out);

/// Copies the description of a table that readPluginTable() accepted.
void describePlugin(const nereid_plugin_t &table, PluginInfo &info);

/// Copies its compiler and driver, and returns the required slots that are
/// missing in both.
std::vector<std::string> copyTables(Plugin &plugin,
                                    const nereid_plugin_t &table);

/// "compiler.run_stage, driver.launch"
std::string quotedSlots(const std::vector<std::string> &slots);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_TABLE_H
