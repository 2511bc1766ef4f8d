// Key.h - the values that a tuned result depends on, and how they are grouped
// into buckets.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A key is a JSON object of numbers, strings, booleans and nulls: {"m": 1000,
// "x": "f16"}. Its canonical text has sorted members and no spaces, so that
// equal keys are equal texts.

#ifndef NEREID_OPS_STORE_KEY_H
#define NEREID_OPS_STORE_KEY_H

#include "support/Result.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

using host::Failure;
using host::Outcome;
using host::Result;

/// The longest text that a key or a configuration may have.
inline constexpr size_t textLimit = 16384;

/// How a number of a key is rounded to that of its bucket.
struct Strategy {
  enum Kind {
    Exact,
    Log2,    ///< up to a power of two
    Align32, ///< up to a multiple of 32
    Bins     ///< up to the next of `bins`; above the last, the last
  } kind = Exact;
  std::vector<double> bins; ///< ascending

  /// \p value, which is not negative, rounded; others stay.
  double round(double value) const;
};

/// By the name of the member; members without one are exact.
using Strategies = std::map<std::string, Strategy, std::less<>>;

/// Reads {"m": "log2", "n": [128, 1024]}; empty text is none.
Result<Strategies> parseStrategies(std::string_view text);

/// The canonical text of the JSON object \p text; \p what is its name in
/// errors, "key" or "configuration".
Result<std::string> canonicalObject(std::string_view text,
                                    std::string_view what);
/// The same of an object that has been parsed.
std::string canonicalObject(const nlohmann::json &object);

/// The canonical text of the bucket of \p key, a canonical text.
Result<std::string> bucketOf(const std::string &key,
                             const Strategies &strategies);

/// One member of a key.
struct KeyMember {
  std::string name;
  std::string text; ///< of another member than a number, as JSON
  double number = 0;
  bool isNumber = false;
};

/// The members of a canonical key, sorted by name; none if it is no key.
std::vector<KeyMember> membersOf(std::string_view key);

/// How far apart two keys are: the root of the sum of the squares of the
/// differences of their numbers' binary logarithms. Infinite if they differ in
/// anything but numbers that are not negative.
double keyDistance(const std::vector<KeyMember> &a,
                   const std::vector<KeyMember> &b);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_KEY_H
