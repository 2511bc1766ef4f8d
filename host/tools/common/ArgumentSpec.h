// ArgumentSpec.h - a kernel argument as text: "f32[4096,781]=random:7".
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   scalar      TYPE=NUMBER
//   tensor      TYPE[N,...]=INIT     N may be 0: a null pointer
//   file        @FILE.npy            type and shape of the file
//   INIT        zeros | ones | range | full:NUMBER | NUMBER
//               | random[:SEED[:LOW:HIGH]] | @FILE.npy

#ifndef NEREID_TOOLS_ARGUMENTSPEC_H
#define NEREID_TOOLS_ARGUMENTSPEC_H

#include "Array.h"

namespace nereid::tools {

/// The value of one argument: a scalar has an array of one element.
struct ArgumentValue {
  bool isTensor;
  Array array;
};

class ArgumentSpec {
public:
  /// Reads \p text without touching the file it may name. Checks all that
  /// can be known without it.
  static Expected<ArgumentSpec> parse(std::string_view text);

  /// Makes the value: allocates, fills, reads the file.
  Expected<ArgumentValue> make() const;

private:
  enum class Fill { Number, Range, Random, File };

  Expected<void> parseType(std::string_view text);
  Expected<void> parseShape(std::string_view text);
  Expected<void> parseInit(std::string_view text);
  Expected<void> parseRandom(std::string_view text);
  Expected<void> setNumber(std::string_view text);

  std::optional<DType> type; ///< none: as the file says
  std::optional<Shape> shape;
  bool isTensor = false;
  Fill fill = Fill::Number;
  unsigned char number[8] = {};
  uint64_t seed = 0;
  double low = 0, high = 0;
  std::string file;
};

} // namespace nereid::tools

#endif // NEREID_TOOLS_ARGUMENTSPEC_H
