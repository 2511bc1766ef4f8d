// LibdeviceTest.cpp - every external function that the `cpu` plugin lists,
// through compiled kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "../codegen/Accuracy.h"
#include "ExternKernel.h"
#include "Points.h"
#include "References.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <set>

namespace nereid::test {

using testing::HasSubstr;

class LibdeviceTest : public testing::Test {
protected:
  LoadedPlugin plugin{NEREID_CPU_PLUGIN};
  std::vector<ListedFunction> listed = plugin.functions();
};

static bool isNanOf(const std::string &type, const char *bytes) {
  if (type == "f32") {
    float x;
    std::memcpy(&x, bytes, sizeof x);
    return std::isnan(x);
  }
  double x = 0;
  if (type == "f64")
    std::memcpy(&x, bytes, sizeof x);
  return std::isnan(x);
}

static std::string hex(const char *bytes, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);
  char text[24];
  std::snprintf(text, sizeof text, "%#llx", (unsigned long long)bits);
  return text;
}

// Of two zeros fmax and fmin may give either.
static bool mayDifferInSign(const ListedFunction &function, const char *got,
                            const char *want) {
  if (function.name != "fmax" && function.name != "fmin")
    return false;
  size_t size = sizeOf(function.result);
  uint64_t a = 0, b = 0;
  std::memcpy(&a, got, size);
  std::memcpy(&b, want, size);
  uint64_t sign = uint64_t(1) << (8 * size - 1);
  return !(a & ~sign) && !(b & ~sign);
}

// Reports the first of the results that are wrong.
static void compareExactly(const ListedFunction &function,
                           const ExactReference &reference,
                           const std::vector<Bytes> &operands,
                           const Bytes &results, size_t count) {
  size_t size = sizeOf(function.result);
  for (size_t i = 0; i < count; ++i) {
    std::vector<const char *> at;
    for (size_t k = 0; k < operands.size(); ++k) {
      size_t step = sizeOf(function.operands[k]);
      at.push_back(operands[k].data() + i * step);
    }
    char want[8];
    reference.apply(at.data(), want);
    const char *got = results.data() + i * size;
    if (std::memcmp(got, want, size) == 0 ||
        (isNanOf(function.result, got) && isNanOf(function.result, want)) ||
        mayDifferInSign(function, got, want))
      continue;
    std::string shown;
    for (size_t k = 0; k < operands.size(); ++k)
      shown += " " + hex(at[k], sizeOf(function.operands[k]));
    ADD_FAILURE() << function.symbol << " of" << shown << " is "
                  << hex(got, size) << ", expected " << hex(want, size);
    return;
  }
}

static void checkExact(const LoadedPlugin &plugin,
                       const std::vector<ListedFunction> &listed,
                       const std::string &cpu, size_t count) {
  const auto references = exactReferences();
  for (const ListedFunction &function : listed) {
    auto found = references.find(function.symbol);
    if (found == references.end())
      continue;
    EXPECT_EQ(function.result, found->second.result) << function.symbol;
    EXPECT_EQ(function.operands, found->second.operands) << function.symbol;
    std::vector<Bytes> operands = pointsFor(function, count);
    ExternKernel kernel(plugin, function, cpu);
    compareExactly(function, found->second, operands,
                   kernel.run(operands, count), count);
  }
}

TEST_F(LibdeviceTest, HasOneRightResult) {
  checkExact(plugin, listed, "", 64 * ExternKernel::kBlock);
}

static long double elementOf(const std::string &type, const char *bytes,
                             size_t i) {
  if (type == "f32")
    return reinterpret_cast<const float *>(bytes)[i];
  if (type == "f64")
    return reinterpret_cast<const double *>(bytes)[i];
  return reinterpret_cast<const int32_t *>(bytes)[i];
}

template <typename T>
static void compareReal(const ListedFunction &function,
                        const RealReference &reference, double bound,
                        const std::vector<Bytes> &operands,
                        const Bytes &results, size_t count) {
  double worst = 0;
  std::string shown;
  for (size_t i = 0; i < count; ++i) {
    long double x[4] = {};
    for (size_t k = 0; k < operands.size(); ++k)
      x[k] = elementOf(function.operands[k], operands[k].data(), i);
    if (reference.isLeftOut && reference.isLeftOut(x))
      continue;
    T got = reinterpret_cast<const T *>(results.data())[i];
    long double want = reference.apply(x);
    double absolute = sizeof(T) == 4 ? 2.2e-6 : 5e-12;
    if (reference.isAbsoluteBeyond8 && std::fabs(x[0]) >= 8 &&
        std::fabs(got - want) <= absolute)
      continue;
    double distance = ulps(got, want);
    if (distance <= worst)
      continue;
    worst = distance;
    char text[160];
    std::snprintf(text, sizeof text, "(%.17Lg, %.17Lg, %.17Lg) = %.17g for %.20Lg",
                  x[0], x[1], x[2], double(got), want);
    shown = text;
  }
  std::printf("%-22s %8.3f ulp, promised %4.1f, at %s\n",
              function.symbol.c_str(), worst, bound, shown.c_str());
  EXPECT_LE(worst, bound + 1) << function.symbol << shown;
}

