// ProbeChild.cpp - what the child process of an isolated probe does.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/PluginLoader.h"
#include "process/HelperProcess.h"
#include "process/IsolatedProbe.h"

namespace nereid::host {

void runProbe(const std::string &path, int pipe) {
  NoteResult note = readNote(path);
  if (const PluginNote *found = std::get_if<PluginNote>(&note)) {
    LoaderOptions options;
    options.probesAtOnce = true;
    options.progress = [pipe](LoadStep step) {
      char digit = static_cast<char>('0' + static_cast<int>(step));
      sendToParent(pipe, {&digit, 1});
    };
    PluginLoader loader(options, nullptr);
    LoadResult result = loader.loadFile(path, *found);
    options.progress(LoadStep::Shutdown);
    result.plugin.reset();
    options.progress(LoadStep::Exit);
  }
  sendToParent(pipe, ".");
}

} // namespace nereid::host
