// Tasks.cpp - reads and writes lists of calls.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Json.h"
#include "support/Json.h"
#include "text/Suggestions.h"
#include "tune/Sweep.h"
#include "yaml/Node.h"

#include <algorithm>
#include <set>

namespace nereid::ops {

using host::Json;

static Json jsonOf(const yaml::Node &node) {
  if (node.isScalar())
    return jsonOfValue(node.value);
  Json json = node.isSequence() ? Json::array() : Json::object();
  for (const yaml::NodePtr &item : node.items)
    json.push_back(jsonOf(*item));
  for (const yaml::Entry &entry : node.entries)
    json[entry.key->text] = jsonOf(*entry.value);
  return json;
}

// \p place is "FILE:LINE", for messages.
static Result<SweepTask> taskOf(Json json, const std::string &place) {
  auto wrong = [&](const std::string &text) {
    return Failure{NEREID_INVALID_ARGUMENT, place + ": " + text};
  };
  if (!json.is_object())
    return wrong("a call is expected: an object with 'operator' and 'inputs'");
  static const std::vector<std::string> known = {"operator", "inputs",
                                                 "outputs", "attributes"};
  for (const auto &[key, member] : json.items())
    if (std::ranges::find(known, key) == known.end())
      return wrong("unknown member '" + key + "'" + suggestNames(key, known));
  if (!json.contains("operator") || !json["operator"].is_string())
    return wrong("the call has no 'operator'");
  for (const char *part : {"inputs", "outputs", "attributes"})
    if (json.contains(part) && !json[part].is_object())
      return wrong(std::string("'") + part + "' is not an object");
  SweepTask task;
  task.op = json["operator"].get<std::string>();
  json.erase("operator");
  task.call = json.dump();
  return task;
}

// Whether the first line alone is an object, and another one follows.
static bool areLines(std::string_view text) {
  size_t end = text.find('\n');
  return end != text.npos && Json::accept(text.substr(0, end)) &&
         text.find_first_not_of(" \r\n\t", end) != text.npos;
}

Result<std::vector<SweepTask>> readTasks(std::string_view text,
                                         std::string_view name) {
  std::vector<SweepTask> tasks;
  std::string place(name);
  if (areLines(text)) {
    uint32_t number = 0;
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      at = end + 1;
      ++number;
      if (line.find_first_not_of(" \r\t") == line.npos)
        continue;
      Result<SweepTask> task = taskOf(Json::parse(line, nullptr, false),
                                      place + ':' + std::to_string(number));
      if (!task)
        return task.failure();
      tasks.push_back(std::move(*task));
    }
    return tasks;
  }
  Result<yaml::NodePtr> root = yaml::parse(text, name);
  if (!root)
    return root.failure();
  std::vector<yaml::NodePtr> items = (*root)->items;
  if ((*root)->isMapping())
    items = {*root};
  else if (!(*root)->isSequence() && !(*root)->isNull())
    return yaml::failureAt(name, **root, "a list of calls is expected");
  for (const yaml::NodePtr &item : items) {
    Result<SweepTask> task =
        taskOf(jsonOf(*item), place + ':' + std::to_string(item->line));
    if (!task)
      return task.failure();
    tasks.push_back(std::move(*task));
  }
  return tasks;
}

std::string taskLine(const SweepTask &task) {
  Json line = {{"operator", task.op}};
  Json call = Json::parse(task.call, nullptr, false);
  if (call.is_object())
    line.update(call);
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<SweepTask> wantedTasks(const std::vector<TunedResult> &rows) {
  auto place = [](const TunedResult &row) {
    return std::tie(row.operatorName, row.key, row.compiler, row.device);
  };
  std::set<decltype(place(rows[0]))> measured;
  for (const TunedResult &row : rows)
    if (row.isOk())
      measured.insert(place(row));
  std::vector<SweepTask> tasks;
  std::set<std::pair<std::string, std::string>> known;
  for (const TunedResult &row : rows) {
    if (row.status != "wanted" || measured.contains(place(row)))
      continue;
    Json call = Json::parse(row.note, nullptr, false);
    if (!call.is_object())
      continue;
    call.erase("configuration");
    SweepTask task{row.operatorName, call.dump()};
    if (known.insert({task.op, task.call}).second)
      tasks.push_back(std::move(task));
  }
  return tasks;
}

} // namespace nereid::ops
