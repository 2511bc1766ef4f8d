// Settings.cpp - reads the settings of a runtime.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Settings.h"

#include "abi/Struct.h"
#include "text/Severity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace nereid::host {

static Failure wrongVariable(std::string_view name, std::string_view value,
                             std::string_view expected) {
  return {NEREID_INVALID_ARGUMENT, "environment variable " + std::string(name) +
                                       " is '" + std::string(value) +
                                       "', expected " + std::string(expected)};
}

Result<uint64_t> parseByteCount(std::string_view text) {
  uint64_t count = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  std::string_view unit(end, text.data() + text.size());
  if (unit.size() == 3 && unit.ends_with("iB"))
    unit.remove_suffix(2);
  static constexpr std::string_view units = "KMGT";
  size_t power = 0;
  if (unit.size() == 1 && units.find(unit[0]) != std::string_view::npos)
    power = units.find(unit[0]) + 1;
  if (error != std::errc() || (!unit.empty() && !power) ||
      (count << (10 * power)) >> (10 * power) != count)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "'" + std::string(text) +
                       "' is not a byte count, expected one like 4096, "
                       "512M or 5G"};
  return count << (10 * power);
}

namespace {
using Reader = Outcome (*)(std::string_view value, Settings &settings);

/// One environment variable and what it sets.
struct Variable {
  std::string_view name;
  Reader read;
};
} // namespace

static Outcome readCacheLimit(std::string_view value, Settings &settings) {
  Result<uint64_t> limit = parseByteCount(value);
  if (!limit)
    return wrongVariable("NEREID_CACHE_LIMIT", value,
                         "a number of bytes like 4096, 512M or 5G");
  settings.cacheLimit = *limit;
  return {};
}

static Outcome readCacheRemote(std::string_view value, Settings &settings) {
  Result<RemoteAddress> address = RemoteAddress::parse(value);
  // Not quoted: it may hold a password.
  if (!address)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "environment variable NEREID_CACHE_REMOTE: " +
                       address.failure().text};
  settings.cacheRemote = std::move(*address);
  return {};
}

static Outcome readCompile(std::string_view value, Settings &settings) {
  constexpr std::string_view expected =
      "'never', 'always' or 'isolated', or 'isolated' and one of the others "
      "with a comma between";
  std::string_view rest = value;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    CompilePolicy policy =
        word == "never" ? CompilePolicy::Never : CompilePolicy::Always;
    if (word == "isolated")
      settings.isCompileIsolated = true;
    else if ((word == "never" || word == "always") &&
             (settings.compilePolicy == CompilePolicy::Normal ||
              settings.compilePolicy == policy))
      settings.compilePolicy = policy;
    else
      return wrongVariable("NEREID_COMPILE", value, expected);
  }
  return {};
}

static Outcome readProbe(std::string_view value, Settings &settings) {
  if (value != "isolated")
    return wrongVariable("NEREID_PROBE", value, "'isolated'");
  settings.isProbeIsolated = true;
  return {};
}

static Outcome readMilliseconds(std::string_view name, std::string_view value,
                                uint32_t &out) {
  uint32_t milliseconds = 0;
  const char *last = value.data() + value.size();
  auto [end, error] = std::from_chars(value.data(), last, milliseconds);
  if (error != std::errc() || end != last || milliseconds == 0)
    return wrongVariable(name, value, "a number of milliseconds");
  out = milliseconds;
  return {};
}

static Outcome readLog(std::string_view value, Settings &settings) {
  std::optional<nereid_severity_t> level = parseSeverity(value);
  if (!level)
    return wrongVariable("NEREID_LOG", value,
                         "'error', 'warning', 'info' or 'debug'");
  settings.logLevel = *level;
  settings.isLogLevelGiven = true;
  return {};
}

static constexpr Variable variables[] = {
    {"NEREID_PLUGIN_DIRS",
     [](std::string_view value, Settings &settings) {
       settings.pluginDirs = value;
       return Outcome();
     }},
    {"NEREID_TARGET",
     [](std::string_view value, Settings &settings) {
       settings.target = value;
       return Outcome();
     }},
    {"NEREID_COMPILER",
     [](std::string_view value, Settings &settings) {
       settings.compiler = value;
       return Outcome();
     }},
    {"NEREID_CACHE_DIR",
     [](std::string_view value, Settings &settings) {
       settings.cacheDir = value;
       return Outcome();
     }},
    {"NEREID_CACHE_LIMIT", readCacheLimit},
    {"NEREID_CACHE_REMOTE", readCacheRemote},
    {"NEREID_COMPILE", readCompile},
    {"NEREID_COMPILE_TIMEOUT",
     [](std::string_view value, Settings &settings) {
       return readMilliseconds("NEREID_COMPILE_TIMEOUT", value,
                               settings.compileTimeoutMs);
     }},
    {"NEREID_PROBE", readProbe},
    {"NEREID_PROBE_TIMEOUT",
     [](std::string_view value, Settings &settings) {
       return readMilliseconds("NEREID_PROBE_TIMEOUT", value,
                               settings.probeTimeoutMs);
     }},
    {"NEREID_LOG", readLog},
    {"NEREID_TRACE",
     [](std::string_view value, Settings &settings) {
       settings.traceFile = value;
       return Outcome();
     }},
};

