// Process.cpp - starts, reads and ends a child process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Process.h"

#include "worker/SpawnPlan.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

extern char **environ;

namespace nereid::worker {

namespace {
/// A descriptor that is closed at the end of its scope.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};
} // namespace

// A descriptor that is close-on-exec and above the numbers that the child's own
// are moved to.
static int moveUp(int number) {
  if (number < 0 || number > workerSocket)
    return number;
  int moved = fcntl(number, F_DUPFD_CLOEXEC, workerSocket + 1);
  close(number);
  return moved;
}

// The environment of this process with `changes` in it.
static std::vector<std::string>
environmentWith(const std::vector<std::string> &changes) {
  std::vector<std::string> result;
  auto nameOf = [](std::string_view entry) {
    return entry.substr(0, entry.find('='));
  };
  for (char **entry = environ; entry && *entry; ++entry) {
    bool isReplaced = false;
    for (const std::string &change : changes)
      isReplaced |= nameOf(change) == nameOf(*entry);
    if (!isReplaced)
      result.emplace_back(*entry);
  }
  result.insert(result.end(), changes.begin(), changes.end());
  return result;
}

static std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool Process::makeFolder(std::string &problem) {
  const char *given = std::getenv("TMPDIR");
  std::string name = std::string(given && *given == '/' ? given : "/tmp") +
                     "/nereid-worker.XXXXXX";
  if (!mkdtemp(name.data())) {
    problem = "no folder '" + name +
              "' can be made for its files: " + std::strerror(errno);
    return false;
  }
  folder = name;
  return true;
}

// Nothing of a process that is killed with SIGKILL can run after it, and its
// worker is killed with it: only a third process can remove the folder then. It
// waits for the end of a pipe that this process alone has open. A worker that
// is still ending, or what it started, may write, hence the repetition. Where
// there is no shell, a killed process leaves folders.
void Process::startRemover() {
  static const char *const script =
      "PATH=$PATH:/usr/bin:/bin\n"
      "read -r nothing\n"
      "for wait in 0 1 2 4 8; do\n"
      "  sleep $wait; rm -rf -- \"$0\"; [ -e \"$0\" ] || exit 0\n"
      "done";
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return;
  removerEnd = pipes[1];
  Descriptor theirs{moveUp(pipes[0])};
  SpawnPlan plan(SpawnPlan::Own);
  plan.copy(theirs.number, STDIN_FILENO);
  plan.openNull(STDOUT_FILENO, O_WRONLY);
  plan.openNull(STDERR_FILENO, O_WRONLY);
  std::vector<std::string> words = {"/bin/sh", "-c", script, folder};
  if (posix_spawn(&remover, words[0].c_str(), &plan.actions, &plan.attributes,
                  pointersTo(words).data(), environ) != 0)
    remover = -1;
}

// Workers of the worker end after it, and remove folders in this one meanwhile,
// which makes remove_all() give up.
bool Process::removeFolder() {
  for (int wait = 0; wait <= 256; wait = std::max(1, 2 * wait)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (std::error_code error; !std::filesystem::exists(folder, error))
      return true;
  }
  return false;
}

void Process::endRemover() {
  siginfo_t info = {};
  // Not if the host program has collected it: its number may be another's.
  if (remover > 0 && waitid(P_PID, static_cast<id_t>(remover), &info,
                            WEXITED | WNOHANG | WNOWAIT) == 0) {
    kill(remover, SIGKILL);
    while (waitpid(remover, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

bool Process::spawn(const Command &command, int theirSocket, int theirOutput,
                    std::string &problem) {
  SpawnPlan plan(SpawnPlan::Own);
  plan.copy(theirOutput, STDOUT_FILENO);
  plan.copy(theirOutput, STDERR_FILENO);
  plan.copy(theirSocket, workerSocket);
  plan.openNull(STDIN_FILENO, O_RDONLY);
  std::vector<std::string> changes = command.environment;
  changes.push_back("TMPDIR=" + folder);
  std::vector<std::string> environment = environmentWith(changes);
  int error = posix_spawn(&child, command.words[0].c_str(), &plan.actions,
                          &plan.attributes, pointersTo(command.words).data(),
                          pointersTo(environment).data());
  if (error) {
    child = -1;
    problem =
        "'" + command.words[0] + "' cannot be started: " + std::strerror(error);
    return false;
  }
  // Set from outside, so that no worker need do it. No core file: a worker that
  // crashes is expected.
  rlimit none = {0, 0};
  prlimit(child, RLIMIT_CORE, &none, nullptr);
  if (command.memory) {
    rlimit most = {command.memory, command.memory};
    prlimit(child, RLIMIT_AS, &most, nullptr);
  }
  return true;
}

std::unique_ptr<Process> Process::start(const Command &command,
                                        std::string &problem) {
  std::unique_ptr<Process> process(new Process);
  process->keptOutput = command.keptOutput;
  if (!process->makeFolder(problem))
    return nullptr;
  int sockets[2], pipes[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    problem = std::string("no socket pair: ") + std::strerror(errno);
    return nullptr;
  }
  process->socketEnd = sockets[0];
  Descriptor theirSocket{moveUp(sockets[1])};
  if (pipe2(pipes, O_CLOEXEC) != 0) {
    problem = std::string("no pipe: ") + std::strerror(errno);
    return nullptr;
  }
  process->outputEnd = pipes[0];
  Descriptor theirOutput{moveUp(pipes[1])};
  // Ours alone: the flag belongs to the end, not to the pair.
  fcntl(process->socketEnd, F_SETFL, O_NONBLOCK);
  fcntl(process->outputEnd, F_SETFL, O_NONBLOCK);
  if (!process->spawn(command, theirSocket.number, theirOutput.number, problem))
    return nullptr;
  process->startRemover();
  return process;
}

void Process::readOutput() {
  char buffer[4096];
  while (true) {
    ssize_t got = read(outputEnd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return;
    printed.append(buffer, static_cast<size_t>(got));
    if (printed.size() > 2 * keptOutput)
      printed.erase(0, printed.size() - keptOutput);
    // One that prints for ever is not followed for ever.
    if (static_cast<size_t>(got) < sizeof buffer)
      return;
  }
}

bool Process::hasEnded() const {
  siginfo_t info = {};
  // If the host program collects or ignores its children, there is none left.
  return waitid(P_PID, static_cast<id_t>(child), &info,
                WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

static std::string howEnded(int status) {
  if (status != -1 && WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    std::string text = std::to_string(signal) + " (" + strsignal(signal) + ")";
    return signal == SIGKILL
               ? "it was killed with signal " + text +
                     ", as the system does when memory is exhausted"
               : "it crashed with signal " + text;
  }
  if (status != -1 && WIFEXITED(status))
    return "it ended with status " + std::to_string(WEXITSTATUS(status));
  return "it ended";
}

std::string Process::collect(std::chrono::milliseconds grace) {
  Clock::time_point deadline = Clock::now() + grace;
  while (!isCollected) {
    if (hasEnded() || Clock::now() >= deadline) {
      // Its own children, such as an assembler, end with it.
      if (!hasEnded())
        kill(child, SIGKILL);
      kill(-child, SIGKILL);
      int collected;
      pid_t result;
      do
        result = waitpid(child, &collected, 0);
      while (result < 0 && errno == EINTR);
      if (result == child)
        status = collected;
      isCollected = true;
      break;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  if (outputEnd >= 0)
    readOutput();
  if (printed.size() > keptOutput)
    printed.erase(0, printed.size() - keptOutput);
  return howEnded(status);
}

Process::~Process() {
  if (socketEnd >= 0)
    close(socketEnd);
  if (child > 0)
    collect(std::chrono::milliseconds(0));
  if (outputEnd >= 0)
    close(outputEnd);
  // Else the remover goes on when the pipe is closed, and stays a zombie.
  if (folder.empty() || removeFolder())
    endRemover();
  if (removerEnd >= 0)
    close(removerEnd);
}

} // namespace nereid::worker
