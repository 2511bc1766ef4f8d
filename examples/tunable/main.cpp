// main.cpp - softmax of rows with the block size that was tuned for each shape,
// compared with a plain loop.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: tunable PACK [--device NAME] [--elements N] [--rounds N]
// [--exhaustive] Tuned results come from the store of NEREID_TUNED, or the
// user's own. With
// --exhaustive all candidates are timed, and the pick is shown beside the best.

#include <nereid/ops.hpp>
#include <nereid/tune.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using nlohmann::json;

namespace {

struct Options {
  std::string pack, device;
  int64_t elements = 1 << 20;
  int rounds = 15;
  bool isExhaustive = false;
};

[[noreturn]] void fail(const std::string &reason) {
  throw std::runtime_error(reason);
}

template <typename Value> Value valueOf(nereid::Expected<Value> expected) {
  if (!expected)
    fail(expected.error().text);
  return std::move(*expected);
}

void check(nereid_status_t status) {
  if (status != NEREID_OK)
    fail(std::string(nereid::detail::view(nereid_error())));
}

// f16 as bits: C++17 has no type for it. `value` is a normal number or 0.
uint16_t toHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude < 0x38800000)
    return static_cast<uint16_t>(sign);
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

/// A call of the operator, with its tensors on the device.
class Softmax {
public:
  Softmax(const nereid::Backend &backend, uint32_t device,
          nereid::Operator softmax, bool isHalf, int64_t rows, int64_t columns)
      : backend(backend), device(device), softmax(softmax), isHalf(isHalf),
        shape{rows, columns}, values(static_cast<size_t>(rows * columns)),
        x(valueOf(backend.allocate(bytes(), device))),
        y(valueOf(backend.allocate(bytes(), device))) {
    std::vector<uint16_t> halves;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i * 37 % 201) / 25.0f - 4.0f;
      if (isHalf) {
        halves.push_back(toHalf(values[i]));
        values[i] = fromHalf(halves.back());
      }
    }
    const void *data = isHalf ? static_cast<const void *>(halves.data())
                              : static_cast<const void *>(values.data());
    if (auto written = x.write(data); !written)
      fail(written.error().text);
    input = tensor(x.address());
    output = tensor(y.address());
    in.name = nereid::detail::borrow("x");
    out.name = nereid::detail::borrow("y");
    in.count = out.count = 1;
    in.tensors = &inputs;
    out.tensors = &outputs;
    call.inputs = &in;
    call.outputs = &out;
    call.input_count = call.output_count = 1;
  }
  Softmax(const Softmax &) = delete;
  Softmax &operator=(const Softmax &) = delete;

  /// What it may be tuned over: choices by what they take.
  std::map<std::string, std::string> candidates() {
    call.choice = {};
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_operator_candidates(softmax.get(), &call, 0, &buffer);
    json all = json::parse(valueOf(nereid::detail::take(status, buffer)));
    std::map<std::string, std::string> choices;
    for (const json &each : all["candidates"])
      if (each["unsupported"].is_null()) {
        std::string choice = each["choice"].dump();
        choices.emplace(pick(choice), choice);
      }
    return choices;
  }

  /// The variant and the block that a call takes; without \p choice, those that
  /// were tuned.
  std::string pick(const std::string &choice = {}) {
    call.choice = nereid::detail::borrow(choice);
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_operator_explain(softmax.get(), &call, &buffer);
    json plan = json::parse(valueOf(nereid::detail::take(status, buffer)));
    return plan["variant"].get<std::string>() + ' ' +
           plan["launches"][0]["constants"]["BLOCK"].dump();
  }

  /// With \p choice, or what is picked if it is empty. In seconds.
  double time(const std::string &choice) {
    call.choice = nereid::detail::borrow(choice);
    check(nereid_operator_prepare(softmax.get(), &call));
    auto start = std::chrono::steady_clock::now();
    check(nereid_operator_call(softmax.get(), &call));
    if (auto done = backend.synchronize(device); !done)
      fail(done.error().text);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
  }

  /// The largest error relative to the largest value of its row.
  double error() {
    std::vector<uint16_t> halves(isHalf ? values.size() : 0);
    std::vector<float> found(values.size());
    void *data = isHalf ? static_cast<void *>(halves.data())
                        : static_cast<void *>(found.data());
    if (auto read = y.read(data); !read)
      fail(read.error().text);
    std::transform(halves.begin(), halves.end(), found.begin(), fromHalf);
    double worst = 0;
    auto columns = static_cast<size_t>(shape[1]);
    for (size_t from = 0; from < values.size(); from += columns) {
      const float *row = &values[from];
      double maximum = *std::max_element(row, row + columns), sum = 0;
      for (size_t i = 0; i < columns; ++i)
        sum += std::exp(row[i] - maximum);
      for (size_t i = 0; i < columns; ++i)
        worst = std::max(worst, std::fabs(found[from + i] * sum -
                                          std::exp(row[i] - maximum)));
    }
    return worst;
  }

