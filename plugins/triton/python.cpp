// python.cpp - finds a Python that has Triton.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "python.h"

#include "worker/Frame.h"
#include "worker/Process.h"

#include <algorithm>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>

namespace nereid::triton {

using worker::Json;

// The name of a top-level package is resolved without running any of its code.
static constexpr const char *probe = R"python(
import importlib.util, json, os, re
spec = importlib.util.find_spec("triton")
folder = os.path.dirname(spec.origin) if spec and spec.origin else ""
version = ""
if folder:
    with open(os.path.join(folder, "__init__.py"), encoding="utf-8") as file:
        found = re.search(r"__version__\s*=\s*['\"]([^'\"]+)", file.read())
        version = found.group(1) if found else ""
print("nereid-probe " + json.dumps([folder, version]))
)python";

static bool isSupported(const std::string &version) {
  int major = 0, minor = 0;
  return sscanf(version.c_str(), "%d.%d", &major, &minor) == 2 && major == 3 &&
         minor >= 6 && minor <= 9;
}

Installation inspectPython(const std::string &python) {
  Installation result;
  result.python = python;
  worker::Command command;
  command.words = {python, "-c", probe};
  std::unique_ptr<worker::Process> process =
      worker::Process::start(command, result.problem);
  if (!process)
    return result;
  constexpr std::chrono::seconds limit(20);
  worker::Clock::time_point deadline = worker::Clock::now() + limit;
  while (!process->hasEnded() && worker::Clock::now() < deadline) {
    pollfd wait = {process->outputPipe(), POLLIN, 0};
    poll(&wait, 1, 5);
    process->readOutput();
  }
  bool isLate = !process->hasEnded();
  std::string how = process->collect(std::chrono::milliseconds(0));
  std::string output = process->output();
  size_t at = output.rfind("nereid-probe ");
  Json found =
      at == std::string::npos
          ? Json()
          : Json::parse(output.substr(at + 13, output.find('\n', at) - at - 13),
                        nullptr, false);
  if (!found.is_array() || found.size() != 2 || !found[0].is_string() ||
      !found[1].is_string()) {
    std::replace(output.begin(), output.end(), '\n', ' ');
    result.problem = "'" + python + "' cannot be asked for Triton: " +
                     (isLate ? "it did not answer within 20 s" : how) +
                     (output.empty() ? "" : ": " + output);
    return result;
  }
  result.folder = found[0];
  result.version = found[1];
  if (result.folder.empty())
    result.problem = "'" + python + "' has no Triton";
  else if (!isSupported(result.version))
    result.problem =
        "'" + python + "' has Triton " +
        (result.version.empty() ? "of an unknown version" : result.version);
  return result;
}

// Adds what changes with the file at `path`.
static void addFile(const std::string &path, std::string &text) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return;
  text += path + ' ' + std::to_string(status.st_size) + ' ' +
          std::to_string(status.st_ino) + ' ' +
          std::to_string(status.st_mtim.tv_sec) + '.' +
          std::to_string(status.st_mtim.tv_nsec) + '\n';
}

std::string fingerprintOf(const Installation &installation) {
  namespace fs = std::filesystem;
  std::vector<std::string> files = {installation.python,
                                    installation.folder + "/__init__.py",
                                    installation.folder + "/knobs.py"};
  for (const char *part :
       {"_C", "backends", "compiler", "language", "runtime"}) {
    std::error_code error;
    fs::recursive_directory_iterator end,
        at(installation.folder + "/" + part,
           fs::directory_options::follow_directory_symlink, error);
    for (; !error && at != end; at.increment(error)) {
      if (at->path().filename() == "__pycache__" ||
          at->path().filename() == "include")
        at.disable_recursion_pending();
      else if (!at->is_directory(error))
        files.push_back(at->path());
    }
  }
  bool hasLibrary = std::ranges::any_of(files, [](const std::string &file) {
    return file.find("/_C/libtriton") != std::string::npos;
  });
  std::ranges::sort(files);
  return hasLibrary ? fingerprintOf(files) : std::string();
}

std::string fingerprintOf(const std::vector<std::string> &files) {
  std::string text;
  for (const std::string &file : files)
    addFile(file, text);
  // The text itself is long; two sums of it tell versions apart.
  char digits[64];
  snprintf(digits, sizeof digits, "%08x%08x-%zu", worker::crc32(text),
           worker::crc32(text, 0x9e3779b9u), text.size());
  return digits;
}

} // namespace nereid::triton
