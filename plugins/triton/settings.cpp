// settings.cpp - reads the environment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.h"

#include "common/environment.h"
#include "common/text.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

namespace nereid::triton {

using plugin::readCacheDirectory;
using plugin::readNumber;
using plugin::readVariable;

static std::vector<std::string> pythonsIn(std::string_view path) {
  std::vector<std::string> found;
  while (!path.empty()) {
    std::string file = std::string(plugin::takeItem(path, ':')) + "/python3";
    // Links stay: that of a virtual environment is what makes it one.
    if (file[0] == '/' && access(file.c_str(), X_OK) == 0 &&
        std::ranges::find(found, file) == found.end())
      found.push_back(file);
  }
  return found;
}

// Triton's own variables, but those that only say where its files are, and
// those of LLVM and MLIR that it reads.
static bool isRelevant(std::string_view name) {
  static constexpr std::string_view exact[] = {
      "ALLOW_LHS_TMEM_LAYOUT_CONVERSION",
      "DISABLE_LLVM_OPT",
      "DISABLE_MMA_V3",
      "DISABLE_MMA_V5",
      "DISABLE_PTXAS_OPT",
      "PTXAS_OPTIONS",
      "USE_IR_LOC",
      "PYTHONPATH",
      "PYTHONHOME"};
  static constexpr std::string_view ignored[] = {
      "TRITON_ALWAYS_COMPILE", "TRITON_CACHE_DIR",
      "TRITON_CACHE_MANAGER",  "TRITON_DEFAULT_BACKEND",
      "TRITON_DUMP_DIR",       "TRITON_HOME",
      "TRITON_KERNEL_DUMP",    "TRITON_KERNEL_OVERRIDE",
      "TRITON_OVERRIDE_DIR",   "TRITON_PRINT_AUTOTUNING"};
  static constexpr std::string_view prefixes[] = {"TRITON_", "MLIR_", "LLVM_",
                                                  "AMDGCN_", "NVPTX_"};
  if (std::ranges::find(ignored, name) != std::end(ignored))
    return false;
  return std::ranges::find(exact, name) != std::end(exact) ||
         std::ranges::any_of(prefixes, [&](std::string_view prefix) {
           return name.starts_with(prefix);
         });
}

static std::vector<std::string> relevantVariables() {
  std::vector<std::string> result;
  for (char **entry = environ; entry && *entry; ++entry) {
    std::string_view text(*entry);
    if (isRelevant(text.substr(0, text.find('='))))
      result.emplace_back(text);
  }
  std::ranges::sort(result);
  return result;
}

Settings Settings::read() {
  Settings settings;
  settings.python = readVariable("NEREID_TRITON_PYTHON");
  if (!settings.python.empty() && settings.python[0] != '/')
    plugin::refuseVariable("NEREID_TRITON_PYTHON", settings.python,
                           "the absolute path of a Python");
  if (settings.python.empty())
    settings.pythons =
        pythonsIn(getauxval(AT_SECURE) ? "/usr/bin" : readVariable("PATH"));
  settings.workers = static_cast<unsigned>(
      readNumber("NEREID_TRITON_WORKERS", "a number of workers", 1, 1024, 0));
  settings.memory = readNumber("NEREID_TRITON_MEMORY", "a number of megabytes",
                               512, uint64_t(1) << 30, 0)
                    << 20;
  settings.timeLimit = std::chrono::milliseconds(
      readNumber("NEREID_TRITON_TIME_LIMIT", "a number of milliseconds", 1,
                 24 * 3600 * 1000, 600000));
  settings.cacheDirectory = readCacheDirectory();
  settings.relevant = relevantVariables();
  return settings;
}

} // namespace nereid::triton
