// IsolatedProbe.cpp - starts the child process of a probe and waits for it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "process/IsolatedProbe.h"

#include "plugin/PluginLoader.h"
#include "support/File.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

extern char **environ;

namespace nereid::host {

using Clock = std::chrono::steady_clock;

static constexpr int pipeInChild = 3;

namespace {
/// A running child and the end of the pipe that it tells its steps on.
struct Child {
  pid_t id = -1;
  FileHandle pipe;
};

/// How far a child came.
struct Progress {
  LoadStep step = LoadStep::Load;
  bool isDone = false;
  bool isLate = false;
};
} // namespace

/// What it says on its standard output must not get into the host program's.
static pid_t spawnHelper(const std::string &helper, const std::string &path,
                         int pipe) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe, pipeInChild);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  char *arguments[] = {const_cast<char *>(helper.c_str()),
                       const_cast<char *>(path.c_str()), nullptr};
  pid_t child = -1;
  if (posix_spawn(&child, helper.c_str(), &actions, &attributes, arguments,
                  environ) != 0)
    child = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

/// Without the helper the child is a copy of this process, in which only this
/// thread goes on. glibc sees to its own locks; those of the host program may
/// be held for ever, which the time limit covers.
static pid_t forkProbe(const std::string &path, int pipe) {
  pid_t child = fork();
  if (child != 0)
    return child;
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTERM})
    std::signal(signal, SIG_DFL);
  runProbe(path, pipe);
  _exit(0);
}

static Child startChild(const std::string &path, const std::string &helper) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return {};
  FileHandle theirs(ends[1]);
  Child child = {-1, FileHandle(ends[0])};
  if (!helper.empty() && access(helper.c_str(), X_OK) == 0)
    child.id = spawnHelper(helper, path, theirs.get());
  if (child.id < 0)
    child.id = forkProbe(path, theirs.get());
  return child;
}

/// Whether the child has ended; leaves it to be collected.
static bool hasEnded(pid_t child) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child), &info,
                WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

/// Reads the child's steps until it is done, has ended or is late. Its end does
/// not always close the pipe: a process that the plugin started may hold it.
static Progress follow(const Child &child, Clock::time_point deadline) {
  constexpr int sliceMs = 10;
  Progress progress;
  while (!progress.isDone) {
    bool isOver = hasEnded(child.id); // asked first: all that it said is there
    pollfd wait = {child.pipe.get(), POLLIN, 0};
    int ready = poll(&wait, 1, isOver ? 0 : sliceMs);
    if (ready < 0 && errno != EINTR)
      break;
    if (ready <= 0) {
      progress.isLate = !isOver && Clock::now() >= deadline;
      if (isOver || progress.isLate)
        break;
      continue;
    }
    char word;
    ssize_t got = read(child.pipe.get(), &word, 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    if (word == '.')
      progress.isDone = true;
    else
      progress.step = static_cast<LoadStep>(
          std::clamp(word - '0', 0, static_cast<int>(LoadStep::Exit)));
  }
  return progress;
}

/// Collects the child, and kills it at the deadline. Returns how it ended, or
/// -1 if the host program's own handling of children took that away.
static int collect(pid_t child, Clock::time_point deadline,
                   Progress &progress) {
  int status = -1;
  while (true) {
    pid_t ended = waitpid(child, &status, progress.isLate ? 0 : WNOHANG);
    if (ended == child)
      return status;
    if (ended < 0 && errno != EINTR)
      return -1;
    if (ended == 0 && Clock::now() >= deadline) {
      progress.isLate = true;
      kill(child, SIGKILL);
    }
    if (ended == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

static std::string stepName(LoadStep step) {
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
  Clock::time_point deadline =
      Clock::now() + std::chrono::milliseconds(timeoutMs);
  Child child = startChild(path, helper);
  if (child.id < 0)
    return Rejection{Reason::ProbeUnavailable,
                     "no child process can be started: " + errorText(errno),
                     {}};
  Progress progress = follow(child, deadline);
  if (progress.isLate)
    kill(child.id, SIGKILL);
  int status = collect(child.id, deadline, progress);
  bool endedWell = status == -1 || status == 0;
  if (progress.isDone && !progress.isLate && endedWell)
    return std::nullopt;
  std::string step = stepName(progress.step);
  if (progress.isLate)
    return Rejection{Reason::ProbeTimeout,
                     "it did not return from " + step + " within " +
                         std::to_string(timeoutMs) + " ms",
                     {}};
  bool isEntry = progress.step <= LoadStep::Entry;
  return Rejection{isEntry ? Reason::EntryCrashed : Reason::ProbeCrashed,
                   howEnded(status) + step,
                   {}};
}

} // namespace nereid::host
