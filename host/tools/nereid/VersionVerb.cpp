// VersionVerb.cpp - `nereid version`.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Verb.h"

namespace nereid::tool {

static Expected<int> showVersion(Session &session) {
  std::string version(detail::view(nereid_version()));
  session.output.document({{"version", version},
                           {"abi_major", NEREID_ABI_MAJOR},
                           {"abi_minor", NEREID_ABI_MINOR},
                           {"abi_provisional", NEREID_ABI_PROVISIONAL != 0}});
  session.output.text("nereid " + version + ", plugin ABI " +
                      std::to_string(NEREID_ABI_MAJOR) + '.' +
                      std::to_string(NEREID_ABI_MINOR) +
                      (NEREID_ABI_PROVISIONAL ? " (provisional)" : "") + '\n');
  return exitOk;
}

Verb versionVerb() {
  return {"version", "show the version", "version [--json]", "",
          {},        showVersion};
}

} // namespace nereid::tool
