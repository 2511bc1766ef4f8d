// Glob.cpp - patterns of plugin ids.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/Glob.h"

namespace nereid::host {

bool matchesGlob(std::string_view pattern, std::string_view text) {
  size_t at = 0;
  size_t star = std::string_view::npos; // the last `*` seen in the pattern
  size_t afterStar = 0;                 // what it is assumed to end before
  for (size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      afterStar = i;
    } else if (at < pattern.size() &&
               (pattern[at] == '?' || pattern[at] == text[i])) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++afterStar;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*')
    ++at;
  return at == pattern.size();
}

std::string_view firstMatch(std::string_view patterns, std::string_view text) {
  while (!patterns.empty()) {
    size_t end = patterns.find(';');
    std::string_view pattern = patterns.substr(0, end);
    if (!pattern.empty() && matchesGlob(pattern, text))
      return pattern;
    if (end == std::string_view::npos)
      break;
    patterns.remove_prefix(end + 1);
  }
  return {};
}

} // namespace nereid::host
