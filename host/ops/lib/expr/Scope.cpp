// Scope.cpp - definitions in any order, each computed once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Scope.h"

#include <algorithm>

namespace nereid::ops {

static size_t indexOf(const Definitions &definitions, std::string_view name) {
  for (size_t i = 0; i < definitions.size(); ++i)
    if (definitions[i].name == name)
      return i;
  return definitions.size();
}

// Follows what `path` ends with; false once it leads back into the path.
static bool follow(const Definitions &definitions, std::vector<size_t> &path,
                   std::vector<bool> &isDone) {
  size_t at = path.back();
  for (const NameUse &use : definitions[at].expression.uses()) {
    size_t next = indexOf(definitions, use.name);
    if (next == definitions.size() || isDone[next])
      continue;
    bool isBack = std::find(path.begin(), path.end(), next) != path.end();
    path.push_back(next);
    if (isBack || !follow(definitions, path, isDone))
      return false;
    path.pop_back();
  }
  isDone[at] = true;
  return true;
}

std::optional<std::string> findCycle(const Definitions &definitions) {
  std::vector<bool> isDone(definitions.size());
  for (size_t i = 0; i < definitions.size(); ++i) {
    std::vector<size_t> path = {i};
    if (isDone[i] || follow(definitions, path, isDone))
      continue;
    // Without what leads to the cycle.
    auto first = std::find(path.begin(), path.end(), path.back());
    std::string text;
    for (; first != path.end(); ++first)
      text += (text.empty() ? "" : " -> ") + definitions[*first].name;
    return text;
  }
  return std::nullopt;
}

Scope::Scope(const Definitions &definitions, const Environment &outer)
    : definitions(definitions), outer(outer), slots(definitions.size()) {}

Result<const Value *> Scope::find(std::string_view name) const {
  size_t index = indexOf(definitions, name);
  if (index == definitions.size())
    return outer.find(name);
  Slot &slot = slots[index];
  if (!slot.isComputed) {
    const Definition &definition = definitions[index];
    if (slot.isRunning)
      return wrong("'" + definition.name + "' needs itself");
    slot.isRunning = true;
    Result<Value> value = definition.expression.evaluate(*this);
    slot.isRunning = false;
    if (!value)
      return wrong("'" + definition.name + "': " + value.failure().text);
    slot.value = std::move(*value);
    slot.isComputed = true;
  }
  return &slot.value;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> list = outer.names();
  for (const Definition &definition : definitions)
    list.push_back(definition.name);
  return list;
}

} // namespace nereid::ops
