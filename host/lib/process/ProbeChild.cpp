// ProbeChild.cpp - what the child process of an isolated probe does.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/PluginLoader.h"
#include "process/IsolatedProbe.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace nereid::host {

static void send(int pipe, char word) {
  while (write(pipe, &word, 1) < 0 && errno == EINTR) {
  }
}

void runProbe(const std::string &path, int pipe) {
  // A plugin that crashes here is expected: no core file.
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  NoteResult note = readNote(path);
  if (const PluginNote *found = std::get_if<PluginNote>(&note)) {
    LoaderOptions options;
    options.progress = [pipe](LoadStep step) {
      send(pipe, static_cast<char>('0' + static_cast<int>(step)));
    };
    PluginLoader loader(options, nullptr);
    LoadResult result = loader.loadFile(path, *found);
    options.progress(LoadStep::Shutdown);
    result.plugin.reset();
    options.progress(LoadStep::Exit);
  }
  send(pipe, '.');
}

} // namespace nereid::host
