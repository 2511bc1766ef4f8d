// OptionSpec.h - an option of the command line as data: its name, its help
// text, and where its value goes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_OPTIONSPEC_H
#define NEREID_TOOL_OPTIONSPEC_H

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nereid::tool {

struct OptionSpec {
  /// A flag that shows something instead of a verb's run, a flag, one that is
  /// counted, a value, a value each time it is given.
  using Value = std::variant<std::monostate, bool *, int *, std::string *,
                             std::vector<std::string> *>;

  std::string names; ///< "-v,--verbose"; "KERNEL" is a word without a name
  Value value;
  std::string word = {};        ///< placeholder of the value in help: "FILE"
  std::string description = {}; ///< none: help does not list it
  bool isRequired = false;

  bool isPositional() const { return !names.starts_with('-'); }
  bool isFlag() const { return value.index() < 3; }
  bool showsText() const { return value.index() == 0; }
  /// Each name as typed: "-v", "--verbose".
  std::vector<std::string> spellings() const;
};

/// The option of that name as typed; null if there is none.
const OptionSpec *findOption(const std::vector<OptionSpec> &options,
                             std::string_view name);

/// Adds \p more at the end of \p options.
void addOptions(std::vector<OptionSpec> &options, std::vector<OptionSpec> more);

} // namespace nereid::tool

#endif // NEREID_TOOL_OPTIONSPEC_H
