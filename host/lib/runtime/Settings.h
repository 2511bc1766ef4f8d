// Settings.h - the settings of a runtime, from the host program and the
// environment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_RUNTIME_SETTINGS_H
#define NEREID_HOST_RUNTIME_SETTINGS_H

#include "cache/RemoteAddress.h"
#include "nereid/host.h"
#include "support/Result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nereid::host {

/// What happens when a kernel is not in the cache, and when it is.
enum class CompilePolicy {
  Normal,
  Never, // a miss is an error
  Always // an entry is ignored and replaced
};

/// Read once, when a runtime is created; the environment is not read later.
struct Settings {
  std::string hostName, pluginDirs, allow, deny, cacheDir, target, traceFile;
  std::string compiler; ///< id of the plugin that compiles; empty: the best
  uint64_t cacheLimit = uint64_t(5) << 30;
  std::optional<RemoteAddress> cacheRemote;
  uint32_t probeTimeoutMs = 5000;
  bool discovers = true;
  bool isProbeIsolated = false;
  bool allowsWritable = false;
  bool hasCache = true;
  CompilePolicy compilePolicy = CompilePolicy::Normal;
  bool isCompileIsolated = false;
  uint32_t compileTimeoutMs = 600000; ///< of an isolated compilation
  nereid_severity_t logLevel = NEREID_SEVERITY_WARNING;
  bool isLogLevelGiven = false;

  void *user = nullptr;
  decltype(nereid_runtime_options_t::log) log = nullptr;
  decltype(nereid_runtime_options_t::compile_listener) compileListener =
      nullptr;

  /// \p options may be null. They take precedence over the environment,
  /// which is ignored in a set-user-id process. An invalid variable is an
  /// error.
  static Result<Settings> read(const nereid_runtime_options_t *options);
};

/// Reads "4096", "512M" or "5GiB" (powers of 1024).
Result<uint64_t> parseByteCount(std::string_view text);

/// Every environment variable that libnereid reads; docs/environment.md
/// describes each, which a test compares.
std::span<const std::string_view> environmentVariables();

} // namespace nereid::host

#endif // NEREID_HOST_RUNTIME_SETTINGS_H
