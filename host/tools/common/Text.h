// Text.h - tables and quantities for people.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_TEXT_H
#define NEREID_TOOLS_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::tools {

/// Rows of cells, printed in aligned columns.
class Table {
public:
  explicit Table(std::vector<std::string> heads) { add(std::move(heads)); }
  /// Columns named here are aligned to the right.
  void alignRight(size_t column) { right.push_back(column); }
  /// Control characters in cells are shown as "\x1b".
  void add(std::vector<std::string> row);
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> right;
};

/// "12.3 us"
std::string durationText(double nanoseconds);
/// "1 kernel", "2 kernels"
std::string countText(uint64_t number, std::string_view noun);
/// "1.5 MiB"
std::string bytesText(uint64_t bytes);
/// \p text with control and non-ASCII bytes as "\\x1b".
std::string printable(std::string_view text);
/// "12.3", with three significant digits.
std::string threeDigits(double value);

} // namespace nereid::tools

#endif // NEREID_TOOLS_TEXT_H
