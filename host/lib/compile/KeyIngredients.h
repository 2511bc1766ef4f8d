// KeyIngredients.h - what the result of a compilation depends on.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_KEY_INGREDIENTS_H
#define NEREID_HOST_COMPILE_KEY_INGREDIENTS_H

#include "support/JsonFwd.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid::host {

/// Named texts, in order. Two compilations with equal ingredients give equal
/// results; the source is represented by its digest.
class KeyIngredients {
public:
  void add(std::string_view name, std::string_view text) {
    items.emplace_back(name, text);
  }

  /// The ingredients in one piece, such that no two different lists give the
  /// same bytes.
  std::string serialize() const;

  /// {"name": "text", ...}
  Json json() const;

  /// The names of the ingredients that differ from those of \p other.
  std::vector<std::string> differences(const KeyIngredients &other) const;

private:
  std::vector<std::pair<std::string, std::string>> items;
};

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_KEY_INGREDIENTS_H
