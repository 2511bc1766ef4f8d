// Process.h - one child process with a socket, and what it prints.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_WORKER_PROCESS_H
#define NEREID_HOST_WORKER_PROCESS_H

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nereid::worker {

using Clock = std::chrono::steady_clock;

/// What to start, and within which limits.
struct Command {
  /// The program, an absolute path, and its arguments.
  std::vector<std::string> words;
  /// "NAME=value"; they replace those of this process.
  std::vector<std::string> environment;
  /// Bytes of address space that the worker may have (RLIMIT_AS); 0: any.
  uint64_t memory = 0;
  /// How long it may take until it has said hello.
  std::chrono::milliseconds startLimit{60000};
  /// How much of its last output is kept for messages.
  size_t keptOutput = 16384;
};

/// The socket in the child.
constexpr int workerSocket = 3;

/// A child that runs Command; ended, and its folder removed, by the destructor.
///
/// Its standard input is empty; what it prints is read by readOutput(). It has
/// a folder of its own in TMPDIR, for what it leaves behind when it is killed.
/// A shell waits to remove that folder should this process be killed.
class Process {
public:
  /// Starts \p command. Null and \p problem if that fails. The child may be
  /// sent SIGKILL when the calling *thread* ends: it asks for that itself.
  static std::unique_ptr<Process> start(const Command &command,
                                        std::string &problem);
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;
  ~Process();

  int socket() const { return socketEnd; }
  int outputPipe() const { return outputEnd; }
  pid_t pid() const { return child; }

  /// Reads what the child has printed since, without waiting.
  void readOutput();
  /// The last of it, at most Command::keptOutput bytes.
  const std::string &output() const { return printed; }
  void forgetOutput() { printed.clear(); }

  /// Whether the child has ended. Leaves it to be collected.
  bool hasEnded() const;
  /// Collects a child that is ending, killing it after \p grace, and says how
  /// it ended: "it crashed with signal 11 (Segmentation fault)".
  std::string collect(std::chrono::milliseconds grace);

private:
  Process() = default;
  bool makeFolder(std::string &problem);
  bool removeFolder();
  void startRemover();
  void endRemover();
  bool spawn(const Command &command, int theirSocket, int theirOutput,
             std::string &problem);

  pid_t child = -1, remover = -1;
  bool isCollected = false;
  int status = -1;
  int socketEnd = -1, outputEnd = -1, removerEnd = -1;
  size_t keptOutput = 0;
  std::string printed, folder;
};

} // namespace nereid::worker

#endif // NEREID_HOST_WORKER_PROCESS_H
