// NarrowFloat.cpp - narrow floats by their definition, through double.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "NarrowFloat.h"

#include <cmath>
#include <limits>

namespace nereid::tools {

double decodeNarrow(NarrowFormat format, uint32_t bits) {
  uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  uint32_t exponentMask = (1u << format.exponentBits) - 1;
  uint32_t mantissa = bits & mantissaMask;
  uint32_t exponent = bits >> format.mantissaBits & exponentMask;
  bool isNegative = bits >> (format.mantissaBits + format.exponentBits) & 1;
  double magnitude;
  bool isSpecial = exponent == exponentMask &&
                   (format.hasInfinity || mantissa == mantissaMask);
  if (isSpecial)
    magnitude = format.hasInfinity && mantissa == 0
                    ? std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude =
        std::ldexp(mantissa, 1 - int(format.bias()) - int(format.mantissaBits));
  else
    magnitude = std::ldexp(mantissa + (1u << format.mantissaBits),
                           int(exponent) - int(format.bias()) -
                               int(format.mantissaBits));
  return isNegative ? -magnitude : magnitude;
}

uint32_t encodeNarrow(NarrowFormat format, double value) {
  uint32_t exponentMask = (1u << format.exponentBits) - 1;
  uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  uint32_t sign = std::signbit(value)
                      ? 1u << (format.mantissaBits + format.exponentBits)
                      : 0;
  uint32_t infinity = exponentMask << format.mantissaBits;
  uint32_t nan = format.hasInfinity ? infinity | 1u << (format.mantissaBits - 1)
                                    : infinity | mantissaMask;
  uint32_t tooLarge = format.hasInfinity ? infinity : nan;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | nan;
  if (std::isinf(value))
    return sign | tooLarge;
  if (magnitude == 0)
    return sign;
  // Count in units of the last place; a carry moves into the exponent
  // automatically, since the fields are adjacent.
  int lowest = 1 - int(format.bias());
  int exponent = std::ilogb(magnitude);
  if (exponent < lowest)
    exponent = lowest;
  double units = std::nearbyint(
      std::ldexp(magnitude, int(format.mantissaBits) - exponent));
  uint64_t bits =
      static_cast<uint64_t>(units) +
      (static_cast<uint64_t>(exponent - lowest) << format.mantissaBits);
  if (bits >= (format.hasInfinity ? infinity : nan))
    return sign | tooLarge;
  return sign | static_cast<uint32_t>(bits);
}

} // namespace nereid::tools
