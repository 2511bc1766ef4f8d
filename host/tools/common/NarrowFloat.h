// NarrowFloat.h - floats of 8 and 16 bits, which C++20 lacks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_NARROWFLOAT_H
#define NEREID_TOOLS_NARROWFLOAT_H

#include <cstdint>

namespace nereid::tools {

/// A binary format with a sign, `exponentBits` and `mantissaBits`. Without
/// infinities (f8e4m3fn) all exponents are finite and only the last pattern is
/// a NaN; what is too large becomes that NaN.
struct NarrowFormat {
  uint32_t exponentBits;
  uint32_t mantissaBits;
  bool hasInfinity;

  uint32_t bias() const { return (1u << (exponentBits - 1)) - 1; }
};

inline constexpr NarrowFormat formatF16{5, 10, true};
inline constexpr NarrowFormat formatBF16{8, 7, true};
inline constexpr NarrowFormat formatF8E4M3{4, 3, false};
inline constexpr NarrowFormat formatF8E5M2{5, 2, true};

double decodeNarrow(NarrowFormat format, uint32_t bits);

/// Rounds to nearest, ties to even.
uint32_t encodeNarrow(NarrowFormat format, double value);

} // namespace nereid::tools

#endif // NEREID_TOOLS_NARROWFLOAT_H
