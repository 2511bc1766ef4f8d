// CommandLine.h - the command line of the whole tool: reads it into what the
// verbs declared, shows help, and reports errors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_COMMANDLINE_H
#define NEREID_TOOL_COMMANDLINE_H

#include "Verb.h"

namespace nereid::tool {

class CommandLine {
public:
  /// A parsed line. The verb is null if there is none.
  struct Request {
    enum Kind { Run, Help, Version } kind;
    const Verb *verb;
  };

  /// Values of the options that every verb has go to \p options.
  explicit CommandLine(CommonOptions &options);

  const std::vector<Verb> &verbs() const { return list; }
  const std::vector<OptionSpec> &commonOptions() const { return common; }
  /// The verb of that name, hidden ones too; null if there is none.
  const Verb *find(std::string_view name) const;
  /// An option of \p verb, which may be null, or of every verb.
  const OptionSpec *findOption(const Verb *verb, std::string_view name) const;

  /// Reads the words after the program's name.
  Expected<Request> parse(std::vector<std::string> words) const;
  /// "--help" of the tool, or of \p verb.
  std::string help(const Verb *verb) const;

private:
  Expected<void> checkWords(const std::vector<std::string> &words) const;
  Error unexpected(const Verb *verb, const std::string &word) const;
  Error unexpectedOption(const Verb *verb, const std::string &word) const;
  Error unknownVerb(const std::string &word) const;

  friend class Parser; // in the source, where CLI11 stays
  std::vector<Verb> list;
  std::vector<OptionSpec> common;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_COMMANDLINE_H
