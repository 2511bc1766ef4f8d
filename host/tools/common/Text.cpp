// Text.cpp - aligns columns and scales units.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Text.h"

#include "text/EscapeForTerminal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nereid::tools {

// Columns a terminal needs for UTF-8 text, without regard to wide characters.
static size_t columnsOf(const std::string &text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void Table::add(std::vector<std::string> row) {
  for (std::string &cell : row)
    cell = escapeForTerminal(cell);
  rows.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columnsOf(row[i]));
  }
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::string space(widths[i] - columnsOf(row[i]), ' ');
      bool toRight = std::find(right.begin(), right.end(), i) != right.end();
      text += toRight ? space + row[i] : row[i] + space;
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string result;
  for (char c : text) {
    char escape[5];
    auto byte = static_cast<unsigned char>(c);
    std::snprintf(escape, sizeof escape, "\\x%02x", byte);
    if (byte < 0x20 || byte > 0x7e)
      result += escape;
    else
      result += c;
  }
  return result;
}

std::string threeDigits(double value) {
  if (value == 0 || !std::isfinite(value))
    return value == 0 ? "0" : "-";
  int digits = 2 - static_cast<int>(std::floor(std::log10(std::fabs(value))));
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::clamp(digits, 0, 9), value);
  return text;
}

std::string durationText(double nanoseconds) {
  if (nanoseconds < 1e3)
    return threeDigits(nanoseconds) + " ns";
  if (nanoseconds < 1e6)
    return threeDigits(nanoseconds / 1e3) + " us";
  if (nanoseconds < 1e9)
    return threeDigits(nanoseconds / 1e6) + " ms";
  return threeDigits(nanoseconds / 1e9) + " s";
}

std::string countText(uint64_t number, std::string_view noun) {
  return std::to_string(number) + ' ' + std::string(noun) +
         (number == 1 ? "" : "s");
}

std::string bytesText(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return (unit ? threeDigits(value) : std::to_string(bytes)) + ' ' +
         units[unit];
}

} // namespace nereid::tools
