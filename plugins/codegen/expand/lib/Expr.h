// Arithmetic on MLIR values in the notation of formulas.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// `fma(r, p, 1.0)` builds a math.fma in the shape of r. Numbers become
// constants of the element type of the other operand.

#ifndef NEREID_CODEGEN_EXPAND_EXPR_H
#define NEREID_CODEGEN_EXPAND_EXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "nereid/codegen/Expand.h"
#include "llvm/ADT/DenseMap.h"

namespace nereid::codegen {

/// Where expressions are built. Constants are created once per block, at its
/// start.
class Scope {
public:
  Scope(mlir::MLIRContext *context, const ExpandOptions &options)
      : builder(context), loc(builder.getUnknownLoc()), options(options) {}

  /// Builds before \p op from now on, at its location.
  void moveTo(mlir::Operation *op);

  mlir::Value constant(mlir::Type type, mlir::TypedAttr element);

  /// Reports that the expansion needs \p what, which the target lacks.
  void refuse(const llvm::Twine &what);

  mlir::OpBuilder builder;
  mlir::Location loc;
  const ExpandOptions &options;
  bool refused = false;

private:
  llvm::DenseMap<std::pair<mlir::Block *, mlir::Attribute>, mlir::Value>
      constants;
};

/// A value and the scope in which expressions of it are built.
struct Expr {
  Scope *scope;
  mlir::Value value;

