// Key.cpp - keys, their canonical texts, buckets and distances.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Key.h"
#include "text/Suggestions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nereid::ops {

using Json = nlohmann::json;

// Integers beyond this are not exact as a double.
static constexpr double exactLimit = 9007199254740992.0; // 2^53

double Strategy::round(double value) const {
  // Not a number and negative numbers have no logarithm and no bin.
  if (!(value >= 0))
    return value;
  switch (kind) {
  case Exact:
    return value;
  case Log2:
    return value == 0 ? 0 : std::exp2(std::ceil(std::log2(value)));
  case Align32:
    return std::ceil(value / 32) * 32;
  case Bins: {
    auto bin = std::lower_bound(bins.begin(), bins.end(), value);
    return bin == bins.end() ? bins.back() : *bin;
  }
  }
  return value;
}

static Failure invalid(std::string text) {
  return {NEREID_INVALID_ARGUMENT, std::move(text)};
}

// Text that is not JSON is reported by its position, not by nlohmann's words.
static Result<Json> parseObject(std::string_view text, std::string_view what) {
  if (text.size() > textLimit)
    return invalid("the " + std::string(what) + " has " +
                   std::to_string(text.size()) + " bytes, at most " +
                   std::to_string(textLimit) + " are expected");
  try {
    Json parsed = Json::parse(text);
    if (parsed.is_object())
      return parsed;
  } catch (const Json::parse_error &error) {
    return invalid("the " + std::string(what) + " '" + std::string(text) +
                   "' is not JSON at byte " + std::to_string(error.byte));
  }
  return invalid("the " + std::string(what) + " '" + std::string(text) +
                 "' is not an object, expected one as in {\"n\": 1024}");
}

static Result<Strategy> parseStrategy(const std::string &name,
                                      const Json &value) {
  static const std::vector<std::string> names = {"exact", "log2", "align32"};
  Strategy strategy;
  if (value.is_string()) {
    const std::string &word = value.get_ref<const std::string &>();
    auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      return invalid("key '" + name + "': unknown strategy '" + word + "'" +
                     suggestNames(word, names) + ", or a list of bins");
    strategy.kind = static_cast<Strategy::Kind>(found - names.begin());
    return strategy;
  }
  strategy.kind = Strategy::Bins;
  bool isGood = value.is_array() && !value.empty() && value.size() <= 1024;
  for (size_t i = 0; isGood && i < value.size(); ++i) {
    isGood = value[i].is_number() &&
             (i == 0 || strategy.bins.back() < value[i].get<double>());
    if (isGood)
      strategy.bins.push_back(value[i].get<double>());
  }
  if (!isGood)
    return invalid("key '" + name + "': expected 'exact', 'log2', 'align32' " +
                   "or a list of 1 to 1024 ascending numbers, found " +
                   value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return strategy;
}

Result<Strategies> parseStrategies(std::string_view text) {
  Strategies strategies;
  if (text.empty())
    return strategies;
  Result<Json> parsed = parseObject(text, "map of strategies");
  if (!parsed)
    return parsed.failure();
  for (const auto &[name, value] : parsed->items()) {
    Result<Strategy> strategy = parseStrategy(name, value);
    if (!strategy)
      return strategy.failure();
    strategies.emplace(name, std::move(*strategy));
  }
  return strategies;
}

// 1024.0 and 1024 are one value.
static Json normalNumber(const Json &value) {
  if (value.is_number_float()) {
    double number = value.get<double>();
    if (std::trunc(number) == number && std::abs(number) < exactLimit)
      return static_cast<int64_t>(number);
  }
  return value;
}

static Json normal(const Json &value) {
  if (value.is_object()) {
    Json object = Json::object();
    for (const auto &[name, member] : value.items())
      object[name] = normal(member);
    return object;
  }
  if (value.is_array()) {
    Json array = Json::array();
    for (const Json &item : value)
      array.push_back(normal(item));
    return array;
  }
  return normalNumber(value);
}

std::string canonicalObject(const Json &object) {
  return normal(object).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> canonicalObject(std::string_view text,
                                    std::string_view what) {
  Result<Json> parsed = parseObject(text, what);
  if (!parsed)
    return parsed.failure();
  for (const auto &[name, value] : parsed->items())
    if (value.is_structured())
      return invalid("the " + std::string(what) + "'s '" + name +
                     "' is a list or an object, expected a number, a string, "
                     "true, false or null");
  return canonicalObject(*parsed);
}

Result<std::string> bucketOf(const std::string &key,
                             const Strategies &strategies) {
  Result<Json> parsed = parseObject(key, "key");
  if (!parsed)
    return parsed.failure();
  for (auto &[name, value] : parsed->items()) {
    auto strategy = strategies.find(name);
    if (strategy == strategies.end() || !value.is_number() ||
        strategy->second.kind == Strategy::Exact)
      continue;
    value = strategy->second.round(value.get<double>());
  }
  return canonicalObject(*parsed);
}

std::vector<KeyMember> membersOf(std::string_view key) {
  std::vector<KeyMember> members;
  Json parsed = Json::parse(key, nullptr, false);
  if (!parsed.is_object())
    return members;
  for (const auto &[name, value] : parsed.items()) {
    KeyMember member;
    member.name = name;
    member.isNumber = value.is_number();
    if (member.isNumber)
      member.number = value.get<double>();
    else
      member.text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    members.push_back(std::move(member));
  }
  return members;
}

double keyDistance(const std::vector<KeyMember> &a,
                   const std::vector<KeyMember> &b) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (a.size() != b.size())
    return infinite;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || a[i].isNumber != b[i].isNumber ||
        a[i].text != b[i].text)
      return infinite;
    if (!a[i].isNumber || a[i].number == b[i].number)
      continue;
    if (!(a[i].number >= 0 && b[i].number >= 0))
      return infinite;
    // One more, because 0 has no logarithm.
    double difference = std::log2(a[i].number + 1) - std::log2(b[i].number + 1);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

} // namespace nereid::ops
