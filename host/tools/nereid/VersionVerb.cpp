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
                           {"abi_revision", NEREID_ABI_REVISION}});
  session.output.text(
      "nereid " + version + ", plugin ABI " + std::to_string(NEREID_ABI_MAJOR) +
      '.' + std::to_string(NEREID_ABI_MINOR) +
      (NEREID_ABI_REVISION ? " (provisional, revision " +
                                 std::to_string(NEREID_ABI_REVISION) + ")"
                           : "") +
      '\n');
  return exitOk;
}

Verb versionVerb() {
  return {"version", "show the version", "version [--json]", "",
          {},        showVersion};
}

} // namespace nereid::tool