  mlir::Type elementType() const { return getElementTypeOrSelf(value); }
  bool isFloat() const { return isa<mlir::FloatType>(elementType()); }
  unsigned width() const { return elementType().getIntOrFloatBitWidth(); }
  /// The shape of this value with elements of \p type.
  mlir::Type shapedAs(mlir::Type type) const;
  /// A constant in the type of this value.
  Expr like(double number) const;
  Expr like(int64_t number) const;
  Expr like(int number) const {
    return isFloat() ? like(double(number)) : like(int64_t(number));
  }
  /// A constant in the shape of this value, with elements of i32 or i64.
  template <typename Op, typename... Operands>
  Expr make(mlir::Type type, Operands... operands) const {
    return {scope,
            scope->builder.create<Op>(scope->loc, type, operands.value...)};
  }
};

// Arithmetic: on integers it wraps, `<<` and `>>` are logical.
Expr operator+(Expr x, Expr y);
Expr operator-(Expr x, Expr y);
Expr operator*(Expr x, Expr y);
Expr operator/(Expr x, Expr y);
Expr operator-(Expr x);
Expr operator&(Expr x, Expr y);
Expr operator|(Expr x, Expr y);
Expr operator^(Expr x, Expr y);
Expr operator<<(Expr x, Expr y);
Expr operator>>(Expr x, Expr y);
/// Arithmetic shift.
Expr shiftSigned(Expr x, Expr y);

/// The high word of the product of two unsigned integers.
Expr highProduct(Expr x, Expr y);

// Comparisons: ordered on floats, signed on integers.
Expr operator<(Expr x, Expr y);
Expr operator<=(Expr x, Expr y);
Expr operator>(Expr x, Expr y);
Expr operator>=(Expr x, Expr y);
Expr operator==(Expr x, Expr y);
Expr operator!=(Expr x, Expr y);
/// Comparison of integers as unsigned ones.
Expr lessUnsigned(Expr x, Expr y);
Expr isNan(Expr x);
/// Not less than, or NaN.
Expr notLess(Expr x, double y);

#define NEREID_EXPR_WITH_NUMBER(op)                                            \
  template <typename N>                                                        \
    requires std::is_arithmetic_v<N>                                           \
  Expr operator op(Expr x, N y) {                                              \
    return x op x.like(y);                                                     \
  }                                                                            \
  template <typename N>                                                        \
    requires std::is_arithmetic_v<N>                                           \
  Expr operator op(N x, Expr y) {                                              \
    return y.like(x) op y;                                                     \
  }
NEREID_EXPR_WITH_NUMBER(+)
NEREID_EXPR_WITH_NUMBER(-)
NEREID_EXPR_WITH_NUMBER(*)
NEREID_EXPR_WITH_NUMBER(/)
NEREID_EXPR_WITH_NUMBER(&)
NEREID_EXPR_WITH_NUMBER(|)
NEREID_EXPR_WITH_NUMBER(^)
NEREID_EXPR_WITH_NUMBER(<<)
NEREID_EXPR_WITH_NUMBER(>>)
NEREID_EXPR_WITH_NUMBER(<)
NEREID_EXPR_WITH_NUMBER(<=)
NEREID_EXPR_WITH_NUMBER(>)
NEREID_EXPR_WITH_NUMBER(>=)
NEREID_EXPR_WITH_NUMBER(==)
NEREID_EXPR_WITH_NUMBER(!=)
#undef NEREID_EXPR_WITH_NUMBER

Expr select(Expr condition, Expr yes, Expr no);
/// The same, where few elements, or none, are `yes` in most programs: a backend
/// may branch around what is computed for it. The operation has the attribute
/// kRareAttribute.
Expr selectRarely(Expr condition, Expr yes, Expr no);
inline Expr select(Expr condition, double yes, Expr no) {
  return select(condition, no.like(yes), no);
}
inline Expr select(Expr condition, Expr yes, double no) {
  return select(condition, yes, yes.like(no));
}

/// x * y + z with one rounding; without an instruction for it, in twice the
/// precision, which is equal except for a few ties and results that underflow.
/// For expansions of functions; roundedMultiplyAdd() is always correct.
Expr fma(Expr x, Expr y, Expr z);
inline Expr fma(Expr x, double y, Expr z) { return fma(x, x.like(y), z); }
inline Expr fma(Expr x, Expr y, double z) { return fma(x, y, x.like(z)); }
inline Expr fma(Expr x, double y, double z) {
  return fma(x, x.like(y), x.like(z));
}
/// x * y + z with one rounding where the target has an instruction for it, else
/// with two: for polynomials, and where the product is exact.
Expr multiplyAdd(Expr x, Expr y, Expr z);
/// The rounding error of x * y, rounded to \p product.
Expr productError(Expr x, Expr y, Expr product);
/// x 2^n with n an integer, 0 where \p condition is false; needs
/// ExpandOptions::hasScale.
Expr scaleIf(Expr condition, Expr x, Expr n);
/// x minus the nearest integer; needs ExpandOptions::hasFraction.
Expr fraction(Expr x);
/// See kExponentSymbol; need ExpandOptions::hasExponents.
Expr exponent(Expr x);
Expr significand(Expr x);
/// The f32 of \p numbers, kTableSize, that the lowest bits of \p index, an
/// i32, number; needs ExpandOptions::hasTables.
Expr lookUp(Expr index, llvm::ArrayRef<float> numbers);
Expr sqrt(Expr x);
Expr exp2(Expr x);
Expr abs(Expr x);
Expr roundEven(Expr x);
/// \p magnitude, which is not negative, with the sign of \p sign.
Expr copySign(Expr magnitude, Expr sign);

/// The bits of a float as an integer, and back.
Expr bits(Expr x);
Expr asFloat(Expr x, mlir::FloatType type);
/// The float of the width of the integer \p x: f32 or f64.
Expr asFloat(Expr x);

/// Another width of the same kind: signed, unsigned, floating-point.
Expr extendSigned(Expr x, unsigned width);
Expr extendUnsigned(Expr x, unsigned width);
Expr truncate(Expr x, unsigned width);
Expr extend(Expr x, mlir::FloatType type);
/// To nearest, ties to even.
Expr truncate(Expr x, mlir::FloatType type);
/// A signed integer as a float of the same width.
Expr toFloat(Expr x);
/// A float as a signed integer of the same width; it must be in range.
Expr toInteger(Expr x);

/// scale * (c[0] + x (c[1] + x (c[2] + ...))): one fma per step, the scale is
/// folded into the constants.
Expr horner(Expr x, llvm::ArrayRef<double> coefficients, double scale = 1.0);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_EXPR_H
