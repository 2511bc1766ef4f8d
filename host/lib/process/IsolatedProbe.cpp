// IsolatedProbe.cpp - probes a plugin in a child process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "process/IsolatedProbe.h"

#include "process/HelperProcess.h"

#include <sys/wait.h>

#include <chrono>
#include <cstring>

namespace nereid::host {

static std::string howEnded(int status) {
  if (status != -1 && WIFSIGNALED(status))
    return "it crashed with signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ") in ";
  if (status != -1 && WIFEXITED(status))
    return "it ended the process with status " +
           std::to_string(WEXITSTATUS(status)) + " in ";
  return "the process ended in ";
}

std::optional<Rejection> probeInChild(const std::string &path,
                                      const std::string &helper,
                                      uint32_t timeoutMs) {
  Result<HelperResult> ended =
      runHelper(helper, {path}, std::chrono::milliseconds(timeoutMs),
                HelperOutput::Discarded);
  if (!ended)
    return Rejection{Reason::ProbeUnavailable, ended.failure().text, {}};
  std::string &steps = ended->text;
  bool isDone = steps.ends_with('.');
  if (isDone)
    steps.pop_back();
  bool endedWell = ended->status == -1 || ended->status == 0;
  if (isDone && !ended->isLate && endedWell)
    return std::nullopt;
  LoadStep step = steps.empty() ? LoadStep::Load : stepOf(steps.back());
  if (ended->isLate)
    return Rejection{Reason::ProbeTimeout,
                     "it did not return from " + stepName(step) + " within " +
                         std::to_string(timeoutMs) + " ms",
                     {}};
  return Rejection{step <= LoadStep::Entry ? Reason::EntryCrashed
                                           : Reason::ProbeCrashed,
                   howEnded(ended->status) + stepName(step),
                   {}};
}

} // namespace nereid::host
