// GenericPackTest.cpp - operators of the generic pack, called from C++ on the
// `cpu` plugin, beside plain loops. Triton makes the kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Operators.h"
#include "allocations.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

using namespace nereid::test;
namespace fs = std::filesystem;

namespace {
/// One device for all tests: each kernel is made once.
class GenericPackTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    for (const char *release : {"3.9.0", "3.6.0"}) {
      std::string found =
          std::string(BUILD_DIR "/venv-") + release + "/bin/python";
      if (python.empty() && fs::exists(found))
        python = found;
    }
    if (python.empty())
      return;
    std::string name = fs::temp_directory_path() / "nereid-ops-XXXXXX";
    folder = mkdtemp(name.data());
    operators = std::make_unique<Operators>(
        Operators::Options{GENERIC_PACK, folder + "/cache", python, nullptr});
  }
  static void TearDownTestSuite() {
    operators.reset();
    if (!folder.empty())
      fs::remove_all(folder);
  }
  void SetUp() override {
    if (python.empty())
      GTEST_SKIP() << "no Python with Triton in " BUILD_DIR "/venv-*";
  }

  static std::string python, folder;
  static std::unique_ptr<Operators> operators;
};
} // namespace

std::string GenericPackTest::python, GenericPackTest::folder;
std::unique_ptr<Operators> GenericPackTest::operators;

/// Numbers between -2 and 2 that repeat late.
template <typename T> static void fill(Array<T> &array, size_t count) {
  for (size_t i = 0; i < count; ++i)
    array[i] = static_cast<T>(static_cast<int>(i * 37 % 101) - 50) / 25;
}

TEST_F(GenericPackTest, AddsWithBroadcasting) {
  Array<float> x({5, 1, 67}), y({3, 67}), out({5, 3, 67});
  fill(x, 5 * 67);
  fill(y, 3 * 67);
  ASSERT_EQ(operators->call("add", Call()
                                       .input("x", x.tensor())
                                       .input("y", y.tensor())
                                       .attribute("alpha", int64_t(2))
                                       .output("out", out.tensor())),
            "");
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 67; ++c)
        ASSERT_EQ(out[(a * 3 + b) * 67 + c], x[a * 67 + c] + 2 * y[b * 67 + c]);
}

TEST_F(GenericPackTest, AddsStridedAndMisalignedTensors) {
  // A transposed input, one behind an odd offset, and every second element of
  // the output.
  Array<float> x({17, 33}, {1, 17}), y({17, 33}, {33, 1}, 3),
      out({17, 33}, {66, 2});
  fill(x, 17 * 33);
  fill(y, 17 * 33);
  ASSERT_EQ(operators->call("add", Call()
                                       .input("x", x.tensor())
                                       .input("y", y.tensor())
                                       .output("out", out.tensor())),
            "");
  for (int a = 0; a < 17; ++a)
    for (int b = 0; b < 33; ++b) {
      ASSERT_EQ(out[a * 66 + b * 2], x[a + b * 17] + y[a * 33 + b]);
      if (b < 32)
        ASSERT_EQ(out[a * 66 + b * 2 + 1], 0.0f);
    }
}

static void checkSoftmax(Array<float> &y, Array<float> &x, int rows, int n,
                         int rowStride, int stride) {
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += std::exp(double(x[r * rowStride + i * stride]));
    for (int i = 0; i < n; ++i) {
      double expected = std::exp(double(x[r * rowStride + i * stride])) / sum;
      ASSERT_NEAR(y[r * n + i], expected, 1e-5 * expected + 1e-12);
    }
  }
}

TEST_F(GenericPackTest, SoftmaxOfShortAndOfLongRows) {
  for (int n : {7, 781, 20000}) {
    Array<float> x({4, n}), y({4, n});
    fill(x, 4 * n);
    ASSERT_EQ(
        operators->call("softmax",
                        Call().input("x", x.tensor()).output("y", y.tensor())),
        "");
    checkSoftmax(y, x, 4, n, n, 1);
  }
}

TEST_F(GenericPackTest, CopiesAnInputThatMustBeRowMajor) {
  Array<float> x({9, 50}, {1, 9}), y({9, 50});
  fill(x, 9 * 50);
  ASSERT_EQ(
      operators->call("softmax",
                      Call().input("x", x.tensor()).output("y", y.tensor())),
      "");
  checkSoftmax(y, x, 9, 50, 1, 9);
}

TEST_F(GenericPackTest, CopiesAnOutputThatIsNotRowMajor) {
  Array<float> x({9, 50}), y({9, 50}, {100, 2});
  fill(x, 9 * 50);
  ASSERT_EQ(
      operators->call("softmax",
                      Call().input("x", x.tensor()).output("y", y.tensor())),
      "");
  Array<float> dense({9, 50});
  for (int i = 0; i < 450; ++i)
    dense[i] = y[i / 50 * 100 + i % 50 * 2];
  checkSoftmax(dense, x, 9, 50, 50, 1);
}

