// OptionSpec.cpp - names of options.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OptionSpec.h"

#include <algorithm>
#include <iterator>

namespace nereid::tool {

std::vector<std::string> OptionSpec::spellings() const {
  std::vector<std::string> list;
  if (isPositional())
    return list;
  for (size_t start = 0; start <= names.size();) {
    size_t end = std::min(names.find(',', start), names.size());
    list.push_back(names.substr(start, end - start));
    start = end + 1;
  }
  return list;
}

const OptionSpec *findOption(const std::vector<OptionSpec> &options,
                             std::string_view name) {
  for (const OptionSpec &option : options)
    for (const std::string &spelling : option.spellings())
      if (spelling == name)
        return &option;
  return nullptr;
}

void addOptions(std::vector<OptionSpec> &options,
                std::vector<OptionSpec> more) {
  std::move(more.begin(), more.end(), std::back_inserter(options));
}

} // namespace nereid::tool
