// RaySweep.cpp - runs ray_sweep.py with a Python that has ray.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tune/RaySweep.h"

#include "Files.h"
#include "tune/RayScript.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::tool {

// A file with `text`, to read from its start; -1 with errno set on failure.
static int fileWith(const std::string &text) {
  int file = memfd_create("nereid-tasks", MFD_CLOEXEC);
  for (size_t at = 0; file >= 0 && at < text.size();) {
    ssize_t written = write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) {
      close(file);
      return -1;
    }
    at += written < 0 ? 0 : static_cast<size_t>(written);
  }
  if (file >= 0)
    (void)lseek(file, 0, SEEK_SET);
  return file;
}

static std::string pythonWithRay() {
  const char *variable = std::getenv("NEREID_RAY_PYTHON");
  return variable && *variable ? variable : "python3";
}

Expected<int> sweepWithRay(const RaySweep &sweep, const std::string &tasks) {
  std::error_code code;
  std::filesystem::path tool =
      std::filesystem::read_symlink("/proc/self/exe", code);
  if (code)
    return systemError("/proc/self/exe", code.value());
  Json settings = {{"address", sweep.address}, {"tool", tool.string()},
                   {"store", sweep.store},     {"words", sweep.words},
                   {"budget", sweep.budget},   {"resumes", sweep.resumes}};
  std::string python = pythonWithRay(), script = rayScript,
              text = settings.dump(), option = "-c";
  char *words[] = {python.data(), option.data(), script.data(), text.data(),
                   nullptr};
  int input = fileWith(tasks);
  if (input < 0)
    return systemError("a file in memory", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  pid_t child = 0;
  int error =
      posix_spawnp(&child, python.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(input);
  if (error) {
    Error problem = systemError(python + " cannot be run", error);
    problem.text += "; set NEREID_RAY_PYTHON to a Python with ray";
    return problem;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED(status))
    return failure(workFailed, python + " ended with signal " +
                                   std::to_string(WTERMSIG(status)) +
                                   " while it ran the sweep");
  if (WEXITSTATUS(status) == exitInterrupted)
    return exitInterrupted;
  return WEXITSTATUS(status) ? exitFailed : exitOk; // it has said why
}

} // namespace nereid::tool