TEST_F(GenericPackTest, SumsThroughTemporaryMemory) {
  // One long row: partial sums, then their sum.
  int n = 3000000;
  Array<float> x({1, n}), out({1});
  double expected = 0;
  for (int i = 0; i < n; ++i)
    expected += x[i] = static_cast<float>(i % 7);
  Call call;
  call.input("x", x.tensor()).output("out", out.tensor());
  int64_t dims[] = {1};
  call.attribute("dim", std::span<const int64_t>(dims));
  ASSERT_EQ(operators->call("sum", call), "");
  EXPECT_NEAR(out[0], expected, 1e-4 * expected);
}

TEST_F(GenericPackTest, LeavesOutOptionalInputsAndOutputs) {
  Array<float> x({3, 40}), y({3, 40}), mean({3, 1}), rstd({3, 1});
  fill(x, 120);
  ASSERT_EQ(operators->call("layer_norm", Call()
                                              .input("x", x.tensor())
                                              .output("y", y.tensor())
                                              .output("mean", mean.tensor())
                                              .output("rstd", rstd.tensor())),
            "");
  for (int r = 0; r < 3; ++r) {
    double sum = 0, squares = 0;
    for (int i = 0; i < 40; ++i)
      sum += x[r * 40 + i];
    for (int i = 0; i < 40; ++i)
      squares += std::pow(x[r * 40 + i] - sum / 40, 2);
    for (int i = 0; i < 40; ++i)
      ASSERT_NEAR(y[r * 40 + i],
                  (x[r * 40 + i] - sum / 40) / std::sqrt(squares / 40 + 1e-5),
                  1e-5);
  }
}

TEST_F(GenericPackTest, EmptyTensorsLaunchNothing) {
  Array<float> x({0, 5}), y({0, 5});
  EXPECT_EQ(
      operators->call("softmax",
                      Call().input("x", x.tensor()).output("y", y.tensor())),
      "");
}

TEST_F(GenericPackTest, TensorsWithoutDimensions) {
  Array<float> x({}), y({}), out({});
  x[0] = 3;
  y[0] = 4;
  ASSERT_EQ(operators->call("mul", Call()
                                       .input("x", x.tensor())
                                       .input("y", y.tensor())
                                       .output("out", out.tensor())),
            "");
  EXPECT_EQ(out[0], 12);
}

TEST_F(GenericPackTest, AKnownCallAllocatesNothing) {
  Array<float> x({2, 500}), y({2, 500}), out({2, 500});
  fill(x, 1000);
  Call built;
  built.input("x", x.tensor()).input("y", y.tensor());
  built.output("out", out.tensor());
  nereid_operator_call_t call = built.get();
  nereid_operator_t *op = operators->find("add");
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(nereid_operator_call(op, &call), NEREID_OK) << lastError();
  uint64_t before = nereid::cpu::test::allocationCount();
  for (int i = 0; i < 100; ++i)
    if (nereid_operator_call(op, &call))
      FAIL() << lastError();
  EXPECT_EQ(nereid::cpu::test::allocationCount(), before);
  EXPECT_EQ(nereid_backend_synchronize(operators->backend, 0, 0), NEREID_OK);
}

TEST_F(GenericPackTest, ThreadsCallTheSameOperator) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &right] {
      for (int n = 1; n < 40; ++n) {
        // A copy and the softmax itself share temporary memory of the stream.
        Array<float> x({3, n}, {1, 3}), y({3, n});
        fill(x, 3 * n);
        if (!operators
                 ->call("softmax",
                        Call().input("x", x.tensor()).output("y", y.tensor()))
                 .empty())
          return;
        double sum = 0;
        for (int i = 0; i < n; ++i)
          sum += y[2 * n + i];
        right[t] += std::abs(sum - 1) < 1e-5;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 39));
}

TEST_F(GenericPackTest, TheSecondProcessNeedsNoPython) {
  Array<float> x({2, 500}), y({2, 500}), out({2, 500});
  Call call;
  call.input("x", x.tensor()).input("y", y.tensor());
  call.output("out", out.tensor());
  ASSERT_EQ(operators->call("add", call), "");
  // A Python that works once and then is gone.
  std::string gone = folder + "/python";
  std::ofstream(gone) << "#!/bin/sh\nexec " << python << " \"$@\"\n";
  fs::permissions(gone, fs::perms::owner_all);
  {
    Operators first({GENERIC_PACK, folder + "/cache", gone, nullptr});
    ASSERT_EQ(first.call("add", call), "");
  }
  fs::remove(gone);
  Operators second({GENERIC_PACK, folder + "/cache", gone, nullptr});
  EXPECT_EQ(second.call("add", call), "");
  // What the cache does not have cannot be made.
  Array<double> a({500}), b({500}), c({500});
  std::string error = second.call("sub", Call()
                                             .input("x", a.tensor())
                                             .input("y", b.tensor())
                                             .output("out", c.tensor()));
  EXPECT_NE(error.find(gone), std::string::npos) << error;
}
