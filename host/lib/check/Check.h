// Check.h - the conformance checks of nereid_validate_plugin().
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Each check runs in a child process of its own, so that a plugin which
// crashes, hangs or exits fails that check and no other.

#ifndef NEREID_HOST_CHECK_CHECK_H
#define NEREID_HOST_CHECK_CHECK_H

#include "plugin/PluginRegistry.h"
#include "plugin/Target.h"
#include "runtime/Log.h"
#include "support/Json.h"

#include <span>
#include <string>
#include <string_view>

namespace nereid::host {

/// How a check ends that does not pass; thrown within the child.
struct CheckFailed {
  std::string why;
};
struct CheckSkipped {
  std::string why;
};

/// What a check works with: the file, and the plugin once it asks for it.
class CheckedPlugin {
public:
  /// \p isIsolated: a child process loads it first, and ends.
  explicit CheckedPlugin(std::string path, bool isIsolated = false)
      : path(std::move(path)), isIsolated(isIsolated) {}

  const std::string path;
  const Log log{NEREID_SEVERITY_ERROR};

  /// Loads the plugin as a host does. Fails the check if that is refused.
  Plugin &plugin();
  /// The same, for checks of one half; skip the check if it is absent.
  Plugin &compiler();
  Plugin &activeDriver();
  /// The target of device 0, else one made of the device type. Skips if the
  /// compiler does not serve it.
  Target target();
  /// Shuts the plugin down.
  void unload();

private:
  const bool isIsolated;
  std::unique_ptr<PluginRegistry> registry;
  std::shared_ptr<Plugin> loaded;
};

/// One check. \p name is stable, \p run throws if it does not pass.
struct Check {
  std::string_view name;
  void (*run)(CheckedPlugin &subject);
};

/// The checks of each part, in the order in which they are run.
std::span<const Check> fileChecks();
std::span<const Check> compilerChecks();
std::span<const Check> driverChecks();
std::span<const Check> kernelChecks();

/// Throws CheckFailed with \p why unless \p holds.
inline void expect(bool holds, const std::string &why) {
  if (!holds)
    throw CheckFailed{why};
}

/// Entries of /proc/self/fd and threads of this process.
struct ProcessCounts {
  size_t files, threads;
  static ProcessCounts now();
};

/// Runs every check on the plugin at \p path.
Json validatePlugin(const std::string &path);

} // namespace nereid::host

#endif // NEREID_HOST_CHECK_CHECK_H
