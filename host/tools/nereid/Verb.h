// Verb.h - the verbs of the command: their options and the function that does
// the work; one file a verb.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_VERB_H
#define NEREID_TOOL_VERB_H

#include "OptionSpec.h"
#include "Session.h"

#include <functional>

namespace nereid::tool {

struct Verb {
  std::string name;
  std::string description; ///< none: it is not for people and not listed
  std::string usage;       ///< after "nereid ": "options TARGET"
  std::string notes;       ///< after the list of options: syntax, examples
  std::vector<OptionSpec> options;
  /// Gives the exit code. Owns what the options store into.
  std::function<Expected<int>(Session &)> run;

  bool isHidden() const { return description.empty(); }
};

Verb pluginsVerb();
Verb devicesVerb();
Verb explainVerb();
Verb optionsVerb();
Verb compileVerb();
Verb runVerb();
Verb benchVerb();
Verb buildVerb();
Verb traceVerb();
Verb archiveVerb();
Verb cacheVerb();
Verb opsVerb();
Verb tuneVerb();
Verb newPluginVerb();
Verb validateVerb();
Verb completionVerb();
Verb completeVerb(); ///< asked by the completion scripts
Verb versionVerb();

} // namespace nereid::tool

#endif // NEREID_TOOL_VERB_H
