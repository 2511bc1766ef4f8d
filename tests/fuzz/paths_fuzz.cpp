// paths_fuzz.cpp - lists of plugin directories, names of checkouts and patterns
// of ids, of any bytes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Note.h"
#include "plugin/PluginPaths.h"
#include "support/Glob.h"

#include <cstdint>
#include <cstdlib>

using namespace nereid::host;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  PluginDirs dirs = splitPluginDirs(text);
  for (const PluginDir &dir : dirs.dirs)
    require(dir.path[0] == '/' && dir.path.find(';') == std::string::npos);
  for (const Candidate &refused : dirs.refused)
    require(!refused.path.empty() && refused.path[0] != '/');

  std::string name = parseNameConf(text);
  require(name.size() <= 63 && name.find('/') == std::string::npos);

  size_t middle = size / 2;
  std::string_view match =
      firstMatch(text.substr(0, middle), text.substr(middle));
  require(match.empty() || matchesGlob(match, text.substr(middle)));
  return 0;
}
