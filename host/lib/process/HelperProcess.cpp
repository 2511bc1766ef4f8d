// HelperProcess.cpp - starts the helper program, reads its pipe and collects
// it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "process/HelperProcess.h"

#include "support/File.h"
#include "worker/SpawnPlan.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

extern char **environ;

namespace nereid::host {

using Clock = std::chrono::steady_clock;

static Result<pid_t> start(const std::string &helper,
                           const std::vector<std::string> &arguments, int pipe,
                           HelperOutput output) {
  worker::SpawnPlan plan(worker::SpawnPlan::Inherited);
  plan.copy(pipe, helperPipe);
  plan.openNull(STDIN_FILENO, O_RDONLY);
  if (output == HelperOutput::Discarded) {
    plan.openNull(STDOUT_FILENO, O_WRONLY);
    plan.copy(STDOUT_FILENO, STDERR_FILENO);
  } else {
    plan.copy(STDERR_FILENO, STDOUT_FILENO);
  }
  std::vector<char *> words = {const_cast<char *>(helper.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  pid_t child = -1;
  int error = posix_spawn(&child, helper.c_str(), &plan.actions,
                          &plan.attributes, words.data(), environ);
  if (error == 0)
    return child;
  return Failure{NEREID_UNAVAILABLE,
                 "the helper program '" + helper +
                     "' cannot be started: " + errorText(error)};
}

/// Whether the child has ended; leaves it to be collected. If the program
/// ignores its children, there is none left.
static bool hasEnded(pid_t child) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child), &info,
                WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

/// Reads what the child writes until it has ended or is late. Its end does not
/// always close the pipe: a process that the plugin started may hold it.
static void follow(pid_t child, int pipe, Clock::time_point deadline,
                   HelperResult &result) {
  constexpr int sliceMs = 10;
  bool isOpen = true;
  while (true) {
    bool isOver = hasEnded(child); // asked first: all that it wrote is there
    // Looked at in every round: a child that writes for ever is late, too.
    if (!isOver && Clock::now() >= deadline) {
      result.isLate = true;
      return;
    }
    if (!isOpen) {
      if (isOver)
        return;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    pollfd wait = {pipe, POLLIN, 0};
    int ready = poll(&wait, 1, isOver ? 0 : sliceMs);
    if (ready == 0 && isOver)
      return;
    if (ready <= 0)
      continue;
    char buffer[4096];
    ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got > 0)
      result.text.append(buffer, static_cast<size_t>(got));
    else if (got == 0 || errno != EINTR)
      isOpen = false;
  }
}

Result<HelperResult> runHelper(const std::string &helper,
                               const std::vector<std::string> &arguments,
                               std::chrono::milliseconds limit,
                               HelperOutput output) {
  Clock::time_point deadline = Clock::now() + limit;
  if (helper.empty())
    return Failure{NEREID_NOT_FOUND,
                   "the helper program nereid-probe was not looked for: where "
                   "libnereid is located is unknown"};
  if (access(helper.c_str(), X_OK) != 0)
    return Failure{NEREID_NOT_FOUND,
                   "the helper program '" + helper + "' cannot be run: " +
                       errorText(errno) + "; it is installed with libnereid"};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Failure{NEREID_UNAVAILABLE, "no pipe: " + errorText(errno)};
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  Result<pid_t> child = start(helper, arguments, theirs.get(), output);
  if (!child)
    return child.failure();
  theirs.close();
  HelperResult result;
  follow(*child, ours.get(), deadline, result);
  if (result.isLate)
    kill(*child, SIGKILL);
  int status = 0;
  pid_t collected;
  do
    collected = waitpid(*child, &status, 0);
  while (collected < 0 && errno == EINTR);
  if (collected == *child)
    result.status = status;
  return result;
}

std::string probeHelperIn(const std::string &libraryDir) {
  return libraryDir.empty() ? "" : libraryDir + "/" NEREID_PROBE_PATH;
}

void sendToParent(int pipe, std::string_view text) noexcept {
  (void)writeAll(pipe, text); // the parent may be gone
}

LoadStep stepOf(char digit) {
  return static_cast<LoadStep>(
      std::clamp(digit - '0', 0, static_cast<int>(LoadStep::Exit)));
}

std::string stepName(LoadStep step) {
  switch (step) {
  case LoadStep::Load:
    return "its constructors";
  case LoadStep::Entry:
    return "its entry";
  case LoadStep::Create:
    return "its create";
  case LoadStep::Probe:
    return "its probe";
  case LoadStep::Shutdown:
    return "its shutdown";
  case LoadStep::Exit:
    return "its destructors";
  }
  return "an unknown step";
}

} // namespace nereid::host
