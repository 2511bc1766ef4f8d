// TunableOp.cpp - what ONNX Runtime's files and PyTorch's have in common.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/formats/TunableOp.h"
#include "store/Key.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace nereid::ops {

static constexpr std::string_view foreignProtocol = "tunable-op";

std::string valueOr(const Validators &validators, const char *name) {
  auto found = validators.find(name);
  return found == validators.end() ? "" : found->second;
}

TunedResult foreignResult(std::string_view plugin,
                          const std::string &operatorName,
                          const std::string &parameters) {
  TunedResult result;
  result.operatorName = operatorName;
  result.key = canonicalObject(nlohmann::json{{"params", parameters}});
  result.status = status::ok;
  result.protocol = foreignProtocol;
  result.compiler.plugin = plugin;
  return result;
}

bool parametersOf(const TunedResult &result, std::string_view plugin,
                  std::string &parameters, nlohmann::json &solution) {
  if (result.compiler.plugin != plugin || !result.isOk())
    return false;
  nlohmann::json key = nlohmann::json::parse(result.key, nullptr, false);
  nlohmann::json configuration =
      nlohmann::json::parse(result.configuration, nullptr, false);
  if (!key.is_object() || !key.contains("params") ||
      !key["params"].is_string() || !configuration.is_object() ||
      !configuration.contains("solution"))
    return false;
  parameters = key["params"].get<std::string>();
  solution = configuration["solution"];
  return true;
}

std::string millisecondsText(double nanoseconds) {
  std::array<char, 64> text;
  auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), nanoseconds / 1e6,
                    std::chars_format::general, 9);
  return {text.data(), error == std::errc() ? end : text.data()};
}

std::optional<double> nanosecondsOf(std::string_view text) {
  double time = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(time >= 0) || std::isinf(time))
    return std::nullopt;
  // What no clock can tell apart from 0 may be inexact, too.
  return time < 1e-9 ? 0 : time * 1e6;
}

namespace {
// A result that is written, in an order that those read again have, too.
struct Written {
  const TunedResult *result;
  double median; // as it is read again

  explicit Written(const TunedResult &result)
      : result(&result),
        median(nanosecondsOf(millisecondsText(result.median)).value_or(0)) {}

  auto order() const {
    return std::tuple_cat(std::tuple(median == 0, median, -result->time),
                          result->identity(), std::tie(result->note));
  }
};
} // namespace

std::vector<const TunedResult *> bestFirst(const Results &results) {
  std::vector<Written> all(results.begin(), results.end());
  std::sort(all.begin(), all.end(), [](const Written &a, const Written &b) {
    return a.order() < b.order();
  });
  std::vector<const TunedResult *> sorted;
  for (const Written &one : all)
    sorted.push_back(one.result);
  return sorted;
}

} // namespace nereid::ops
