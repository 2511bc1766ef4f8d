// Words.h - appends instructions to a vector of words.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_SPIRV_WORDS_H
#define NEREID_VULKAN_SPIRV_WORDS_H

#include "Ids.h"
#include "Newer.h"

#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nereid::spirv {

using Words = std::vector<uint32_t>;

/// A parameter that accepts a vector, a span or values in braces.
template <typename T> struct List : std::span<const T> {
  using std::span<const T>::span;
  List(std::span<const T> values) : std::span<const T>(values) {}
  List(std::initializer_list<T> values)
      : std::span<const T>(values.begin(), values.size()) {}
};

template <typename Operand>
  requires std::is_enum_v<Operand> || std::is_integral_v<Operand>
constexpr uint32_t toWord(Operand operand) {
  return static_cast<uint32_t>(operand);
}
template <typename Tag> constexpr uint32_t toWord(detail::Number<Tag> id) {
  return id.number;
}

/// The first word of an instruction of \p count words.
constexpr uint32_t opWord(spv::Op op, size_t count) {
  return static_cast<uint32_t>(count << 16) | static_cast<uint32_t>(op);
}

template <typename... Operands>
void append(Words &words, spv::Op op, Operands... operands) {
  const uint32_t instruction[] = {opWord(op, 1 + sizeof...(operands)),
                                  toWord(operands)...};
  words.insert(words.end(), std::begin(instruction), std::end(instruction));
}

/// \p text with its terminating zero, padded to whole words.
inline void appendText(Words &words, std::string_view text) {
  size_t first = words.size();
  words.resize(first + text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i)
    words[first + i / 4] |= uint32_t(uint8_t(text[i])) << (i % 4 * 8);
}

/// Appends an instruction of any length: operands are appended to `words`
/// while this exists; \p end writes the length.
class LongInstruction {
public:
  template <typename... Operands>
  LongInstruction(Words &words, spv::Op op, Operands... operands)
      : words(words), first(words.size()), op(op) {
    append(words, op, operands...);
  }

  template <typename Operand> LongInstruction &operator<<(Operand operand) {
    words.push_back(toWord(operand));
    return *this;
  }
  template <typename Operand>
  LongInstruction &operator<<(std::span<const Operand> operands) {
    for (Operand operand : operands)
      words.push_back(toWord(operand));
    return *this;
  }
  LongInstruction &operator<<(std::string_view text) {
    appendText(words, text);
    return *this;
  }

  void end() { words[first] = opWord(op, words.size() - first); }

private:
  Words &words;
  size_t first;
  spv::Op op;
};

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_WORDS_H