static void checkReal(const LoadedPlugin &plugin,
                      const std::vector<ListedFunction> &listed,
                      const std::string &type, const std::string &cpu,
                      double more, size_t count) {
  const auto references = realReferences();
  for (const ListedFunction &function : listed) {
    auto found = references.find(function.name);
    if (found == references.end() || function.result != type)
      continue;
    const RealReference &reference = found->second;
    std::vector<Bytes> operands = pointsFor(function, count);
    ExternKernel kernel(plugin, function, cpu);
    Bytes results = kernel.run(operands, count);
    if (type == "f32")
      compareReal<float>(function, reference, reference.boundF32 + more,
                         operands, results, count);
    else
      compareReal<double>(function, reference, reference.boundF64 + more,
                          operands, results, count);
  }
}

TEST_F(LibdeviceTest, IsAsExactAsCudaOnF32) {
  checkReal(plugin, listed, "f32", "", 0, 64 * ExternKernel::kBlock);
}

TEST_F(LibdeviceTest, IsAsExactAsCudaOnF64) {
  checkReal(plugin, listed, "f64", "", 0, 64 * ExternKernel::kBlock);
}

#if defined(__x86_64__)
// Without a fused multiply-add what has one right result has the same.
TEST_F(LibdeviceTest, NeedsNoFusedMultiplyAdd) {
  checkExact(plugin, listed, "x86-64-v2", 8 * ExternKernel::kBlock);
  checkReal(plugin, listed, "f32", "x86-64-v2", 1, 8 * ExternKernel::kBlock);
  checkReal(plugin, listed, "f64", "x86-64-v2", 1, 8 * ExternKernel::kBlock);
}
#endif

// Orders from 0 to 127, where CUDA has a bound on the absolute error.
TEST_F(LibdeviceTest, KnowsBesselFunctionsOfAnyOrder) {
  constexpr size_t kCount = 4 * ExternKernel::kBlock;
  std::vector<int32_t> orders(kCount);
  std::vector<double> numbers(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    orders[i] = i % 129 == 128 ? -3 : int32_t(i % 129);
    numbers[i] = 0.05 * double(i + 1);
  }
  auto bytesOf = [](const auto &v) {
    const char *data = reinterpret_cast<const char *>(v.data());
    return Bytes(data, data + v.size() * sizeof v[0]);
  };
  for (const ListedFunction &function : listed) {
    if ((function.name != "jn" && function.name != "yn") ||
        function.result != "f64")
      continue;
    Bytes results = ExternKernel(plugin, function, "")
                        .run({bytesOf(orders), bytesOf(numbers)}, kCount);
    for (size_t i = 0; i < kCount; ++i) {
      double got = reinterpret_cast<const double *>(results.data())[i];
      if (orders[i] < 0) {
        EXPECT_TRUE(std::isnan(got));
        continue;
      }
      long double want = function.name == "jn" ? ::jnl(orders[i], numbers[i])
                                               : ::ynl(orders[i], numbers[i]);
      long double allowed = 5e-12L * std::max(1.0L, std::fabs(want));
      if (std::isinf(static_cast<double>(want)))
        EXPECT_TRUE(std::isinf(got));
      else
        EXPECT_LE(std::fabs(got - want), allowed)
            << function.symbol << " of " << orders[i] << ", " << numbers[i];
    }
  }
}

TEST_F(LibdeviceTest, ListsNothingThatIsNotTested) {
  const auto exact = exactReferences();
  const auto real = realReferences();
  std::set<std::string> names;
  for (const ListedFunction &function : listed) {
    names.insert(function.name);
    bool isTested = exact.count(function.symbol) || real.count(function.name) ||
                    function.name == "jn" || function.name == "yn";
    EXPECT_TRUE(isTested) << function.symbol;
  }
  // Those of tl.extra.libdevice, and fmax and fmin.
  EXPECT_EQ(names.size(), 200u);
}

// The names of C's library stand for the same functions.
TEST_F(LibdeviceTest, KnowsNamesOfC) {
  constexpr size_t kCount = ExternKernel::kBlock;
  const ListedFunction ofCuda = {"tanh", "__nv_tanhf", "f32", {"f32"}};
  const ListedFunction ofC = {"tanh", "tanhf", "f32", {"f32"}};
  std::vector<Bytes> operands = pointsFor(ofC, kCount);
  EXPECT_EQ(ExternKernel(plugin, ofC, "").run(operands, kCount),
            ExternKernel(plugin, ofCuda, "").run(operands, kCount));
}

TEST_F(LibdeviceTest, NamesWhatIsNotKnown) {
  std::string text = textOf({"tanh", "__nv_tanhx", "f32", {"f32"}});
  Expected<Artifact> artifact =
      plugin.backend().compile(text, "unknown.ttir");
  ASSERT_FALSE(artifact);
  EXPECT_THAT(artifact.error().text,
              HasSubstr(":11:8: 'tt.extern_elementwise' op calls the external "
                        "function '__nv_tanhx'"));
  EXPECT_THAT(artifact.error().text, HasSubstr("'__nv_tanhf'"));
  EXPECT_THAT(artifact.error().text, HasSubstr("stage 'llir'"));
}

} // namespace nereid::test
