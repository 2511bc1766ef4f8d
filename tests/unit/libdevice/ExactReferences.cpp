// ExactReferences.cpp - functions with one right result: integers, bits,
// arithmetic and conversions in all directions of rounding, by the machine's
// own rounding modes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "References.h"

#include <bit>
#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace nereid::test {

template <typename T> struct TypeName;
template <> struct TypeName<bool> { static constexpr const char *name = "i1"; };
template <> struct TypeName<float> { static constexpr const char *name = "f32"; };
template <> struct TypeName<double> { static constexpr const char *name = "f64"; };
template <> struct TypeName<int32_t> { static constexpr const char *name = "i32"; };
template <> struct TypeName<uint32_t> { static constexpr const char *name = "i32"; };
template <> struct TypeName<int64_t> { static constexpr const char *name = "i64"; };
template <> struct TypeName<uint64_t> { static constexpr const char *name = "i64"; };

template <typename T> static T read(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

using References = std::map<std::string, ExactReference>;

template <typename Result, typename... Operands, typename F>
static ExactReference wrap(F f, Result (F::*)(Operands...) const) {
  auto apply = [f](const char *const *operands, char *out) {
    size_t i = 0;
    // Braces evaluate from left to right.
    std::tuple<Operands...> values{read<Operands>(operands[i++])...};
    auto result = std::apply(f, values);
    if constexpr (std::is_same_v<Result, bool>) {
      int32_t word = result;
      std::memcpy(out, &word, sizeof word);
    } else {
      std::memcpy(out, &result, sizeof result);
    }
  };
  return {TypeName<Result>::name, {TypeName<Operands>::name...}, apply};
}

/// Adds \p f, a lambda whose types are those of the function.
template <typename F>
static void add(References &all, const std::string &symbol, F f) {
  all["__nv_" + symbol] = wrap(f, &F::operator());
}

/// Sets a direction of rounding for as long as it lives.
class Toward {
public:
  explicit Toward(int mode) : before(std::fegetround()) {
    std::fesetround(mode);
  }
  ~Toward() { std::fesetround(before); }

private:
  int before;
};

static const std::pair<const char *, int> kModes[] = {{"_rn", FE_TONEAREST},
                                                      {"_rz", FE_TOWARDZERO},
                                                      {"_rd", FE_DOWNWARD},
                                                      {"_ru", FE_UPWARD}};

template <typename T>
static void addArithmetic(References &all, const std::string &prefix) {
  for (auto [suffix, mode] : kModes) {
    // Operands are volatile: nothing is computed in another mode.
    add(all, prefix + "add" + suffix, [mode = mode](T x, T y) {
      Toward toward(mode);
      volatile T a = x, b = y, r = a + b;
      return T(r);
    });
    add(all, prefix + "sub" + suffix, [mode = mode](T x, T y) {
      Toward toward(mode);
      volatile T a = x, b = y, r = a - b;
      return T(r);
    });
    add(all, prefix + "mul" + suffix, [mode = mode](T x, T y) {
      Toward toward(mode);
      volatile T a = x, b = y, r = a * b;
      return T(r);
    });
    add(all, prefix + "div" + suffix, [mode = mode](T x, T y) {
      Toward toward(mode);
      volatile T a = x, b = y, r = a / b;
      return T(r);
    });
    add(all, prefix + "rcp" + suffix, [mode = mode](T x) {
      Toward toward(mode);
      volatile T a = x, one = 1, r = one / a;
      return T(r);
    });
    add(all, prefix + "sqrt" + suffix, [mode = mode](T x) {
      Toward toward(mode);
      volatile T a = x, r = std::sqrt(a);
      return T(r);
    });
    std::string fma = sizeof(T) == 4 ? "fmaf" : "fma";
    auto fused = [mode = mode](T x, T y, T z) {
      Toward toward(mode);
      volatile T a = x, b = y, c = z, r = std::fma(a, b, c);
      return T(r);
    };
    add(all, fma + suffix, fused);
    if (mode == FE_TONEAREST)
      add(all, fma, fused);
  }
}

// Saturated; NaN is 0, or the upper bit if a type has 64 bits.
template <typename To, typename From>
static To toInteger(From x, int mode) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(x))
    return sizeof(To) == 8 || sizeof(From) == 8
               ? To(uint64_t(1) << (8 * sizeof(To) - 1))
               : To(0);
  Toward toward(mode);
  volatile long double wide = x, whole = std::nearbyint(wide);
  if (whole <= static_cast<long double>(Limits::min()))
    return Limits::min();
  if (whole >= static_cast<long double>(Limits::max()))
    return Limits::max();
  return static_cast<To>(whole);
}

