// PythonKernels.cpp - runs kernels.py in a child process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/PythonKernels.h"

#include "Files.h"
#include "Progress.h"
#include "kernels/Scripts.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::tool {

namespace {
/// A folder that is removed with all that is in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code error;
    std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    path = ((error ? "/tmp" : parent) / "nereid-build-XXXXXX").string();
    if (!mkdtemp(path.data()))
      code = errno;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!code)
      std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;

  std::string path;
  int code = 0; ///< why it could not be made
};
} // namespace

// The environment with Triton's cache in `folder`, without its interpreter, and
// without the shortcut around Triton's launches.
static std::vector<std::string> environmentFor(const std::string &folder) {
  std::vector<std::string> variables;
  for (char **each = environ; *each; ++each) {
    std::string_view variable(*each);
    if (!variable.starts_with("TRITON_CACHE_DIR=") &&
        !variable.starts_with("TRITON_INTERPRET=") &&
        !variable.starts_with("NEREID_DISPATCH="))
      variables.emplace_back(variable);
  }
  variables.push_back("TRITON_CACHE_DIR=" + folder + "/cache");
  variables.push_back("NEREID_DISPATCH=0");
  return variables;
}

static std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs the script with `words` after its mode and folder; gives its exit code.
static Expected<int> runScript(const std::string &python,
                               const std::string &folder,
                               const std::string &mode,
                               const std::vector<std::string> &words,
                               bool keepsStdio) {
  std::vector<std::string> all = {python, "-c", kernels::kernelsScript, mode,
                                  folder};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables = environmentFor(folder);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!keepsStdio) {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
  }
  pid_t child = 0;
  int error =
      posix_spawnp(&child, python.c_str(), &actions, nullptr,
                   pointersTo(all).data(), pointersTo(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error) {
    Error problem = systemError(python + " cannot be run", error);
    problem.text += "; set --python or NEREID_TRITON_PYTHON to a Python with "
                    "Triton";
    return problem;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  return failure(workFailed, words[0] + ": " + python + " ended with signal " +
                                 std::to_string(WTERMSIG(status)) +
                                 " while it made the kernels");
}

static std::string pythonFor(const std::string &given) {
  if (!given.empty())
    return given;
  const char *variable = std::getenv("NEREID_TRITON_PYTHON");
  return variable && *variable ? variable : "python3";
}

// Links stay: that of a virtual environment is what makes it one.
static std::string absoluteProgram(const std::string &name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (name.find('/') != name.npos)
    return fs::absolute(name, ignored).string();
  const char *variable = std::getenv("PATH");
  std::string_view path = variable ? variable : "";
  while (!path.empty()) {
    size_t colon = std::min(path.find(':'), path.size());
    fs::path found = fs::path(path.substr(0, colon)) / name;
    if (found.is_absolute() && access(found.c_str(), X_OK) == 0)
      return found.string();
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return {};
}

void compileWithPython(const std::string &python) {
  if (std::string program = absoluteProgram(python); !program.empty())
    setenv("NEREID_TRITON_PYTHON", program.c_str(), 1);
}

Expected<void> addPythonFile(BuildPlan &plan, const std::string &path,
                             const std::string &python) {
  // A clear error for a file that is not there.
  if (Expected<std::string> source = readFile(path); !source)
    return source.error();
  TemporaryFolder folder;
  if (folder.code)
    return systemError(folder.path, folder.code);
  Expected<int> code = [&] {
    Progress progress("running " + path);
    return runScript(pythonFor(python), folder.path, "build", {path}, false);
  }();
  if (!code)
    return code.error();
  if (*code)
    return failure(workFailed, path + ": " + pythonFor(python) +
                                   " ended with code " + std::to_string(*code) +
                                   " while it made the kernels");
  std::string list = folder.path + "/kernels.json";
  Expected<std::string> text = readFile(list);
  Json result = text ? Json::parse(*text, nullptr, false) : Json();
  if (!result.is_object())
    return failure(workFailed, path + ": the file ended Python before it gave "
                                      "its kernels");
  if (result.contains("error"))
    return failure(workFailed, result.value("error", ""));
  if (Expected<void> added = addKernelList(plan, list); !added)
    return added;
  // The list itself is gone when the build ends.
  std::erase(plan.dependencies, list);
  return {};
}

Expected<Recording> recordProgram(const std::vector<std::string> &words,
                                  const std::string &python, bool keepsStdout) {
  if (Expected<std::string> source = readFile(words[0]); !source)
    return source.error();
  TemporaryFolder folder;
  if (folder.code)
    return systemError(folder.path, folder.code);
  Expected<int> code =
      runScript(pythonFor(python), folder.path, "trace", words, keepsStdout);
  if (!code)
    return code.error();
  Expected<std::string> list = readFile(folder.path + "/kernels.json");
  if (!list)
    return failure(workFailed, words[0] +
                                   ": the program ended Python, with "
                                   "code " +
                                   std::to_string(*code) +
                                   ", before its launches were written down");
  Json result = Json::parse(*list, nullptr, false);
  if (result.is_object() && result.contains("error"))
    return failure(workFailed, result.value("error", ""));
  Recording recording = {std::move(*list), {}, *code};
  for (const auto &entry : std::filesystem::directory_iterator(folder.path)) {
    if (entry.path().extension() != ".ttir")
      continue;
    Expected<std::string> ttir = readFile(entry.path().string());
    if (!ttir)
      return ttir.error();
    recording.files.emplace_back(entry.path().filename().string(),
                                 std::move(*ttir));
  }
  return recording;
}

} // namespace nereid::tool
