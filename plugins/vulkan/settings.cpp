// settings.cpp - reads the environment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.h"

#include "failure.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/auxv.h>

namespace nereid::vulkan {

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static bool readSwitch(const char *name, bool byDefault) {
  std::string value = variable(name);
  if (value.empty())
    return byDefault;
  if (value != "0" && value != "1")
    throw Failure(NEREID_INVALID_ARGUMENT, std::string(name) + " is '" + value +
                                               "', 0 or 1 was expected");
  return value == "1";
}

/// A number of `what`.
static uint64_t readNumber(const char *name, const char *what, uint64_t least,
                           uint64_t most, uint64_t byDefault) {
  std::string value = variable(name);
  uint64_t number = 0;
  if (value.empty())
    return byDefault;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() ||
      number < least || number > most)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  std::string(name) + " is '" + value + "', " + what +
                      " from " + std::to_string(least) + " to " +
                      std::to_string(most) + " were expected");
  return number;
}

/// Where the host keeps its cache (docs/cache.md).
static std::string readCacheDirectory() {
  std::string path = variable("NEREID_CACHE_DIR");
  if (path.empty() && !variable("XDG_CACHE_HOME").empty())
    path = variable("XDG_CACHE_HOME") + "/nereid";
  if (path.empty() && !variable("HOME").empty())
    path = variable("HOME") + "/.cache/nereid";
  return path.starts_with('/') ? path : std::string();
}

Settings Settings::read() {
  Settings settings;
  // As libnereid does: a process with raised privileges ignores them.
  if (getauxval(AT_SECURE)) {
    settings.pipelineCache = false;
    return settings;
  }
  settings.devices = variable("NEREID_VULKAN_DEVICES");
  settings.validation = readSwitch("NEREID_VULKAN_VALIDATION", false);
  settings.pipelineCache = readSwitch("NEREID_VULKAN_PIPELINE_CACHE", true);
  settings.timeLimit = readNumber("NEREID_VULKAN_TIME_LIMIT", "milliseconds", 0,
                                  24 * 3600 * 1000, settings.timeLimit);
  settings.printBuffer = readNumber("NEREID_VULKAN_PRINT_BUFFER", "bytes", 4096,
                                    256u << 20, settings.printBuffer);
  settings.cacheDirectory = readCacheDirectory();
  return settings;
}

} // namespace nereid::vulkan
