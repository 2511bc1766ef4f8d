// CompileHistory.cpp - what each source was last compiled from.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/CompileHistory.h"

namespace nereid::host {

// Bounded: a program may generate kernels without end.
static constexpr size_t longestHistory = 4096;

std::string CompileHistory::explain(const std::string &plugin,
                                    const std::string &source,
                                    const KeyIngredients &ingredients) {
  std::lock_guard lock(mutex);
  if (last.size() >= longestHistory)
    last.clear();
  auto [place, isNew] = last.try_emplace({plugin, source}, ingredients);
  if (isNew)
    return {};
  std::vector<std::string> changed = ingredients.differences(place->second);
  place->second = ingredients;
  if (changed.empty())
    return {};
  std::string text = "changed since the last time: ";
  for (const std::string &name : changed)
    text += (&name == changed.data() ? "" : ", ") + name;
  return text;
}

} // namespace nereid::host
