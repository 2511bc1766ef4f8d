// Suggestions.cpp - edit distance between names.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "text/Suggestions.h"

#include <algorithm>
#include <cctype>

namespace nereid {

// Longer names are not typing errors, and the work is quadratic.
static constexpr size_t longestName = 100;
static constexpr size_t longestList = 12;

static bool sameLetter(char a, char b) {
  auto fold = [](char c) {
    return c == '-'
               ? '_'
               : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return fold(a) == fold(b);
}

// Two letters in the wrong order are one error.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1), above(row), twoAbove(row);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    twoAbove.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = above[j - 1] + !sameLetter(a[i - 1], b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && sameLetter(a[i - 1], b[j - 2]) &&
          sameLetter(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], twoAbove[j - 2] + 1);
    }
  }
  return row.back();
}

std::vector<std::string> nearestNames(std::string_view name,
                                      const std::vector<std::string> &names) {
  if (name.empty() || name.size() > longestName)
    return {};
  std::vector<std::pair<size_t, size_t>> close; // distance, index
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() > longestName)
      continue;
    size_t distance = editDistance(name, names[i]);
    if (distance <= std::max<size_t>(1, (name.size() + 1) / 3))
      close.emplace_back(distance, i);
  }
  std::sort(close.begin(), close.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < close.size() && i < 3; ++i)
    nearest.push_back(names[close[i].second]);
  return nearest;
}

std::string quotedList(const std::vector<std::string> &names,
                       std::string_view separator) {
  std::string text;
  for (const std::string &name : names) {
    if (!text.empty())
      text += separator;
    text += '\'' + name + '\'';
  }
  return text;
}

std::string suggestNames(std::string_view name,
                         const std::vector<std::string> &names) {
  std::vector<std::string> nearest = nearestNames(name, names);
  if (!nearest.empty())
    return "; did you mean " + quotedList(nearest, " or ");
  if (names.empty())
    return "; there are none";
  std::vector<std::string> known(
      names.begin(), names.begin() + std::min(names.size(), longestList));
  std::string text = "; known are " + quotedList(known);
  if (known.size() < names.size())
    text += " and " + std::to_string(names.size() - known.size()) + " more";
  return text;
}

} // namespace nereid
