// Sweep.cpp - a function over many inputs, and its largest error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

namespace nereid::test {

static constexpr double kWrong = std::numeric_limits<double>::infinity();

/// The distance in units of the last place, kWrong for a wrong special value.
static double errorOf(float got, double exact) {
  auto rounded = static_cast<float>(exact);
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : kWrong;
  if (std::isinf(exact) || exact == 0)
    return got == rounded && std::signbit(got) == std::signbit(rounded)
               ? 0
               : kWrong;
  if (std::isinf(got) && std::isinf(rounded) && (got > 0) == (rounded > 0))
    return 0;
  // At the largest numbers infinity is the one after them.
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  if (value != 0 && (value > 0) != (exact > 0))
    return kWrong;
  int exponent = std::max(std::ilogb(exact), -126);
  return std::fabs(value - exact) /
         std::ldexp(1.0, std::min(exponent, 127) - 23);
}

void SweepResult::add(const SweepResult &other) {
  if (other.error > error) {
    error = other.error;
    worst = other.worst;
  }
  if (wrong == 0)
    firstWrong = other.firstWrong;
  wrong += other.wrong;
}

std::vector<uint32_t> nearSpecialPoints() {
  constexpr int32_t kNear = 2000;
  std::vector<uint32_t> points;
  auto add = [&](float centre) {
    for (float x : {centre, -centre})
      for (int32_t step = -kNear; step <= kNear; ++step)
        points.push_back(std::bit_cast<uint32_t>(x) + uint32_t(step));
  };
  // Zero, the ends of subnormal and finite numbers; borders of expansions;
  // where functions overflow, underflow and are 1.
  for (float x : {0.0f,        0x1p-126f,   std::numeric_limits<float>::max(),
                  1.0f,        0.5f,        0.6f,
                  0.921875f,   1.0f / 3,    2.0f / 3,
                  0.25f,       3.95f,       87.33655f,
                  88.72284f,   89.41599f,   103.97208f,
                  126.0f,      128.0f,      149.0f,
                  150.0f,      38.53184f,   45.0f,
                  9.382f,      10.055f,     14.17f,
                  16.63f,      35.0401f,    171.6f,
                  0.70710678f, 1.41421356f, 65536.0f,
                  0x1p23f,     0x1p24f,     0x1p30f,
                  0x1p31f,     0x1p32f,     0x1p63f,
                  0x1p64f,     2.4048256f,  5.5200781f,
                  3.8317060f,  7.0155867f})
    add(x);
  for (int quarters = 1; quarters <= 8; ++quarters)
    add(float(quarters * 0.7853981633974483));
  return points;
}

/// Calls \p compare(begin, end, inputs, results) in parallel on the parts of
/// each batch of inputs.
template <typename Compare>
static SweepResult overAll(const ExternKernel &kernel, uint64_t stride,
                           Compare compare) {
  constexpr uint64_t kEnd = uint64_t(1) << 32;
  constexpr size_t kBatch = size_t(1) << 22;
  std::vector<uint32_t> patterns;
  if (stride > 1)
    patterns = nearSpecialPoints();
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  SweepResult total;
  for (uint64_t next = 0; next < kEnd || !patterns.empty();) {
    for (; patterns.size() < kBatch && next < kEnd; next += stride)
      patterns.push_back(uint32_t(next));
    size_t count = patterns.size();
    patterns.resize((count + ExternKernel::kBlock - 1) / ExternKernel::kBlock *
                    ExternKernel::kBlock);
    Bytes inputs(patterns.size() * sizeof(float));
    std::memcpy(inputs.data(), patterns.data(), inputs.size());
    Bytes results = kernel.run({inputs}, patterns.size());
    std::vector<SweepResult> parts(threads);
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        parts[i] = compare(count * i / threads, count * (i + 1) / threads,
                           inputs.data(), results.data());
      });
    for (std::thread &worker : workers)
      worker.join();
    for (const SweepResult &part : parts)
      total.add(part);
    patterns.clear();
  }
  return total;
}

template <typename T> static T elementAt(const char *bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof value, sizeof value);
  return value;
}

SweepResult sweep(const ExternKernel &kernel, const AccurateFunction &function,
                  uint64_t stride) {
  return overAll(
      kernel, stride,
      [&](size_t begin, size_t end, const char *inputs, const char *results) {
        SweepResult result;
        for (size_t i = begin; i < end; ++i) {
          auto x = elementAt<float>(inputs, i),
               got = elementAt<float>(results, i);
          double exact = function.exact(x, got);
          double error = errorOf(got, exact);
          if (error == kWrong) {
            if (result.wrong++ == 0)
              result.firstWrong = {x, got, exact};
          } else if (error > result.error) {
            if (std::fabs(x) >= 8 &&
                std::fabs(got - exact) <= function.absoluteBeyond8)
              continue;
            result.error = error;
            result.worst = {x, got, exact};
          }
        }
        return result;
      });
}

// Of two NaN the bits may differ.
static bool isSame(bool isFloat, const char *got, const char *want,
                   size_t size) {
  return std::memcmp(got, want, size) == 0 ||
         (isFloat && std::isnan(elementAt<float>(got, 0)) &&
          std::isnan(elementAt<float>(want, 0)));
}

SweepResult sweepExactly(const ExternKernel &kernel,
                         const ListedFunction &function,
                         const ExactReference &reference, uint64_t stride) {
  size_t size = sizeOf(function.result);
  bool isFloat = function.result == "f32";
  return overAll(
      kernel, stride,
      [&](size_t begin, size_t end, const char *inputs, const char *results) {
        SweepResult result;
        for (size_t i = begin; i < end; ++i) {
          const char *operand = inputs + i * sizeof(float);
          const char *got = results + i * size;
          char want[8];
          reference.apply(&operand, want);
          if (isSame(isFloat, got, want, size) || result.wrong++ > 0)
            continue;
          result.firstWrong.x = elementAt<float>(operand, 0);
          if (isFloat) {
            result.firstWrong.got = elementAt<float>(got, 0);
            result.firstWrong.exact = elementAt<float>(want, 0);
          }
        }
        return result;
      });
}

} // namespace nereid::test
