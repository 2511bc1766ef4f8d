// DeviceTables.cpp - reads values measured for devices, and finds them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/TunedOperatorReader.h"

#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <charconv>

namespace nereid::ops {

void TunedOperatorReader::readRows(const yaml::Node &rows,
                                   const std::string &device,
                                   const std::string &keyText,
                                   DeviceTable &table) {
  std::vector<DeviceTable::Row> &list = table.devices[device][keyText];
  for (const yaml::Entry &entry : rows.entries) {
    DeviceTable::Row row;
    std::string_view text = entry.key->text;
    std::from_chars_result read =
        std::from_chars(text.data(), text.data() + text.size(), row.by);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
      problems.add(*entry.key, "'" + escapeForTerminal(text) +
                                   "' is not an integer, expected '" +
                                   table.by + "'");
      continue;
    }
    for (const yaml::NodePtr &value : entry.value->items)
      row.values.push_back(value->value);
    if (!entry.value->isSequence() || row.values.size() != table.names.size()) {
      problems.add(*entry.value,
                   "found " +
                       (entry.value->isSequence()
                            ? std::to_string(row.values.size()) + " values"
                            : std::string(entry.value->kindName())) +
                       ", expected " + std::to_string(table.names.size()) +
                       ": " + quotedList(table.names));
      continue;
    }
    list.push_back(std::move(row));
  }
  std::sort(list.begin(), list.end(),
            [](const DeviceTable::Row &a, const DeviceTable::Row &b) {
              return a.by < b.by;
            });
}

void TunedOperatorReader::readDevices(const yaml::Node &devices,
                                      DeviceTable &table) {
  for (const yaml::Entry &device : devices.entries) {
    if (!device.value->isMapping()) {
      problems.add(*device.value, "the table of '" + device.key->text +
                                      "' is " +
                                      std::string(device.value->kindName()) +
                                      ", expected a mapping");
      continue;
    }
    for (const yaml::Entry &key : device.value->entries) {
      size_t count = 1 + static_cast<size_t>(std::count(
                             key.key->text.begin(), key.key->text.end(), ','));
      if (count != table.key.size())
        problems.add(*key.key, "'" + escapeForTerminal(key.key->text) +
                                   "' has " + std::to_string(count) +
                                   " values, expected " +
                                   std::to_string(table.key.size()) + ": " +
                                   quotedList(table.key));
      else if (!key.value->isMapping())
        problems.add(*key.value, "found " + std::string(key.value->kindName()) +
                                     ", expected a mapping of '" + table.by +
                                     "' to values");
      else
        readRows(*key.value, device.key->text, key.key->text, table);
    }
  }
}

void TunedOperatorReader::readTable(const yaml::Node &element) {
  MappingReader reader(element, "the table of '" + out.name + "'", problems);
  DeviceTable table;
  table.line = element.line;
  if (const yaml::Node *head = reader.mappingOf("table")) {
    MappingReader names(*head, "'table' of '" + out.name + "'", problems);
    table.key = names.strings("key");
    table.by = names.string("by").value_or("");
    table.names = names.strings("values");
    for (const char *key : {"key", "by", "values"})
      names.require(key);
    names.finish();
  }
  if (const yaml::Node *fallback = reader.mappingOf("fallback"))
    for (const yaml::Entry &entry : fallback->entries)
      table.fallback.insert_or_assign(entry.key->text, entry.value->text);
  const yaml::Node *devices = reader.mappingOf("devices");
  if (devices)
    readDevices(*devices, table);
  reader.finish();
  out.tables.push_back(std::move(table));
}

const DeviceTable::Row *DeviceTable::find(std::string_view device,
                                          std::string_view keyText,
                                          int64_t wanted) const {
  auto found = devices.find(device);
  if (found == devices.end()) {
    auto other = fallback.find(device);
    if (other == fallback.end() ||
        (found = devices.find(other->second)) == devices.end())
      return nullptr;
  }
  auto rows = found->second.find(keyText);
  if (rows == found->second.end())
    return nullptr;
  const Row *nearest = nullptr;
  auto distance = [&](const Row &row) {
    return row.by < wanted
               ? static_cast<uint64_t>(wanted) - static_cast<uint64_t>(row.by)
               : static_cast<uint64_t>(row.by) - static_cast<uint64_t>(wanted);
  };
  for (const Row &row : rows->second)
    if (!nearest || distance(row) < distance(*nearest))
      nearest = &row;
  return nearest;
}

Configuration DeviceTable::configurationOf(const Row &row) const {
  Configuration configuration;
  for (size_t i = 0; i < names.size(); ++i) {
    bool isOption = std::find(tritonOptions().begin(), tritonOptions().end(),
                              names[i]) != tritonOptions().end();
    (isOption ? configuration.options : configuration.constants)
        .push_back({names[i], row.values[i]});
  }
  return configuration;
}

} // namespace nereid::ops
