// The error function.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Below 0.92 erf(x) = x + x p(x^2); above, one less a small number, whose
// relative error hardly counts.

#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// Relative errors 2^-26, 2^-66 on [0, 0.921875].
static constexpr double kErfF32[] = {0.1283791496,   -0.3761249368,
                                     0.1128181612,   -0.02676661445,
                                     0.004993177509, -0.0005990839674};
static constexpr double kErfF64[] = {
    0.1283791670955126,      -0.37612638903183754,    0.11283791670955079,
    -0.02686617064511914,    0.0052239776252805,      -0.0008548327010580328,
    0.00012055332322819548,  -1.4925627697502755e-05, 1.6461579389383432e-06,
    -1.6357135819814203e-07, 1.4710769554760208e-08,  -1.1591816824987054e-09,
    6.368670442828618e-11};
// -log(1 - erf(a)) on [0.92, 3.95].
static constexpr double kLogErfcF32[] = {
    -0.000175184475, 1.129517336,    0.6333420436,     0.1082854425,
    -0.02512289016,  0.004172378534, -0.0004347342358, 2.111855454e-5};
// (1 + 2 a) exp(a^2) (1 - erf(a)) of (a - 2) / (a + 2), a in [0.92, 6.05].
static constexpr double kErfcF64[] = {
    1.2769783815525286,      -0.09276382658574624,    -0.1660303976152643,
    0.16405128003382163,     -0.05422000099374162,    -0.008034015134884456,
    0.008722653708657345,    0.001271340492449803,    -0.0014568034482152067,
    -0.0004543386162834599,  0.0002062287522016623,   0.00015072829104355526,
    -1.0914322691753423e-06, -3.4292284324944885e-05, -1.2321066994217351e-05};

static Expr complementF32(Expr a) { return expNormal(-horner(a, kLogErfcF32)); }

static Expr complementF64(Expr a) {
  Expr p = horner((a - 2.0) / (a + 2.0), kErfcF64);
  ExactProduct square(a, a);
  Expr e = expNormal(-square.high);
  return fma(e, -square.low, e) * p / fma(a, 2.0, 1.0);
}

Expr expandErf(Expr x) {
  constexpr double kBorder = 0.921875;
  Expr z = x * x;
  Expr small = isF32(x) ? horner(z, kErfF32) : horner(z, kErfF64);
  small = fma(small, x, x);
  Expr a = abs(x);
  // From there on the result is 1.
  double end = isF32(x) ? 3.95 : 6.0;
  Expr bounded = select(a > end, end, a);
  Expr complement = isF32(x) ? complementF32(bounded) : complementF64(bounded);
  return select(a < kBorder, small, copySign(1.0 - complement, x));
}

} // namespace nereid::codegen
