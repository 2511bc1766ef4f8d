// HelperProcess.h - runs the helper program `nereid-probe`, in which a plugin
// may crash, hang or exit.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The host program may have threads, so a child is always another program: a
// forked copy would find the locks of other threads held for ever.

#ifndef NEREID_HOST_PROCESS_HELPER_PROCESS_H
#define NEREID_HOST_PROCESS_HELPER_PROCESS_H

#include "plugin/PluginLoader.h"
#include "support/Result.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

/// The end of the pipe in the child.
constexpr int helperPipe = 3;

/// Where the child's standard output and error go: what a plugin prints must
/// not mix with what the host program prints.
enum class HelperOutput { Discarded, StandardError };

struct HelperResult {
  std::string text; // what it wrote to the pipe
  int status = -1;  // of waitpid; -1 if the host program collected the child
  bool isLate = false;
};

/// The helper that is installed with the libnereid in \p libraryDir; empty if
/// that is empty.
std::string probeHelperIn(const std::string &libraryDir);

/// Runs \p helper with \p arguments until it ends, and kills it after
/// \p limit. A process that the child leaves behind is not waited for. Fails if
/// the helper cannot be started.
Result<HelperResult> runHelper(const std::string &helper,
                               const std::vector<std::string> &arguments,
                               std::chrono::milliseconds limit,
                               HelperOutput output);

/// In the child: writes \p text to \p pipe.
void sendToParent(int pipe, std::string_view text) noexcept;

/// The step that a child reports as \p digit, and what messages call it.
LoadStep stepOf(char digit);
std::string stepName(LoadStep step);

} // namespace nereid::host

#endif // NEREID_HOST_PROCESS_HELPER_PROCESS_H