private:
  uint64_t bytes() const { return values.size() * (isHalf ? 2 : 4); }
  nereid_tensor_t tensor(nereid_address_t address) {
    nereid_tensor_t made = {};
    made.data = reinterpret_cast<void *>(address);
    bool isCuda = nereid::detail::view(backend.info().device_type) == "cuda";
    made.device_type = isCuda ? 2 : 1;
    made.device_id = static_cast<int32_t>(device);
    made.ndim = 2;
    made.type_code = 2;
    made.type_bits = isHalf ? 16 : 32;
    made.type_lanes = 1;
    made.shape = shape;
    return made;
  }

  nereid::Backend backend;
  uint32_t device;
  nereid::Operator softmax;
  bool isHalf;
  int64_t shape[2];
  std::vector<float> values;
  nereid::Memory x, y;
  nereid_tensor_t input = {}, output = {};
  const nereid_tensor_t *inputs = &input, *outputs = &output;
  nereid_tensor_argument_t in =
      nereid::detail::sized<nereid_tensor_argument_t>();
  nereid_tensor_argument_t out =
      nereid::detail::sized<nereid_tensor_argument_t>();
  nereid_operator_call_t call = nereid::detail::sized<nereid_operator_call_t>();
};

double medianOf(std::vector<double> samples) {
  auto measured = nereid::detail::sized<nereid_tune_measurement_t>();
  check(nereid_tune_measure(samples.data(), samples.size(), &measured));
  return measured.median;
}

// Times all candidates in turns, so that what disturbs the machine disturbs all
// of them. Prints the fastest beside the pick.
void compareAll(Softmax &softmax, const std::string &pick, int rounds) {
  std::map<std::string, std::string> choices = softmax.candidates();
  std::map<std::string, std::vector<double>> samples;
  for (int round = -1; round < rounds; ++round)
    for (const auto &[name, choice] : choices) {
      double seconds = softmax.time(choice);
      if (round >= 0) // the first one compiles
        samples[name].push_back(seconds);
    }
  if (!samples.count(pick))
    fail(pick + " is not a candidate");
  std::map<std::string, double> medians;
  for (const auto &[name, seconds] : samples)
    medians[name] = medianOf(seconds);
  auto best = std::min_element(
      medians.begin(), medians.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  std::printf(", %8.1f us; best of %zu: %-12s %8.1f us, %+5.1f %%",
              medians[pick] * 1e6, medians.size(), best->first.c_str(),
              best->second * 1e6, 100 * (medians[pick] / best->second - 1));
}

bool runAll(const Options &options) {
  nereid::Runtime runtime = valueOf(nereid::Runtime::create());
  nereid::Runtime::Choice chosen = valueOf(runtime.choose(options.device));
  auto search = nereid::detail::sized<nereid_ops_options_t>();
  search.pack_dirs = nereid::detail::borrow(options.pack);
  nereid::Packs packs = valueOf(nereid::Packs::find(&search));
  nereid::Operators operators =
      valueOf(packs.load(runtime.get(), chosen.backend.get(), chosen.device));
  nereid::Operator softmax = valueOf(operators.find("softmax_table"));

  bool isRight = true;
  for (bool isHalf : {true, false})
    for (int64_t columns : {1024, 2048, 4096, 8192, 16384}) {
      int64_t rows = std::max<int64_t>(1, options.elements / columns);
      Softmax call(chosen.backend, chosen.device, softmax, isHalf, rows,
                   columns);
      std::string pick = call.pick();
      (void)call.time("");
      double error = call.error();
      bool isThis = error <= (isHalf ? 1e-3 : 1e-5);
      isRight &= isThis;
      std::printf("%s %6lld x %5lld: %-12s %s", isHalf ? "f16" : "f32",
                  static_cast<long long>(rows), static_cast<long long>(columns),
                  pick.c_str(), isThis ? "right" : "WRONG");
      if (options.isExhaustive)
        compareAll(call, pick, options.rounds);
      std::printf("\n");
      std::fflush(stdout);
    }
  return isRight;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto next = [&]() -> std::string {
      if (i + 1 == argc)
        fail(word + " needs a value");
      return argv[++i];
    };
    if (word == "--device")
      options.device = next();
    else if (word == "--elements")
      options.elements = std::atoll(next().c_str());
    else if (word == "--rounds")
      options.rounds = std::max(1, std::atoi(next().c_str()));
    else if (word == "--exhaustive")
      options.isExhaustive = true;
    else if (options.pack.empty() && word[0] != '-')
      options.pack = word;
    else
      fail("unknown argument " + word);
  }
  if (options.pack.empty())
    fail("usage: tunable PACK [--device NAME] [--elements N] [--rounds N] "
         "[--exhaustive]");
  return options;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return runAll(parse(argc, argv)) ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "tunable: %s\n", error.what());
    return 1;
  }
}
