// KeyIngredients.cpp - what the result of a compilation depends on.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/KeyIngredients.h"

#include "support/Json.h"

namespace nereid::host {

std::string KeyIngredients::serialize() const {
  std::string bytes;
  for (const auto &[name, text] : items) {
    // The lengths keep "ab" + "c" apart from "a" + "bc".
    bytes += std::to_string(name.size()) + ':' + name;
    bytes += std::to_string(text.size()) + ':' + text;
  }
  return bytes;
}

Json KeyIngredients::json() const {
  Json object = Json::object();
  for (const auto &[name, text] : items)
    object[name] = text;
  return object;
}

std::vector<std::string>
KeyIngredients::differences(const KeyIngredients &other) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < items.size(); ++i)
    if (i >= other.items.size() || items[i] != other.items[i])
      names.push_back(items[i].first);
  return names;
}

} // namespace nereid::host
