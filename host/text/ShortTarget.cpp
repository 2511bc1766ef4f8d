// ShortTarget.cpp - targets in messages and listings.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "text/ShortTarget.h"

#include <algorithm>

namespace nereid {

// The end of the field that starts at \p from: a colon without a backslash.
static size_t endOfField(std::string_view text, size_t from) {
  for (size_t i = std::min(from, text.size()); i < text.size(); ++i)
    if (text[i] == '\\')
      ++i;
    else if (text[i] == ':')
      return i;
  return text.size();
}

std::string shortTarget(std::string_view target) {
  constexpr size_t most = 60;
  size_t arch = endOfField(target, 0) + 1;
  size_t start = endOfField(target, arch) + 1;
  size_t end = endOfField(target, start);
  if (start > target.size() || end - start <= most)
    return std::string(target);
  // Up to the last feature that fits.
  std::string_view features = target.substr(start, end - start);
  size_t size = features.rfind(',', most);
  if (size == features.npos)
    size = features[most - 1] == '\\' ? most - 1 : most;
  return std::string(target.substr(0, start + size)) + ",..." +
         std::string(target.substr(end));
}

} // namespace nereid
