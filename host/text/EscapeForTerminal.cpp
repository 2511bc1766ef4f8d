// EscapeForTerminal.cpp - escapes control characters.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "text/EscapeForTerminal.h"

#include <algorithm>
#include <cstdint>

namespace nereid {

// The bytes of the UTF-8 sequence that `text` starts with; 0 if it is none.
static size_t sequenceLength(std::string_view text) {
  auto lead = static_cast<uint8_t>(text[0]);
  size_t length = lead < 0x80   ? 1
                  : lead < 0xc2 ? 0
                  : lead < 0xe0 ? 2
                  : lead < 0xf0 ? 3
                  : lead < 0xf5 ? 4
                                : 0;
  if (length > text.size())
    return 0;
  bool isWhole = std::all_of(text.begin() + 1, text.begin() + length,
                             [](char c) { return (c & 0xc0) == 0x80; });
  return length && isWhole ? length : 0;
}

// U+0000 to U+001F and U+007F to U+009F, without line feed and tab.
static bool isControl(std::string_view sequence) {
  auto first = static_cast<uint8_t>(sequence[0]);
  if (sequence.size() == 1)
    return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  return first == 0xc2 && static_cast<uint8_t>(sequence[1]) < 0xa0;
}

static void escape(std::string_view bytes, std::string &out) {
  static constexpr char digits[] = "0123456789abcdef";
  for (char c : bytes) {
    auto byte = static_cast<uint8_t>(c);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
}

std::string escapeForTerminal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = sequenceLength(text);
    std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(sequence.size());
    if (length == 0 || isControl(sequence))
      escape(sequence, out);
    else
      out += sequence;
  }
  return out;
}

} // namespace nereid
