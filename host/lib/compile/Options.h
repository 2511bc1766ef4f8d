// Options.h - the options of a compiler: their schema, and values that were
// checked against it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_OPTIONS_H
#define NEREID_HOST_COMPILE_OPTIONS_H

#include "abi/Values.h"
#include "plugin/Plugin.h"
#include "support/Cancellation.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nereid::host {

class Log;

/// One option that a compiler understands.
struct OptionSchema {
  nereid_type_t type;
  std::string name, doc, defaultValue;
  std::vector<std::string> choices;
  int64_t minimum = 0, maximum = 0;

  bool hasRange() const { return minimum < maximum; }
};

/// What the compiler of \p plugin understands for \p target.
Result<std::vector<OptionSchema>>
readSchema(const Plugin &plugin, const nereid_target_t &target, const Log *log,
           const Cancellation &cancellation = {});

/// The schema as nereid_backend_options() returns it.
Json schemaJson(const std::vector<OptionSchema> &schema);

/// \p values with strings converted to the types of \p schema.
/// Unknown, mistyped and out-of-range values are refused, all in one message,
/// with what would be legal.
Result<Values> convertOptions(std::span<const nereid_value_t> values,
                              const std::vector<OptionSchema> &schema);

/// Options that the plugin has accepted.
class ParsedOptions {
public:
  static Result<ParsedOptions> parse(const Plugin &plugin,
                                     const nereid_target_t &target,
                                     std::span<const nereid_value_t> values,
                                     const Log *log,
                                     const Cancellation &cancellation = {});
  ParsedOptions(ParsedOptions &&other) noexcept
      : plugin(other.plugin), log(other.log),
        handle(std::exchange(other.handle, nullptr)),
        values(std::move(other.values)), text(std::move(other.text)) {}
  ParsedOptions &operator=(ParsedOptions &&) = delete;
  ~ParsedOptions();

  const nereid_options_t *get() const { return handle; }
  /// The values that were given, as Values::encode() writes them.
  const std::string &given() const { return values; }
  /// Equal for equivalent options.
  const std::string &canonical() const { return text; }

private:
  ParsedOptions(const Plugin &plugin, const Log *log)
      : plugin(&plugin), log(log) {}
  const Plugin *plugin;
  const Log *log;
  nereid_options_t *handle = nullptr;
  std::string values, text;
};

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_OPTIONS_H
