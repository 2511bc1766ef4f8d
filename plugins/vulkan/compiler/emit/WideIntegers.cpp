// WideIntegers.cpp - 64-bit integers as pairs of words.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "DeviceBuilder.h"
#include "spirv/Fold.h"

#include "llvm/ADT/bit.h"

#include <cmath>

namespace nereid::vulkan {

DeviceBuilder::DeviceBuilder(const DeviceModel &device)
    : hasI8(device.has("i8")), hasI16(device.has("i16")),
      hasF16(device.has("f16") && hasI16), hasStorage8(device.has("storage8")),
      hasStorage16(device.has("storage16")) {
  if (!device.has("i64"))
    pair = vectorType(intType(32), 2);
}

// Pairs.

Id DeviceBuilder::makePair(Id low, Id high) {
  std::optional<uint64_t> lower = constantBits(low), upper = constantBits(high);
  if (lower && upper)
    return constant(pair, *lower | *upper << 32);
  Id made = construct(pair, {low, high});
  halves[made.number] = {low, high};
  return made;
}

DeviceBuilder::Halves DeviceBuilder::halvesOf(Id x) {
  auto known = halves.find(x.number);
  if (known != halves.end())
    return known->second;
  return {extract(x, {0}), extract(x, {1})};
}

Id DeviceBuilder::lowOf(Id x) { return isPair(x) ? halvesOf(x).low : x; }

Id DeviceBuilder::constant(TypeId type, uint64_t bits) {
  if (!isPair(type))
    return Builder::constant(type, bits);
  Halves words = {u32(uint32_t(bits)), u32(uint32_t(bits >> 32))};
  Id made = constantComposite(type, {words.low, words.high});
  halves[made.number] = words;
  pairs[made.number] = bits;
  return made;
}

std::optional<uint64_t> DeviceBuilder::constantBits(Id id) const {
  auto known = pairs.find(id.number);
  return known == pairs.end() ? Builder::constantBits(id)
                              : std::optional(known->second);
}

Id DeviceBuilder::foldPairs(spv::Op op, Id x, Id y) {
  std::optional<spirv::Folded> folded =
      spirv::fold(op, 64, constantBits(x), constantBits(y));
  if (!folded)
    return {};
  switch (folded->result) {
  case spirv::FoldRule::Left:
    return x;
  case spirv::FoldRule::Right:
    return y;
  case spirv::FoldRule::Computed:
    return constant(pair, folded->bits);
  }
  return {};
}

// Sums and products.

Id DeviceBuilder::add(Id x, Id y) {
  if (Id known = foldPairs(spv::Op::OpIAdd, x, y))
    return known;
  Halves left = halvesOf(x), right = halvesOf(y);
  Id low = iadd(left.low, right.low);
  Id high = iadd(left.high, right.high);
  if (constantBits(left.low) != 0 && constantBits(right.low) != 0)
    high = iadd(high, select(ult(low, left.low), u32(1), u32(0)));
  return makePair(low, high);
}

Id DeviceBuilder::subtract(Id x, Id y) {
  if (Id known = foldPairs(spv::Op::OpISub, x, y))
    return known;
  Halves left = halvesOf(x), right = halvesOf(y);
  Id borrow = select(ult(left.low, right.low), u32(1), u32(0));
  return makePair(isub(left.low, right.low),
                  isub(isub(left.high, right.high), borrow));
}

Id DeviceBuilder::multiply(Id x, Id y) {
  if (Id known = foldPairs(spv::Op::OpIMul, x, y))
    return known;
  for (auto [number, factor] : {std::pair(x, y), std::pair(y, x)})
    if (auto bits = constantBits(factor); bits && llvm::has_single_bit(*bits))
      return shl(number, u32(llvm::countr_zero(*bits)));
  Halves left = halvesOf(x), right = halvesOf(y);
  Id low = Builder::umulExtended(left.low, right.low);
  Id cross = iadd(imul(left.low, right.high), imul(left.high, right.low));
  return makePair(extract(low, {0}), iadd(extract(low, {1}), cross));
}

/// A struct of the low and the high half of the product of pairs.
Id DeviceBuilder::productOf(Id x, Id y, bool isSigned) {
  Halves left = halvesOf(x), right = halvesOf(y);
  auto product = [&](Id a, Id c) {
    Id both = Builder::umulExtended(a, c);
    return makePair(extract(both, {0}), extract(both, {1}));
  };
  auto widened = [&](Id word) { return makePair(word, u32(0)); };
  Id lowest = product(left.low, right.low);
  // Neither sum has a carry: (2^32 - 1)^2 + 2 * (2^32 - 1) is below 2^64.
  Id middle =
      add(product(left.high, right.low), widened(halvesOf(lowest).high));
  Id other = add(product(left.low, right.high), widened(halvesOf(middle).low));
  Id upper =
      add(product(left.high, right.high),
          add(widened(halvesOf(middle).high), widened(halvesOf(other).high)));
  if (isSigned) {
    // A negative number is counted 2^64 too high.
    Id zero = constant(pair, 0);
    upper = subtract(upper, select(slt(x, zero), y, zero));
    upper = subtract(upper, select(slt(y, zero), x, zero));
  }
  Id lower = makePair(halvesOf(lowest).low, halvesOf(other).low);
  return construct(structType({pair, pair}), {lower, upper});
}

Id DeviceBuilder::umulExtended(Id x, Id y) {
  return isPair(x) ? productOf(x, y, false) : Builder::umulExtended(x, y);
}

Id DeviceBuilder::smulExtended(Id x, Id y) {
  return isPair(x) ? productOf(x, y, true) : Builder::smulExtended(x, y);
}

// Bits.

Id DeviceBuilder::bitwise(spv::Op op, Id x, Id y) {
  if (Id known = foldPairs(op, x, y))
    return known;
  auto apply = [&](Id a, Id c) {
    switch (op) {
    case spv::Op::OpBitwiseAnd:
      // All bits: a mask of an aligned address.
      return constantBits(c) == 0xffffffffu ? a : Builder::bitAnd(a, c);
    case spv::Op::OpBitwiseOr:
      return Builder::bitOr(a, c);
    default:
      return Builder::bitXor(a, c);
    }
  };
  Halves left = halvesOf(x), right = halvesOf(y);
  return makePair(apply(left.low, right.low), apply(left.high, right.high));
}

Id DeviceBuilder::bitAnd(Id x, Id y) {
  return isPair(x) ? bitwise(spv::Op::OpBitwiseAnd, x, y)
                   : Builder::bitAnd(x, y);
}

Id DeviceBuilder::bitOr(Id x, Id y) {
  return isPair(x) ? bitwise(spv::Op::OpBitwiseOr, x, y) : Builder::bitOr(x, y);
}

Id DeviceBuilder::bitXor(Id x, Id y) {
  return isPair(x) ? bitwise(spv::Op::OpBitwiseXor, x, y)
                   : Builder::bitXor(x, y);
}

// Shifts of a word by 32 are undefined: what crosses from one word to the other
// is shifted twice, by 1 and by 31 - amount.

Id DeviceBuilder::shl(Id x, Id amount) {
  amount = lowOf(amount);
  if (!isPair(x))
    return Builder::shl(x, amount);
  if (Id known = foldPairs(spv::Op::OpShiftLeftLogical, x, amount))
    return known;
  auto [low, high] = halvesOf(x);
  amount = uconvert(amount, intType(32));
  if (auto bits = constantBits(amount)) {
    if (*bits >= 32)
      return makePair(u32(0), Builder::shl(low, u32(*bits & 31)));
    return makePair(Builder::shl(low, amount),
                    Builder::bitOr(Builder::shl(high, amount),
                                   Builder::lshr(low, u32(32 - *bits))));
  }
  Id isFar = uge(amount, u32(32)), inWord = bitAnd(amount, u32(31));
  Id shifted = Builder::shl(low, inWord);
  Id crossing =
      Builder::lshr(Builder::lshr(low, u32(1)), bitXor(inWord, u32(31)));
  Id upper = bitOr(Builder::shl(high, inWord), crossing);
  return makePair(select(isFar, u32(0), shifted),
                  select(isFar, shifted, upper));
}

Id DeviceBuilder::shiftRight(Id x, Id amount, bool isSigned) {
  auto [low, high] = halvesOf(x);
  auto right = [&](Id word, Id by) {
    return isSigned ? Builder::ashr(word, by) : Builder::lshr(word, by);
  };
  amount = uconvert(amount, intType(32));
  auto filled = [&, high = high] {
    return isSigned ? Builder::ashr(high, u32(31)) : u32(0);
  };
  if (auto bits = constantBits(amount)) {
    if (*bits >= 32)
      return makePair(right(high, u32(*bits & 31)), filled());
    return makePair(Builder::bitOr(Builder::lshr(low, amount),
                                   Builder::shl(high, u32(32 - *bits))),
                    right(high, amount));
  }
  Id isFar = uge(amount, u32(32)), inWord = bitAnd(amount, u32(31));
  Id shifted = right(high, inWord);
  Id crossing =
      Builder::shl(Builder::shl(high, u32(1)), bitXor(inWord, u32(31)));
  Id lower = bitOr(Builder::lshr(low, inWord), crossing);
  return makePair(select(isFar, shifted, lower),
                  select(isFar, filled(), shifted));
}

Id DeviceBuilder::lshr(Id x, Id amount) {
  amount = lowOf(amount);
  if (!isPair(x))
    return Builder::lshr(x, amount);
  Id known = foldPairs(spv::Op::OpShiftRightLogical, x, amount);
  return known ? known : shiftRight(x, amount, false);
}

Id DeviceBuilder::ashr(Id x, Id amount) {
  amount = lowOf(amount);
  if (!isPair(x))
    return Builder::ashr(x, amount);
  Id known = foldPairs(spv::Op::OpShiftRightArithmetic, x, amount);
  return known ? known : shiftRight(x, amount, true);
}

Id DeviceBuilder::countLeadingZeros(Id x) {
  auto [low, high] = halvesOf(x);
  // -1 if no bit is set.
  Id inLow = isub(u32(63), glsl(GLSLstd450FindUMsb, {low}));
  Id inHigh = isub(u32(31), glsl(GLSLstd450FindUMsb, {high}));
  return select(ieq(high, u32(0)), inLow, inHigh);
}

// Comparisons.

Id DeviceBuilder::ieq(Id x, Id y) {
  if (!isPair(x))
    return Builder::ieq(x, y);
  Halves left = halvesOf(x), right = halvesOf(y);
  return logicalAnd(ieq(left.low, right.low), ieq(left.high, right.high));
}

Id DeviceBuilder::ult(Id x, Id y) {
  if (!isPair(x))
    return Builder::ult(x, y);
  Halves left = halvesOf(x), right = halvesOf(y);
  return logicalOr(
      ult(left.high, right.high),
      logicalAnd(ieq(left.high, right.high), ult(left.low, right.low)));
}

Id DeviceBuilder::slt(Id x, Id y) {
  if (!isPair(x))
    return Builder::slt(x, y);
  Halves left = halvesOf(x), right = halvesOf(y);
  return logicalOr(
      slt(left.high, right.high),
      logicalAnd(ieq(left.high, right.high), ult(left.low, right.low)));
}

// Division.

DeviceBuilder::Division DeviceBuilder::divideUnsigned(Id x, Id y) {
  if (auto bits = constantBits(y); bits && llvm::has_single_bit(*bits))
    return {lshr(x, u32(llvm::countr_zero(*bits))),
            bitAnd(x, constant(pair, *bits - 1))};
  if (!division)
    division = declareFunction(vectorType(intType(32), 4), {pair, pair});
  Id both = call(division, {x, y});
  return {makePair(extract(both, {0}), extract(both, {1})),
          makePair(extract(both, {2}), extract(both, {3}))};
}

Id DeviceBuilder::magnitudeOf(Id x) {
  return select(slt(x, constant(pair, 0)), ineg(x), x);
}

DeviceBuilder::Division DeviceBuilder::divideSigned(Id x, Id y) {
  Id zero = constant(pair, 0);
  auto [quotient, rest] = divideUnsigned(magnitudeOf(x), magnitudeOf(y));
  Id differ = slt(bitXor(x, y), zero);
  return {select(differ, ineg(quotient), quotient),
          select(slt(x, zero), ineg(rest), rest)};
}

void DeviceBuilder::finish() {
  if (division)
    emitDivision();
}

/// The words of the quotient, then those of the rest. A bit of the quotient for
/// each round of long division, from the first that can be set.
void DeviceBuilder::emitDivision() {
  setLocation({});
  beginFunction(division);
  Id dividend = parameter(division, 0), divisor = parameter(division, 1);
  TypeId four = vectorType(intType(32), 4);
  Halves left = halvesOf(dividend), right = halvesOf(divisor);
  beginIf(ieq(bitOr(left.high, right.high), u32(0)));
  Id inWords = construct(four, {udiv(left.low, right.low), u32(0),
                                umod(left.low, right.low), u32(0)});
  beginElse();
  Id places = isub(countLeadingZeros(divisor), countLeadingZeros(dividend));
  Id isLess = slt(places, u32(0));
  Id start = shl(divisor, select(isLess, u32(0), places));
  Id rounds = select(isLess, u32(0), iadd(places, u32(1)));
  spirv::Carried state =
      beginLoop({rounds, start, constant(pair, 0), dividend});
  loopCondition(ine(state[0], u32(0)));
  Id shifted = state[1], rest = state[3];
  Id fits = uge(rest, shifted);
  Halves bits = halvesOf(shl(state[2], u32(1)));
  Id quotient =
      makePair(bitOr(bits.low, select(fits, u32(1), u32(0))), bits.high);
  endLoop({isub(state[0], u32(1)), lshr(shifted, u32(1)), quotient,
           select(fits, subtract(rest, shifted), rest)});
  Halves whole = halvesOf(state[2]), over = halvesOf(state[3]);
  Id inPairs = construct(four, {whole.low, whole.high, over.low, over.high});
  ret(merged(endIf(), inWords, inPairs));
  endFunction();
}

// Conversions.

Id DeviceBuilder::uconvert(Id x, TypeId to) {
  if (typeOf(x) == to)
    return x;
  if (isPair(to))
    return makePair(Builder::uconvert(x, intType(32)), u32(0));
  return Builder::uconvert(lowOf(x), to);
}

Id DeviceBuilder::sconvert(Id x, TypeId to) {
  if (typeOf(x) == to)
    return x;
  if (!isPair(to))
    return Builder::sconvert(lowOf(x), to);
  Id low = Builder::sconvert(x, intType(32));
  if (auto bits = constantBits(low))
    return constant(to, uint64_t(int64_t(int32_t(*bits))));
  return makePair(low, ashr(low, u32(31)));
}

/// 2^32 and its inverse in a type of floats.
static Id scaleOf(spirv::Builder &b, TypeId type, int exponent) {
  double scale = std::ldexp(1.0, exponent);
  return spirv::bitsOf(b.type(type).scalar) == 64 ? b.f64(scale)
                                                  : b.f32(float(scale));
}

Id DeviceBuilder::convertFToU(Id x, TypeId to) {
  if (!isPair(to))
    return Builder::convertFToU(x, to);
  // All steps are exact.
  TypeId type = typeOf(x), word = intType(32);
  Id scaled = fmul(x, scaleOf(*this, type, -32));
  Id high = Builder::convertFToU(scaled, word);
  Id upper = fmul(Builder::convertUToF(high, type), scaleOf(*this, type, 32));
  return makePair(Builder::convertFToU(fsub(x, upper), word), high);
}

Id DeviceBuilder::convertFToS(Id x, TypeId to) {
  if (!isPair(to))
    return Builder::convertFToS(x, to);
  Id isNegative = fcmp(spv::Op::OpFOrdLessThan, x, null(typeOf(x)));
  Id magnitude = convertFToU(select(isNegative, fneg(x), x), to);
  return select(isNegative, ineg(magnitude), magnitude);
}

Id DeviceBuilder::convertUToF(Id x, TypeId to) {
  if (!isPair(x))
    return Builder::convertUToF(x, to);
  auto [low, high] = halvesOf(x);
  if (spirv::bitsOf(type(to).scalar) == 64) {
    Id upper = fmul(Builder::convertUToF(high, to), scaleOf(*this, to, 32));
    return fadd(upper, Builder::convertUToF(low, to));
  }
  // The first 32 digits decide the result together with a bit that is set if
  // any digit follows.
  Id zeros = Builder::isub(u32(31), glsl(GLSLstd450FindUMsb, {high}));
  Halves digits = halvesOf(shl(x, bitAnd(zeros, u32(31))));
  Id follows = select(ieq(digits.low, u32(0)), u32(0), u32(1));
  Id number = Builder::convertUToF(bitOr(digits.high, follows), to);
  // 2^(32 - zeros), by its exponent.
  Id exponent = shl(isub(u32(127 + 32), zeros), u32(23));
  Id large = fmul(number, bitcast(exponent, to));
  return select(ieq(high, u32(0)), Builder::convertUToF(low, to), large);
}

Id DeviceBuilder::convertSToF(Id x, TypeId to) {
  if (!isPair(x))
    return Builder::convertSToF(x, to);
  Id magnitude = convertUToF(magnitudeOf(x), to);
  return select(slt(x, constant(pair, 0)), fneg(magnitude), magnitude);
}

Id DeviceBuilder::convertUToPtr(Id address, TypeId pointer) {
  return isPair(address) ? bitcast(address, pointer)
                         : Builder::convertUToPtr(address, pointer);
}

} // namespace nereid::vulkan
