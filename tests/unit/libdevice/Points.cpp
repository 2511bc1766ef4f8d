// Points.cpp - arguments at which functions are tried.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Points.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace nereid::test {

using Random = std::mt19937_64;

/// Ends of ranges, zeros of functions, and where they change their methods.
static constexpr double kSpecial[] = {
    0.0,   0.25,  0.5,      1.0,       1.5,      2.0,       2.5,    3.0,
    4.0,   8.0,   16.0,     0.75,      0.6,      0.921875,  9.0,    10.0,
    26.6,  28.0,  38.5,     88.73,     103.97,   149.0,     128.0,  308.25,
    38.53, 44.85, 709.78,   745.13,    713.98,   1024.0,    1074.0, 0.8935769662791675,
    91.9,  1e5,   3.9576784, 7.0860510, 2.1971413, 5.4296810, 2.4048255576957729,
    5.520078110286311, 3.8317059702075125, 7.015586669815619,
    0x1p31, 0x1p32, 0x1p63, 0x1p64, 0x1p24, 0x1p53, 0x1p-126, 0x1p-149,
    0x1p-1022, 0x1p-1074, 0x1p-900, 0x1p512, 171.6, 35.04, 27.3};

template <typename T> static T neighbour(T x, int steps) {
  T toward = steps < 0 ? -std::numeric_limits<T>::infinity()
                       : std::numeric_limits<T>::infinity();
  for (int i = std::abs(steps); i > 0; --i)
    x = std::nextafter(x, toward);
  return x;
}

template <typename T, typename Bits> static T number(Random &random) {
  auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  uint64_t kind = random() % 16;
  if (kind < 5)
    return std::bit_cast<T>(Bits(random()));
  if (kind < 7)
    return T(uniform(-1.5, 2.5));
  if (kind < 9)
    return T(uniform(-30, 30));
  if (kind < 11)
    return T(std::exp2(uniform(-70, 70)) * (random() % 2 ? 1 : -1));
  if (kind == 11)
    return T(std::exp2(uniform(-12, 12)));
  if (kind == 12)
    return T(int64_t(random() % 401) - 200) * T(0.5);
  if (kind == 13) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const T ends[] = {0, T(-0.0), kInfinity, -kInfinity, T(NAN),
                      std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::denorm_min()};
    return ends[random() % std::size(ends)];
  }
  T special = T(kSpecial[random() % std::size(kSpecial)]);
  special = neighbour(special, int(random() % 9) - 4);
  return random() % 2 ? special : -special;
}

// One in four is nearly the operand before, or its negative.
template <typename T, typename Bits>
static Bytes numbers(Random &random, size_t count, const Bytes *before) {
  Bytes bytes(count * sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    T x = number<T, Bits>(random);
    if (before && before->size() == bytes.size() && random() % 4 == 0) {
      std::memcpy(&x, before->data() + i * sizeof(T), sizeof x);
      x = neighbour(x, int(random() % 5) - 2);
      x = random() % 2 ? x : -x;
    }
    std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof x);
  }
  return bytes;
}

template <typename T> static Bytes integers(Random &random, size_t count) {
  Bytes bytes(count * sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    const T ends[] = {0, 1, -1, std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max()};
    uint64_t kind = random() % 8;
    T n = T(random());
    if (kind < 3)
      n = T(int64_t(random() % 81) - 40);
    else if (kind == 3)
      n = T(int64_t(random() % 2401) - 1200);
    else if (kind == 4)
      n = ends[random() % std::size(ends)];
    else if (kind == 5) // of any length
      n = T(uint64_t(n) >> (random() % (8 * sizeof(T))));
    std::memcpy(bytes.data() + i * sizeof(T), &n, sizeof n);
  }
  return bytes;
}

std::vector<Bytes> pointsFor(const ListedFunction &function, size_t count) {
  Random random(1);
  std::vector<Bytes> operands;
  for (const std::string &type : function.operands) {
    const Bytes *before = operands.empty() ? nullptr : &operands.back();
    if (type == "f32")
      operands.push_back(numbers<float, uint32_t>(random, count, before));
    else if (type == "f64")
      operands.push_back(numbers<double, uint64_t>(random, count, before));
    else if (type == "i32")
      operands.push_back(integers<int32_t>(random, count));
    else
      operands.push_back(integers<int64_t>(random, count));
  }
  return operands;
}

} // namespace nereid::test