template <typename To, typename From>
static void addConversions(References &all, const std::string &name) {
  for (auto [suffix, mode] : kModes)
    add(all, name + suffix, [mode = mode](From x) {
      if constexpr (std::is_integral_v<To>) {
        return toInteger<To>(x, mode);
      } else {
        // Every integer and f64 is a long double.
        Toward toward(mode);
        volatile long double wide = x;
        volatile To result = static_cast<To>(wide);
        return To(result);
      }
    });
}

template <typename Float>
static void addOfFloat(References &all, const std::string &name) {
  addConversions<int32_t, Float>(all, name + "2int");
  addConversions<uint32_t, Float>(all, name + "2uint");
  addConversions<int64_t, Float>(all, name + "2ll");
  addConversions<uint64_t, Float>(all, name + "2ull");
  addConversions<Float, int32_t>(all, "int2" + name);
  addConversions<Float, uint32_t>(all, "uint2" + name);
  addConversions<Float, int64_t>(all, "ll2" + name);
  addConversions<Float, uint64_t>(all, "ull2" + name);
}

static uint32_t permuted(uint32_t x, uint32_t y, uint32_t selector) {
  uint64_t bytes = uint64_t(y) << 32 | x;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t digit = selector >> (4 * i) & 15;
    uint32_t byte = bytes >> (8 * (digit & 7)) & 255;
    if (digit & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

template <typename T> static T reversed(T x) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= (x >> i & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}

static void addIntegers(References &all) {
  __extension__ using Wide = __int128;
  __extension__ using UnsignedWide = unsigned __int128;
  add(all, "clz", [](uint32_t x) { return std::countl_zero(x); });
  add(all, "clzll", [](uint64_t x) { return std::countl_zero(x); });
  add(all, "popc", [](uint32_t x) { return std::popcount(x); });
  add(all, "popcll", [](uint64_t x) { return std::popcount(x); });
  add(all, "ffs", [](int32_t x) { return __builtin_ffs(x); });
  add(all, "ffsll", [](int64_t x) { return __builtin_ffsll(x); });
  add(all, "brev", [](uint32_t x) { return reversed(x); });
  add(all, "brevll", [](uint64_t x) { return reversed(x); });
  add(all, "byte_perm", [](uint32_t x, uint32_t y, uint32_t s) {
    return permuted(x, y, s);
  });
  add(all, "mulhi",
      [](int32_t x, int32_t y) { return int32_t(int64_t(x) * y >> 32); });
  add(all, "umulhi",
      [](uint32_t x, uint32_t y) { return uint32_t(uint64_t(x) * y >> 32); });
  add(all, "mul64hi",
      [](int64_t x, int64_t y) { return int64_t(Wide(x) * y >> 64); });
  add(all, "umul64hi", [](uint64_t x, uint64_t y) {
    return uint64_t(UnsignedWide(x) * y >> 64);
  });
  add(all, "mul24", [](int32_t x, int32_t y) {
    auto lower = [](int32_t v) { return int32_t(uint32_t(v) << 8) >> 8; };
    return int32_t(int64_t(lower(x)) * lower(y));
  });
  add(all, "umul24", [](uint32_t x, uint32_t y) {
    return (x & 0xffffff) * (y & 0xffffff);
  });
  add(all, "sad", [](int32_t x, int32_t y, uint32_t z) {
    return uint32_t(std::abs(int64_t(x) - y)) + z;
  });
  add(all, "usad", [](uint32_t x, uint32_t y, uint32_t z) {
    return uint32_t(std::abs(int64_t(x) - y)) + z;
  });
  add(all, "hadd",
      [](int32_t x, int32_t y) { return int32_t((int64_t(x) + y) >> 1); });
  add(all, "uhadd",
      [](uint32_t x, uint32_t y) { return uint32_t((uint64_t(x) + y) >> 1); });
  add(all, "rhadd",
      [](int32_t x, int32_t y) { return int32_t((int64_t(x) + y + 1) >> 1); });
  add(all, "urhadd", [](uint32_t x, uint32_t y) {
    return uint32_t((uint64_t(x) + y + 1) >> 1);
  });
  add(all, "abs", [](int32_t x) { return x < 0 ? 0 - uint32_t(x) : uint32_t(x); });
  add(all, "llabs",
      [](int64_t x) { return x < 0 ? 0 - uint64_t(x) : uint64_t(x); });
}

// What both types have, whose names end in an f for f32.
template <typename T>
static void addBoth(References &all, const std::string &f,
                    const std::string &d) {
  add(all, "fabs" + f, [](T x) { return std::fabs(x); });
  add(all, "isnan" + d, [](T x) { return std::isnan(x); });
  add(all, "isinf" + d, [](T x) { return std::isinf(x); });
  add(all, "signbit" + d, [](T x) { return int32_t(std::signbit(x)); });
  add(all, "copysign" + f, [](T x, T y) { return std::copysign(x, y); });
  add(all, "nextafter" + f, [](T x, T y) { return std::nextafter(x, y); });
  add(all, "ldexp" + f, [](T x, int32_t n) { return std::ldexp(x, n); });
  add(all, "scalbn" + f, [](T x, int32_t n) { return std::scalbn(x, n); });
  add(all, "logb" + f, [](T x) { return std::logb(x); });
  add(all, "ilogb" + f, [](T x) {
    return std::isnan(x) || x == 0 ? INT_MIN : std::ilogb(x);
  });
  add(all, "floor" + f, [](T x) { return std::floor(x); });
  add(all, "ceil" + f, [](T x) { return std::ceil(x); });
  add(all, "trunc" + f, [](T x) { return std::trunc(x); });
  add(all, "round" + f, [](T x) { return std::round(x); });
  add(all, "rint" + f, [](T x) { return std::rint(x); });
  add(all, "nearbyint" + f, [](T x) { return std::nearbyint(x); });
  add(all, "llrint" + f,
      [](T x) { return toInteger<int64_t>(x, FE_TONEAREST); });
  add(all, "llround" + f, [](T x) {
    return toInteger<int64_t>(std::round(x), FE_TOWARDZERO);
  });
  add(all, "sqrt" + f, [](T x) { return std::sqrt(x); });
  add(all, "fmod" + f, [](T x, T y) { return std::fmod(x, y); });
  // Not every C library gives a zero the sign of x.
  add(all, "remainder" + f, [](T x, T y) {
    T rest = std::remainder(x, y);
    return rest == 0 ? std::copysign(rest, x) : rest;
  });
  add(all, "fdim" + f, [](T x, T y) { return std::fdim(x, y); });
  // Signalling NaN is a NaN like others.
  add(all, "fmax" + f, [](T x, T y) { return x >= y || y != y ? x : y; });
  add(all, "fmin" + f, [](T x, T y) { return x <= y || y != y ? x : y; });
}

static void addBits(References &all) {
  add(all, "int_as_float", [](int32_t x) { return std::bit_cast<float>(x); });
  add(all, "uint_as_float", [](uint32_t x) { return std::bit_cast<float>(x); });
  add(all, "longlong_as_double",
      [](int64_t x) { return std::bit_cast<double>(x); });
  add(all, "float_as_int", [](float x) { return std::bit_cast<int32_t>(x); });
  add(all, "float_as_uint", [](float x) { return std::bit_cast<uint32_t>(x); });
  add(all, "double_as_longlong",
      [](double x) { return std::bit_cast<int64_t>(x); });
  add(all, "hiloint2double", [](uint32_t high, uint32_t low) {
    return std::bit_cast<double>(uint64_t(high) << 32 | low);
  });
  add(all, "double2loint",
      [](double x) { return uint32_t(std::bit_cast<uint64_t>(x)); });
  add(all, "double2hiint",
      [](double x) { return uint32_t(std::bit_cast<uint64_t>(x) >> 32); });
  add(all, "finitef", [](float x) { return std::isfinite(x); });
  add(all, "isfinited", [](double x) { return std::isfinite(x); });
  add(all, "saturatef", [](float x) { return x > 0 ? std::fmin(x, 1.0f) : 0.0f; });
  add(all, "fast_fdividef", [](float x, float y) { return x / y; });
  add(all, "frsqrt_rn", [](float x) {
    return static_cast<float>(1 / std::sqrt(static_cast<long double>(x)));
  });
  add(all, "rcp64h", [](double x) {
    auto flush = [](double v) {
      return std::fabs(v) < std::numeric_limits<double>::min()
                 ? std::copysign(0.0, v)
                 : v;
    };
    double result = flush(1 / flush(x));
    return std::bit_cast<double>(std::bit_cast<uint64_t>(result) >> 32 << 32);
  });
}

References exactReferences() {
  References all;
  addIntegers(all);
  addBits(all);
  addBoth<float>(all, "f", "f");
  addBoth<double>(all, "", "d");
  addArithmetic<float>(all, "f");
  addArithmetic<double>(all, "d");
  addOfFloat<float>(all, "float");
  addOfFloat<double>(all, "double");
  addConversions<float, double>(all, "double2float");
  return all;
}

} // namespace nereid::test
