// The error function.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"

namespace nereid::codegen {

// Below 0.92 a polynomial; above, 1 - exp(-q(|x|)), where the relative error
// of the exponential shrinks with it.
Expr expandErf(Expr x) {
  constexpr double kBorder = 0.921875;
  constexpr double kOneFromHere = 3.95;
  Expr z = x * x;
  Expr small = horner(z, {0.1283791496, -0.3761249368, 0.1128181612,
                          -0.02676661445, 0.004993177509, -0.0005990839674});
  small = fma(small, x, x);
  Expr a = abs(x);
  Expr bounded = select(a > kOneFromHere, kOneFromHere, a);
  Expr q = horner(bounded, {-0.000175184475, 1.129517336, 0.6333420436,
                            0.1082854425, -0.02512289016, 0.004172378534,
                            -0.0004347342358, 2.111855454e-5});
  Expr large = copySign(1.0 - expNormal(-q), x);
  return select(a < kBorder, small, large);
}

} // namespace nereid::codegen
