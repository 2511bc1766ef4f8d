// PluginTable.cpp - checks and copies a plugin's description of itself.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/PluginTable.h"

#include "abi/Struct.h"
#include "plugin/Note.h"

#include <algorithm>
#include <cstddef>

namespace nereid::host {

// Fields up to and with `driver` are there in every plugin.
static constexpr size_t leastTableSize = offsetof(nereid_plugin_t, create);
// A capability's table has at least its size and its first slot.
static constexpr uint32_t leastSlotsSize = 16;
static constexpr uint64_t longestText = 4096;

static std::optional<Rejection> bad(std::string detail) {
  return Rejection{Reason::BadTable, std::move(detail), {}};
}

static std::optional<Rejection> checkText(std::string_view name,
                                          nereid_string_t text) {
  if (text.size > longestText)
    return bad("its " + std::string(name) + " has " +
               std::to_string(text.size) + " bytes, expected at most " +
               std::to_string(longestText));
  if (text.size && !text.data)
    return bad("its " + std::string(name) + " has " +
               std::to_string(text.size) + " bytes at a null pointer");
  return std::nullopt;
}

static std::optional<Rejection> checkTexts(const nereid_plugin_t &table) {
  const std::pair<std::string_view, nereid_string_t> texts[] = {
      {"id", table.id},
      {"device_type", table.device_type},
      {"version", table.version},
      {"description", table.description},
  };
  for (const auto &[name, text] : texts)
    if (std::optional<Rejection> wrong = checkText(name, text))
      return wrong;
  return std::nullopt;
}

static std::optional<Rejection> checkNames(const nereid_plugin_t &table,
                                           const std::string &expectedId) {
  std::string id(view(table.id));
  if (!isPluginId(id))
    return bad("its id '" + id + "' is not 1 to 63 of [a-z0-9_.-]");
  if (!expectedId.empty() && id != expectedId)
    return bad("its id is '" + id + "', its note says '" + expectedId + "'");
  if (!isPluginId(view(table.device_type)))
    return bad("its device type '" + std::string(view(table.device_type)) +
               "' is not 1 to 63 of [a-z0-9_.-]");
  return std::nullopt;
}

static std::optional<Rejection>
checkCapabilities(const nereid_plugin_t &table) {
  if (!table.compiler && !table.driver)
    return bad("it has neither a compiler nor a driver");
  auto check = [](std::string_view name,
                  const auto *slots) -> std::optional<Rejection> {
    if (slots && slots->struct_size < leastSlotsSize)
      return bad("the struct_size of its " + std::string(name) + " is " +
                 std::to_string(slots->struct_size) + ", expected its sizeof");
    return std::nullopt;
  };
  if (std::optional<Rejection> wrong = check("compiler", table.compiler))
    return wrong;
  return check("driver", table.driver);
}

std::optional<Rejection> readPluginTable(const nereid_plugin_t *given,
                                         const std::string &expectedId,
                                         nereid_plugin_t &out) {
  if (!given)
    return bad("the table is null");
  if (given->struct_size < leastTableSize)
    return bad("the struct_size of its table is " +
               std::to_string(given->struct_size) + ", expected at least " +
               std::to_string(leastTableSize));
  out = readStruct(*given);
  if (std::optional<Rejection> wrong =
          checkVersion(out.abi_major, out.abi_minor, out.abi_revision))
    return wrong;
  if (std::optional<Rejection> wrong = checkTexts(out))
    return wrong;
  if (std::optional<Rejection> wrong = checkNames(out, expectedId))
    return wrong;
  if (out.min_host_minor > NEREID_ABI_MINOR)
    return Rejection{Reason::HostTooOld,
                     "it needs a host that speaks at least ABI " +
                         std::to_string(NEREID_ABI_MAJOR) + "." +
                         std::to_string(out.min_host_minor) +
                         ", this one speaks " +
                         std::to_string(NEREID_ABI_MAJOR) + "." +
                         std::to_string(NEREID_ABI_MINOR),
                     {}};
  return checkCapabilities(out);
}

void describePlugin(const nereid_plugin_t &table, PluginInfo &info) {
  info.id = view(table.id);
  info.deviceType = view(table.device_type);
  info.version = view(table.version);
  info.description = view(table.description);
  info.abiMinor = std::min<uint32_t>(table.abi_minor, NEREID_ABI_MINOR);
  info.flags = table.flags;
}

std::vector<std::string> copyTables(Plugin &plugin,
                                    const nereid_plugin_t &table) {
  plugin.hasCompiler = table.compiler;
  plugin.hasDriver = table.driver;
  std::vector<std::string> missing = plugin.compiler.assign(table.compiler);
  std::vector<std::string> more = plugin.driver.assign(table.driver);
  missing.insert(missing.end(), more.begin(), more.end());
  return missing;
}

std::string quotedSlots(const std::vector<std::string> &slots) {
  std::string text;
  for (const std::string &slot : slots)
    text += (text.empty() ? "" : ", ") + slot;
  return text;
}

} // namespace nereid::host
