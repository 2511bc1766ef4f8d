// Modified Bessel functions of the first kind.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// I0(x) and I1(x) / x of x^2, for x up to 8 (f32) and 16 (f64); relative errors
// 2^-26, 2^-55.
static constexpr double kI0F32[] = {
    1.0, 0.2499999702, 0.01562502235, 0.0004340222513, 6.782369837e-06,
    6.776729577e-08, 4.731728342e-10, 2.339176812e-12, 1.054368571e-14,
    1.616619455e-17, 1.481667885e-19};
static constexpr double kI0F64[] = {
    1.0, 0.25, 0.015625, 0.00043402777777777775, 6.781684027777785e-06,
    6.781684027777698e-08, 4.709502797068462e-10, 2.4028075495216102e-12,
    9.385966990435688e-15, 2.896903391774749e-17, 7.242258486933795e-20,
    1.4963343848117117e-22, 2.5978029414087904e-25, 3.8429015622273125e-28,
    4.901680866993769e-31, 5.446152483401813e-34, 5.319513859672722e-37,
    4.596487880402154e-40, 3.5682060323809764e-43, 2.399024058602575e-46,
    1.6898675380901085e-49, 5.690872988576196e-53, 8.848973453472651e-56,
    -2.107668403912415e-59, 3.2671659575529785e-62};
static constexpr double kI1F32[] = {
    0.5, 0.0625, 0.002604167676, 5.425325071e-05, 6.78195704e-07,
    5.649427592e-09, 3.372802385e-11, 1.476321506e-13, 5.678116596e-16,
    9.338660253e-19, 6.358902491e-21};
static constexpr double kI1F64[] = {
    0.5, 0.0625, 0.0026041666666666665, 5.425347222222222e-05,
    6.781684027777779e-07, 5.651403356481467e-09, 3.363930569334318e-11,
    1.501754718452253e-13, 5.214426105758321e-16, 1.4484516959827883e-18,
    3.2919356740583405e-21, 6.234726631063889e-24, 9.991549435869472e-27,
    1.372465179670392e-29, 1.6338909109176246e-32, 1.70194046821704e-35,
    1.564467749412883e-38, 1.2772129273201813e-41, 9.375820571810369e-45,
    6.036247967581077e-48, 3.942259106623047e-51, 1.4200955246403974e-54,
    1.7854855362177238e-57, -3.4507625685054826e-61, 6.234124343661512e-64};
// sqrt(x) exp(-x) I0(x), and the same of I1, of 1 / x from there on; relative
// errors 2^-25, 2^-54.
static constexpr double kLargeI0F32[] = {
    0.3989422917, 0.04986745119, 0.02809236385, 0.02732067928, 0.08424139768,
    -0.3005458713, 1.816955447};
static constexpr double kLargeI0F64[] = {
    0.3989422804014327, 0.049867785050182384, 0.028050629087312085,
    0.02921940668739822, 0.04474192285773585, 0.09063952049509,
    0.2254515557959762, 0.8485775673156803, -3.502259520302714,
    161.89165704701003, -2615.3980891658703, 30548.47604695542,
    -203849.6562008845, 642133.8253173741};
static constexpr double kLargeI1F32[] = {
    0.3989422917, -0.1496029794, -0.04679764807, -0.03878715262, -0.1016340181,
    0.3263110518, -2.048917294};
static constexpr double kLargeI1F64[] = {
    0.3989422804014327, -0.14960335515054077, -0.046751048480920133,
    -0.040907168893182806, -0.057525394905340116, -0.11077573628425978,
    -0.2667999329818491, -0.9642008960754586, 3.53344901725718,
    -172.07405582137685, 2767.635483539064, -32346.049322856124,
    215686.34556007833, -679626.9189907534};

static Expr join(Expr a, Expr small, llvm::ArrayRef<double> largeF32,
                 llvm::ArrayRef<double> largeF64) {
  // From there on it is infinite. exp(a) is so before, hence in two parts.
  Expr bounded = select(a > 800.0, 800.0, a);
  double limit = isF32(a) ? 85.0 : 700.0;
  Expr part = select(bounded > limit, limit, bounded);
  Expr p = horner(1.0 / bounded, isF32(a) ? largeF32 : largeF64);
  Expr large = expandExp(part) * (p / sqrt(bounded)) *
               expandExp(bounded - part);
  return select(a > (isF32(a) ? 8.0 : 16.0), large, small);
}

// A polynomial of a^2. What the square loses counts, as the function grows like
// exp(a): its derivative by a^2 is nearly itself divided by 2 a.
static Expr ofSquare(Expr a, llvm::ArrayRef<double> f32,
                     llvm::ArrayRef<double> f64) {
  ExactProduct square(a, a);
  Expr p = horner(square.high, isF32(a) ? f32 : f64);
  return fma(p, square.low * (0.5 / (a + 1.0)), p);
}

Expr besselI0(Expr x) {
  Expr a = abs(x);
  return join(a, ofSquare(a, kI0F32, kI0F64), kLargeI0F32, kLargeI0F64);
}

Expr besselI1(Expr x) {
  Expr a = abs(x);
  Expr small = a * ofSquare(a, kI1F32, kI1F64);
  return copySign(join(a, small, kLargeI1F32, kLargeI1F64), x);
}

} // namespace nereid::codegen
