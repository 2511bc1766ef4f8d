// Log.h - where messages of the host and of plugins go: the host program's
// callback, or stderr filtered by NEREID_LOG.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_RUNTIME_LOG_H
#define NEREID_HOST_RUNTIME_LOG_H

#include "nereid/base.h"

#include <string_view>

namespace nereid::host {

/// Immutable once made; every function may be called on any thread.
class Log {
public:
  using Callback = void (*)(void *user, nereid_string_t source,
                            const nereid_diagnostic_t *diagnostic);

  /// Writes messages of at least \p level to stderr.
  explicit Log(nereid_severity_t level = NEREID_SEVERITY_WARNING)
      : level(level) {}
  /// Passes messages of at least \p level to \p callback.
  Log(Callback callback, void *user, nereid_severity_t level)
      : callback(callback), user(user), level(level) {}

  bool enabled(nereid_severity_t severity) const;

  /// \p source is a plugin's id, or "nereid" for the host itself.
  void write(std::string_view source,
             const nereid_diagnostic_t &diagnostic) const;
  void write(nereid_severity_t severity, std::string_view message) const;
  void error(std::string_view message) const {
    write(NEREID_SEVERITY_ERROR, message);
  }
  void warning(std::string_view message) const {
    write(NEREID_SEVERITY_WARNING, message);
  }
  void info(std::string_view message) const {
    write(NEREID_SEVERITY_INFO, message);
  }
  void debug(std::string_view message) const {
    write(NEREID_SEVERITY_DEBUG, message);
  }

private:
  Callback callback = nullptr;
  void *user = nullptr;
  nereid_severity_t level;
};

} // namespace nereid::host

#endif // NEREID_HOST_RUNTIME_LOG_H
