// The error function.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Below 0.92 erf(x) = x + x p(x^2); above, one less a small number, whose
// relative error hardly counts. With tables, f32 takes a polynomial around the
// nearest quarter.

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

// Coefficients of powers of a - n / 4, |a - n / 4| <= 1/8, by n: errors of at
// most 0.5 units in the last place of the result. Around 0 they are those of
// erf(a) - a.
static constexpr float kErfParts[][kTableSize] = {
    {0.0f, 0.276326388f, 0.520499885f, 0.711155653f, 0.842700779f, 0.92290014f,
     0.966105163f, 0.986671686f, 0.995322287f, 0.998537302f, 0.999593019f,
     0.999899387f, 0.999977887f, 0.999995708f, 0.999999285f, 0.999999881f},
    {0.128379166f, 1.06001425f, 0.87878269f, 0.642931044f, 0.415107489f,
     0.236521125f, 0.118930288f, 0.0527749956f, 0.0206669848f, 0.00714231888f,
     0.00217828434f, 0.000586277223f, 0.000139253054f, 2.91890246e-05f,
     5.39942675e-06f, 8.81432186e-07f},
    {0.0f, -0.264998943f, -0.439388603f, -0.482204676f, -0.415101141f,
     -0.2956599f, -0.178406134f, -0.092364952f, -0.0413453281f, -0.0160793886f,
     -0.00543078175f, -0.00161680975f, -0.00040598237f, -0.000100589139f,
     -3.31437586e-05f, -4.96204279e-07f},
    {-0.376123518f, -0.309194684f, -0.146496072f, 0.0267905891f, 0.13836889f,
     0.167534903f, 0.138752863f, 0.0901580825f, 0.0482234731f, 0.0217246655f,
     0.00835000351f, 0.00276031275f, 0.000789052923f, 0.00019578886f,
     4.22882986e-05f, 7.96762924e-06f},
    {0.0f, 0.126088545f, 0.182141021f, 0.150675684f, 0.0688486323f,
     -0.0052839932f, -0.0436126404f, -0.0474046059f, -0.0337105319f,
     -0.0185415801f, -0.00962148421f, -0.00299300137f, -0.00180967688f,
     7.56807858e-05f, 0.000842788024f, -0.000193931744f},
    {0.112262368f, 0.0809091255f, 0.00913502835f, -0.0529677384f,
     -0.0688945875f, -0.0470768549f, -0.0149885211f, 0.00648034085f,
     0.0130059328f, 0.0106405439f, 0.00613082107f, 0.00277084415f,
     0.00102569826f, 0.00031779721f, 8.34908715e-05f, 1.8753899e-05f},
};

/// erf(a) of f32, a not negative.
static Expr lookUpErf(Expr a) {
  constexpr double kRoundsToQuarters = 0x1p21;
  Expr sum = a + kRoundsToQuarters;
  Expr index = bits(sum); // four times a, rounded, in the lowest bits
  Expr rest = a - (sum - kRoundsToQuarters);
  Expr p = lookUp(index, kErfParts[5]);
  for (int power : {4, 3, 2, 1})
    p = fma(p, rest, lookUp(index, kErfParts[power]));
  Expr result =
      fma(p, rest, select(a <= 0.125, rest, lookUp(index, kErfParts[0])));
  // From there on the result is 1, within a unit.
  return select(a >= 3.875, 1.0, result);
}

static Expr complementF32(Expr a) { return expNormal(-horner(a, kLogErfcF32)); }

static Expr complementF64(Expr a) {
  Expr p = horner((a - 2.0) / (a + 2.0), kErfcF64);
  ExactProduct square(a, a);
  Expr e = expNormal(-square.high);
  return fma(e, -square.low, e) * p / fma(a, 2.0, 1.0);
}

Expr expandErf(Expr x) {
  constexpr double kBorder = 0.921875;
  if (isF32(x) && x.scope->options.hasTables)
    return copySign(lookUpErf(abs(x)), x);
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
