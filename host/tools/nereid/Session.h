// Session.h - one run of the tool: the options that every verb has, and the
// runtime that they lead to.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_SESSION_H
#define NEREID_TOOL_SESSION_H

#include "Output.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nereid::tool {

struct CommonOptions {
  std::vector<std::string> pluginDirs;
  std::vector<std::string> plugins;
  std::string trace;
  std::string compiler; ///< of the verbs that compile
  bool noCache = false;
  bool isolated = false;
  bool json = false;
  int verbosity = 0;
};

class Session {
public:
  CommonOptions options;
  Output output;

  /// Makes the runtime on the first call: discovers plugins, loads those that
  /// were named.
  Expected<Runtime *> runtime();

private:
  nereid_severity_t logLevel = NEREID_SEVERITY_WARNING;
  std::optional<Runtime> owner;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_SESSION_H
