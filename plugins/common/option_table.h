// option_table.h - the options of a plugin's compiler as a table.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// One row per option: its name, default and documentation, and the member of a
// struct that holds its value. The schema that the host shows, parsing with
// its checks, and the canonical text of a cache key all come from the table.

#ifndef NEREID_PLUGINS_COMMON_OPTION_TABLE_H
#define NEREID_PLUGINS_COMMON_OPTION_TABLE_H

#include "nereid/compiler.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace nereid::plugin {

/// The description of an option, without where its value is stored.
struct OptionInfo {
  std::string_view name;
  std::string_view defaultValue;
  std::string_view doc;
  int64_t minimum = 0, maximum = 0; // of an integer
  /// Of a string: the values that are accepted; any if empty.
  std::span<const std::string_view> choices = {};
  /// False if the option does not change the image: it is omitted from the
  /// canonical text, so that configurations share an image.
  bool hasEffect = true;
};

/// Where the value of an option is stored.
using OptionField = std::variant<std::string *, int64_t *, bool *>;
using ConstOptionField =
    std::variant<const std::string *, const int64_t *, const bool *>;

/// Adds the option to \p sink, with the type of \p field.
nereid_status_t addOption(const nereid_option_sink_t *sink,
                          const OptionInfo &info, const OptionField &field);

/// Stores \p value in the option, if valid. Returns what is wrong with it;
/// empty on success.
std::string setOption(const OptionInfo &info, const OptionField &field,
                      const nereid_value_t &value);

/// "name=value;".
std::string canonicalOption(const OptionInfo &info,
                            const ConstOptionField &field);

template <typename Options> struct OptionSpec : OptionInfo {
  std::variant<std::string Options::*, int64_t Options::*, bool Options::*>
      member;

  OptionField in(Options &options) const {
    return std::visit(
        [&](auto which) { return OptionField(&(options.*which)); }, member);
  }
  ConstOptionField in(const Options &options) const {
    return std::visit(
        [&](auto which) { return ConstOptionField(&(options.*which)); },
        member);
  }
};

/// Rows are sorted by name: that is the order of the canonical text.
template <typename Options> class OptionTable {
public:
  template <size_t N>
  constexpr explicit OptionTable(const OptionSpec<Options> (&specs)[N])
      : specs(specs) {}

  /// Adds every option to \p sink.
  nereid_status_t visit(const nereid_option_sink_t *sink) const {
    Options any;
    for (const auto &spec : specs)
      if (nereid_status_t status = addOption(sink, spec, spec.in(any)))
        return status;
    return NEREID_OK;
  }

  /// Stores the defaults, then \p values. Returns what is wrong; empty on
  /// success.
  std::string parse(std::span<const nereid_value_t> values,
                    Options &out) const {
    for (const auto &spec : specs)
      setOption(spec, spec.in(out), textValue(spec.defaultValue));
    for (const nereid_value_t &value : values) {
      std::string_view name(value.name.data, value.name.size);
      const OptionSpec<Options> *spec = find(name);
      if (!spec)
        return "unknown option '" + std::string(name) +
               "', expected one of: " + names();
      std::string problem = setOption(*spec, spec->in(out), value);
      if (!problem.empty())
        return "option " + std::string(name) + ": " + problem;
    }
    return {};
  }

  /// Equal for options that lead to the same image: "name=value;..." of all
  /// that have an effect.
  std::string canonicalText(const Options &options) const {
    std::string text;
    for (const auto &spec : specs)
      if (spec.hasEffect)
        text += canonicalOption(spec, spec.in(options));
    return text;
  }

private:
  static nereid_value_t textValue(std::string_view text) {
    nereid_value_t value = {};
    value.type = NEREID_TYPE_STRING;
    value.text = {text.data(), text.size()};
    return value;
  }

  const OptionSpec<Options> *find(std::string_view name) const {
    for (const auto &spec : specs)
      if (spec.name == name)
        return &spec;
    return nullptr;
  }

  std::string names() const {
    std::string list;
    for (const auto &spec : specs)
      list += (list.empty() ? "" : ", ") + std::string(spec.name);
    return list;
  }

  std::span<const OptionSpec<Options>> specs;
};

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_OPTION_TABLE_H
