// Session.cpp - turns the common options into a runtime.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Session.h"

#include "text/EscapeForTerminal.h"
#include "text/Severity.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <unistd.h>

namespace nereid::tool {

// While plugins are loaded, what libnereid reported last: which one it loads.
static std::mutex lastMutex;
static std::string lastMessage;

// -v takes precedence over NEREID_LOG, which libnereid has checked.
static nereid_severity_t levelFor(int verbosity) {
  if (verbosity > 0)
    return verbosity > 1 ? NEREID_SEVERITY_DEBUG : NEREID_SEVERITY_INFO;
  const char *given = std::getenv("NEREID_LOG");
  return parseSeverity(given ? given : "").value_or(NEREID_SEVERITY_WARNING);
}

static void logMessage(void *user, nereid_string_t source,
                       const nereid_diagnostic_t *diagnostic) {
  bool isFromHost = detail::view(source) == "nereid";
  if (isFromHost) {
    std::lock_guard lock(lastMutex);
    lastMessage = detail::view(diagnostic->message);
  }
  if (!isShownAt(*static_cast<const nereid_severity_t *>(user),
                 diagnostic->severity))
    return;
  std::string line = "nereid: ";
  line += severityName(diagnostic->severity);
  line += ": ";
  if (source.size && !isFromHost)
    line += std::string(detail::view(source)) + ": ";
  line += detail::view(diagnostic->message);
  std::fputs((escapeForTerminal(line) + '\n').c_str(), stderr);
}

static Expected<std::string> joinDirs(const std::vector<std::string> &dirs) {
  std::string joined;
  for (const std::string &dir : dirs) {
    std::error_code problem;
    std::string absolute = std::filesystem::absolute(dir, problem).string();
    if (dir.empty() || problem)
      return invalid("--plugin-dir: the name of a directory is expected");
    if (!std::filesystem::is_directory(absolute, problem))
      return failure(NEREID_NOT_FOUND,
                     "--plugin-dir: '" + dir + "' is not a directory");
    joined += (joined.empty() ? "" : ";") + absolute;
  }
  return joined;
}

// Whose plugins are being loaded, and in which process; null at other times.
static Session *loading = nullptr;
static pid_t loadingProcess = 0;

static void reportExit() {
  if (!loading || getpid() != loadingProcess)
    return;
  std::string last;
  {
    std::lock_guard lock(lastMutex);
    last = lastMessage;
  }
  loading->output.error(failure(
      NEREID_INTERNAL, "a plugin ended the process while it was loaded\n"
                       "note: the last message was: " +
                           last + "\nnote: --isolated survives it"));
  _exit(exitInternal);
}

// What `load` makes, unless a plugin calls exit().
template <typename Load> static auto guardExit(Session &session, Load load) {
  static const int registered = std::atexit(reportExit);
  (void)registered;
  loading = &session;
  loadingProcess = getpid();
  auto result = load();
  loading = nullptr;
  return result;
}

Expected<Runtime *> Session::runtime() {
  if (owner)
    return &*owner;
  Expected<std::string> dirs = joinDirs(options.pluginDirs);
  if (!dirs)
    return dirs.error();
  nereid_runtime_options_t settings = {};
  settings.struct_size = sizeof settings;
  settings.host_name = detail::borrow("nereid");
  settings.plugin_dirs = detail::borrow(*dirs);
  settings.trace = detail::borrow(options.trace);
  settings.compiler = detail::borrow(options.compiler);
  settings.flags = (options.noCache ? NEREID_RUNTIME_NO_CACHE : 0u) |
                   (options.isolated ? NEREID_RUNTIME_ISOLATED_PROBE : 0u);
  // All of them: the last one names a plugin that ends the process.
  settings.log = logMessage;
  settings.log_level = NEREID_SEVERITY_DEBUG;
  logLevel = levelFor(options.verbosity);
  settings.user = &logLevel;
  Expected<Runtime> made = guardExit(*this, [&]() -> Expected<Runtime> {
    Expected<Runtime> runtime = Runtime::create(&settings);
    if (runtime)
      for (const std::string &path : options.plugins)
        if (Expected<Backend> loaded = runtime->load(path); !loaded)
          return loaded.error();
    return runtime;
  });
  if (!made)
    return made.error();
  owner.emplace(std::move(*made));
  return &*owner;
}

} // namespace nereid::tool
