// main.cpp - softmax on every device that its archive has an image for,
// compared with a plain loop.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: aot [DEVICE [ARCHIVE]]
// Without ARCHIVE, the one that is linked in.

#include "softmax.h"

#include <nereid/host.hpp>
#include <nereid/host/archive.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

// f16 as bits: C++17 has no type for it.
uint16_t toHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude < 0x38800000) // below the smallest normal number
    return static_cast<uint16_t>(sign |
                                 std::lround(std::fabs(value) * 16777216.0f));
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

float fromHalf(uint16_t half) {
  int exponent = half >> 10 & 31;
  float mantissa = static_cast<float>(half & 1023);
  float magnitude = exponent ? std::ldexp(mantissa + 1024.0f, exponent - 25)
                             : std::ldexp(mantissa, -24);
  return half & 0x8000 ? -magnitude : magnitude;
}

struct Half {
  using Stored = uint16_t;
  static constexpr const char *name = "fp16";
  static constexpr double tolerance = 1e-3;
  static Stored store(float value) { return toHalf(value); }
  static float load(Stored value) { return fromHalf(value); }
};

struct Float {
  using Stored = float;
  static constexpr const char *name = "fp32";
  static constexpr double tolerance = 1e-5;
  static Stored store(float value) { return value; }
  static float load(Stored value) { return value; }
};

int complain(const std::string &what, const std::string &error) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), error.c_str());
  return 1;
}

// The typed launch functions of the generated header: another element type, or
// an argument too many, does not compile.
template <typename Type, typename Pointer>
using Launch = nereid_status_t (*)(nereid_archive_device_t *, uint32_t,
                                   uint32_t, uint32_t, nereid_stream_t, Pointer,
                                   Pointer, nereid::Exact<int32_t>,
                                   nereid::Exact<int32_t>,
                                   nereid::Exact<int32_t>);

// The largest error relative to the largest value of a row, or -1 on failure.
template <typename Type, typename Pointer>
double check(const nereid::Backend &backend, uint32_t device,
             nereid_archive_device_t *kernels, Launch<Type, Pointer> launch,
             int rows, int columns) {
  using Stored = typename Type::Stored;
  size_t count = static_cast<size_t>(rows) * columns;
  std::vector<Stored> input(count), output(count);
  for (size_t i = 0; i < count; ++i)
    input[i] = Type::store(static_cast<float>((i * 37) % 201) / 25.0f - 4.0f);
  auto x = backend.allocate(count * sizeof(Stored), device);
  auto y = backend.allocate(count * sizeof(Stored), device);
  if (!x || !y || !x->write(input.data()))
    return -1;
  nereid_status_t status = launch(kernels, static_cast<uint32_t>(rows), 1, 1, 0,
                                  Pointer{y->address()}, Pointer{x->address()},
                                  columns, columns, columns);
  if (status != NEREID_OK || !y->read(output.data()))
    return -1;
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    const Stored *from = &input[static_cast<size_t>(row) * columns];
    const Stored *found = &output[static_cast<size_t>(row) * columns];
    double maximum = -INFINITY, sum = 0;
    for (int i = 0; i < columns; ++i)
      maximum = std::max<double>(maximum, Type::load(from[i]));
    for (int i = 0; i < columns; ++i)
      sum += std::exp(Type::load(from[i]) - maximum);
    for (int i = 0; i < columns; ++i) {
      double expected = std::exp(Type::load(from[i]) - maximum) / sum;
      worst = std::max(worst, std::fabs(Type::load(found[i]) - expected) * sum);
    }
  }
  return worst;
}

template <typename Type, typename Pointer>
bool report(const nereid::Backend &backend, uint32_t device,
            nereid_archive_device_t *kernels, Launch<Type, Pointer> launch,
            int block) {
  bool isRight = true;
  // A full row; and one whose rows do not start at multiples of 16 bytes.
  for (int columns : {block, block - 7}) {
    double worst =
        check<Type, Pointer>(backend, device, kernels, launch, 16, columns);
    bool isThis = worst >= 0 && worst <= Type::tolerance;
    if (worst < 0)
      complain("softmax", std::string(nereid::detail::view(nereid_error())));
    else
      std::printf("softmax %s, %5d columns: %s, error %.1e\n", Type::name,
                  columns, isThis ? "right" : "WRONG", worst);
    isRight &= isThis;
  }
  return isRight;
}

} // namespace

int main(int argc, char **argv) {
  auto runtime = nereid::Runtime::create();
  if (!runtime)
    return complain("nereid", runtime.error().text);
  auto choice = runtime->choose(argc > 1 ? argv[1] : "");
  if (!choice)
    return complain("device", choice.error().text);
  nereid_archive_t *opened = nullptr;
  nereid_status_t status =
      argc > 2 ? softmax_open(argv[2], &opened) : softmax_open_linked(&opened);
  if (status != NEREID_OK)
    return complain("archive",
                    std::string(nereid::detail::view(nereid_error())));
  nereid::Archive archive(opened);
  auto kernels = archive.load(choice->backend, choice->device);
  if (!kernels)
    return complain("load", kernels.error().text);

  const nereid::Backend &backend = choice->backend;
  nereid_archive_device_t *loaded = kernels->get();
  bool isRight = true;
#define SOFTMAX(TYPE, POINTER, NAME)                                           \
  isRight &= report<TYPE, POINTER>(backend, choice->device, loaded, NAME,      \
                                   NAME##_BLOCK)
  SOFTMAX(Half, nereid_pointer_f16_t, softmax_softmax_fp16_1024);
  SOFTMAX(Half, nereid_pointer_f16_t, softmax_softmax_fp16_2048);
  SOFTMAX(Half, nereid_pointer_f16_t, softmax_softmax_fp16_4096);
  SOFTMAX(Half, nereid_pointer_f16_t, softmax_softmax_fp16_8192);
  SOFTMAX(Half, nereid_pointer_f16_t, softmax_softmax_fp16_16384);
  SOFTMAX(Float, nereid_pointer_f32_t, softmax_softmax_fp32_1024);
  SOFTMAX(Float, nereid_pointer_f32_t, softmax_softmax_fp32_2048);
  SOFTMAX(Float, nereid_pointer_f32_t, softmax_softmax_fp32_4096);
  SOFTMAX(Float, nereid_pointer_f32_t, softmax_softmax_fp32_8192);
  SOFTMAX(Float, nereid_pointer_f32_t, softmax_softmax_fp32_16384);
#undef SOFTMAX
  return isRight ? 0 : 1;
}
