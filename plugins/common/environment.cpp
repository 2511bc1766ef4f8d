// environment.cpp - reads and checks variables.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "environment.h"

#include "guard.h"

#include <charconv>
#include <cstdlib>

namespace nereid::plugin {

void refuseVariable(const char *name, const std::string &value,
                    const std::string &expected) {
  throw Failure(NEREID_INVALID_ARGUMENT, std::string(name) + " is '" + value +
                                             "', " + expected +
                                             " was expected");
}

std::string readVariable(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

std::string readCacheDirectory() {
  std::string path = readVariable("NEREID_CACHE_DIR");
  if (path.empty() && !readVariable("XDG_CACHE_HOME").empty())
    path = readVariable("XDG_CACHE_HOME") + "/nereid";
  if (path.empty() && !readVariable("HOME").empty())
    path = readVariable("HOME") + "/.cache/nereid";
  return path.starts_with('/') ? path : std::string();
}

bool readSwitch(const char *name, bool byDefault) {
  std::string value = readVariable(name);
  if (value.empty())
    return byDefault;
  if (value != "0" && value != "1")
    refuseVariable(name, value, "0 or 1");
  return value == "1";
}

uint64_t readNumber(const char *name, const char *what, uint64_t least,
                    uint64_t most, uint64_t byDefault) {
  std::string value = readVariable(name);
  if (value.empty())
    return byDefault;
  uint64_t number = 0;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() ||
      number < least || number > most)
    refuseVariable(name, value,
                   std::string(what) + " from " + std::to_string(least) +
                       " to " + std::to_string(most));
  return number;
}

} // namespace nereid::plugin
