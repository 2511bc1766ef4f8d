// Values.h - an owned list of named values: metadata, options, properties.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ABI_VALUES_H
#define NEREID_HOST_ABI_VALUES_H

#include "abi/Call.h"
#include "support/JsonFwd.h"

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

/// Deep copies of values, in the order in which their names first came. A later
/// value of the same name replaces the earlier one. Values of unknown types are
/// dropped, as the ABI asks.
class Values {
public:
  Values() = default;
  Values(Values &&) = default;
  Values &operator=(Values &&) = default;

  /// Copies \p value; a value that contradicts itself (no name, a list without
  /// data) is refused.
  Outcome add(const nereid_value_t &value);
  void addString(std::string_view name, std::string_view text);
  void addInteger(std::string_view name, int64_t number);

  /// The values as the ABI spells them; valid until the next add.
  std::span<const nereid_value_t> items() const { return views; }

  const nereid_value_t *find(std::string_view name) const;
  /// The text of string \p name, or nothing if it is absent or not a string.
  std::optional<std::string_view> string(std::string_view name) const;
  std::optional<int64_t> integer(std::string_view name) const;

  /// {"name": value, ...}; bytes become {"bytes": count}.
  Json json() const;

  /// The values as bytes that decode() takes back, the same on every machine.
  std::string encode() const;
  /// Refuses everything that encode() did not write, without reading beyond
  /// the end of \p bytes.
  static Result<Values> decode(std::string_view bytes);

private:
  struct Item {
    std::string text;
    std::vector<int64_t> integers;
    std::vector<double> doubles;
    std::vector<std::string> strings;
    std::vector<nereid_string_t> stringViews;
  };
  std::deque<Item> storage; // a deque: its items never move
  std::vector<nereid_value_t> views;
  // The names, which the views borrow, and their places in storage and views.
  std::map<std::string, size_t, std::less<>> places;
};

/// A sink that adds to a Values; refused values are reported to the call.
class ValueSink {
public:
  ValueSink(Values &values, Call &call)
      : sink{sizeof(nereid_value_sink_t), 0, this, add}, values(values),
        call(call) {}
  ValueSink(const ValueSink &) = delete;
  ValueSink &operator=(const ValueSink &) = delete;

  const nereid_value_sink_t *get() const { return &sink; }

private:
  static nereid_status_t add(const nereid_value_sink_t *sink,
                             const nereid_value_t *value) noexcept;
  nereid_value_sink_t sink;
  Values &values;
  Call &call;
};

/// Refuses a value that contradicts itself: one without a name, a list or text
/// with a size but no data.
Outcome checkValue(const nereid_value_t &value);

/// One value as JSON.
Json valueJson(const nereid_value_t &value);

/// "string", "i64", ...; "type 42" for an unknown one.
std::string typeName(nereid_type_t type);

} // namespace nereid::host

#endif // NEREID_HOST_ABI_VALUES_H
