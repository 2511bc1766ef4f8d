// Angles reduced to an eighth of a turn.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_ANGLE_H
#define NEREID_CODEGEN_EXPAND_ANGLE_H

#include "Expr.h"

namespace nereid::codegen {

/// quadrant * pi/2 + r - excess with |r| <= pi/4; the excess is small, and
/// counts for the last places. Only the lowest two bits of the quadrant count.
struct Angle {
  Expr quadrant;
  Expr r, excess;
};

/// \p x, of any magnitude, in f32 or f64. Infinities give NaN.
Angle reduceAngle(Expr x);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_ANGLE_H
