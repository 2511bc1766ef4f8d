// Verb.h - the verbs of the command. Each declares its options to CLI11 and
// gives the function that does the work; one file a verb.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_VERB_H
#define NEREID_TOOL_VERB_H

#include "Session.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace nereid::tool {

struct Verb {
  CLI::App *app;
  std::string usage; ///< after "nereid ": "options TARGET"
  std::string notes; ///< after the list of options: syntax, examples
  /// Gives the exit code.
  std::function<Expected<int>(Session &)> run;
};

Verb declarePlugins(CLI::App &parent);
Verb declareDevices(CLI::App &parent);
Verb declareExplain(CLI::App &parent);
Verb declareOptions(CLI::App &parent);
Verb declareCompile(CLI::App &parent);
Verb declareRun(CLI::App &parent);
Verb declareBench(CLI::App &parent);
Verb declareCache(CLI::App &parent);
Verb declareValidate(CLI::App &parent);
Verb declareCompletion(CLI::App &parent);
Verb declareComplete(CLI::App &parent); ///< asked by the completion scripts
Verb declareVersion(CLI::App &parent);

/// The command line of the whole tool.
class CommandLine {
public:
  explicit CommandLine(CommonOptions &options);

  CLI::App &app() { return root; }
  const std::vector<Verb> &verbs() const { return list; }
  /// The verb of that name, hidden ones too; null if there is none.
  const Verb *find(std::string_view name) const;
  /// The verb that the parsed line has, if any.
  const Verb *parsed() const;

  /// "--help" of the tool, or of \p verb.
  std::string help(const Verb *verb) const;
  /// What is wrong with \p words where the parser would be lenient: a flag
  /// with a value.
  Expected<void> checkWords(const std::vector<std::string> &words) const;
  /// The same for the parsed line: a value that is empty.
  Expected<void> checkValues() const;
  /// What to say about an option that the parser found no value or too many
  /// for.
  Error mismatch(const Verb *verb, const std::string &name) const;
  /// What to say about words that the line should not have.
  Error unexpected(const Verb *verb, const std::string &word) const;

private:
  CLI::App root;
  std::vector<Verb> list;
};

/// The names of \p app's options as typed: "--target", "-O".
std::vector<std::string> optionNames(const CLI::App &app);

} // namespace nereid::tool

#endif // NEREID_TOOL_VERB_H