std::span<const std::string_view> environmentVariables() {
  static constexpr auto names = [] {
    std::array<std::string_view, std::size(variables)> names;
    for (size_t i = 0; i < names.size(); ++i)
      names[i] = variables[i].name;
    return names;
  }();
  return names;
}

static Outcome readEnvironment(Settings &settings) {
  for (const Variable &variable : variables) {
    const char *value = ::secure_getenv(variable.name.data());
    if (!value || !*value)
      continue;
    if (Outcome read = variable.read(value, settings); !read)
      return read;
  }
  return {};
}

static void takeText(nereid_string_t given, std::string &setting) {
  if (given.size)
    setting = view(given);
}

static Outcome applyPolicies(const nereid_runtime_options_t &options,
                             Settings &settings) {
  if (options.log_level) {
    if (options.log_level < NEREID_SEVERITY_ERROR ||
        options.log_level > NEREID_SEVERITY_DEBUG)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "log_level is " + std::to_string(options.log_level) +
                         ", expected a severity"};
    settings.logLevel = options.log_level;
    settings.isLogLevelGiven = true;
  }
  static constexpr CompilePolicy policies[] = {
      CompilePolicy::Normal, CompilePolicy::Never, CompilePolicy::Always};
  if (options.compile_policy > std::size(policies))
    return Failure{
        NEREID_INVALID_ARGUMENT,
        "compile_policy is " + std::to_string(options.compile_policy) +
            ", expected at most " + std::to_string(std::size(policies))};
  if (options.cache_remote.size) {
    Result<RemoteAddress> address =
        RemoteAddress::parse(view(options.cache_remote));
    if (!address)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "cache_remote: " + address.failure().text};
    settings.cacheRemote = std::move(*address);
  }
  if (options.compile_policy)
    settings.compilePolicy = policies[options.compile_policy - 1];
  return {};
}

static void applyOptions(const nereid_runtime_options_t &options,
                         Settings &settings) {
  uint32_t flags = options.flags;
  settings.discovers = !(flags & NEREID_RUNTIME_NO_DISCOVERY);
  settings.isProbeIsolated |= (flags & NEREID_RUNTIME_ISOLATED_PROBE) != 0;
  settings.isCompileIsolated |= (flags & NEREID_RUNTIME_ISOLATED_COMPILE) != 0;
  settings.allowsWritable = flags & NEREID_RUNTIME_ALLOW_WRITABLE;
  settings.hasCache = !(flags & NEREID_RUNTIME_NO_CACHE);
  takeText(options.host_name, settings.hostName);
  takeText(options.plugin_dirs, settings.pluginDirs);
  takeText(options.allow, settings.allow);
  takeText(options.deny, settings.deny);
  takeText(options.cache_dir, settings.cacheDir);
  takeText(options.target, settings.target);
  takeText(options.compiler, settings.compiler);
  takeText(options.trace, settings.traceFile);
  if (options.cache_limit)
    settings.cacheLimit = options.cache_limit;
  if (options.probe_timeout_ms)
    settings.probeTimeoutMs = options.probe_timeout_ms;
  if (options.compile_timeout_ms)
    settings.compileTimeoutMs = options.compile_timeout_ms;
  settings.user = options.user;
  settings.log = options.log;
  settings.compileListener = options.compile_listener;
}

Result<Settings> Settings::read(const nereid_runtime_options_t *given) {
  nereid_runtime_options_t options = {};
  if (given)
    options = readStruct(*given);
  Settings settings;
  if (!(options.flags & NEREID_RUNTIME_IGNORE_ENVIRONMENT))
    if (Outcome read = readEnvironment(settings); !read)
      return read.failure();
  applyOptions(options, settings);
  if (Outcome applied = applyPolicies(options, settings); !applied)
    return applied.failure();
  // A program that takes the messages decides itself what to show.
  if (settings.log && !settings.isLogLevelGiven)
    settings.logLevel = NEREID_SEVERITY_DEBUG;
  return settings;
}

} // namespace nereid::host
