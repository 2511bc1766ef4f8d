// WordProduct.cpp - the table of instructions that add several products.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "WordProduct.h"

#include <cstddef>
#include <iterator>

namespace nereid::cpu {

static constexpr WordProductInfo kTable[] = {
    {WordProduct::None, "", 1, false},
    {WordProduct::Vdpbf16ps, "vdpbf16ps", 2, false},
    {WordProduct::Vpmaddwd, "vpmaddwd", 2, false},
    {WordProduct::Vpdpbusd, "vpdpbusd", 4, true},
    {WordProduct::Vpdpbssd, "vpdpbssd", 4, false},
    {WordProduct::Sdot, "sdot", 4, false},
};

/// Checks that a product's position in the table is its value.
static constexpr bool isInOrder() {
  for (size_t index = 0; index < std::size(kTable); ++index)
    if (size_t(kTable[index].product) != index)
      return false;
  return true;
}
static_assert(isInOrder());

const WordProductInfo &infoOf(WordProduct product) {
  return kTable[size_t(product)];
}

} // namespace nereid::cpu
