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

#include <functional>
#include <memory>
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

/// What is checked: a plugin, what compiles for it if it does not, and for what
/// it compiles if it has no device.
struct CheckRequest {
  std::string path;
  std::string compilerPath; // of another plugin; may be empty
  Target target;            // may be empty
};

/// What a check works with: the file, and the plugin once it asks for it.
class CheckedPlugin {
public:
  /// \p progress is told each LoadStep as a digit, and '-' when it is over.
  /// \p isIsolated: a child process loads the plugin first, and ends.
  CheckedPlugin(const CheckRequest &request, std::function<void(char)> progress,
                bool isIsolated = false)
      : request(request), path(this->request.path),
        progress(std::move(progress)), isIsolated(isIsolated) {}

  const CheckRequest request;
  const std::string &path;
  const Log log{NEREID_SEVERITY_ERROR};
  const std::function<void(char)> progress;

  /// Loads the plugin as a host does. Fails the check if that is refused.
  Plugin &plugin();
  /// The plugin that compiles; skips the check if there is none.
  Plugin &compiler();
  /// The same, for checks of one half of the plugin.
  Plugin &ownCompiler();
  Plugin &activeDriver();
  /// The target of \p device, else the requested one, else one made of the
  /// device type. Skips if the compiler does not serve it.
  Target target(uint32_t device = 0);
  /// Shuts the plugin down.
  void unload();

private:
  struct Loaded {
    std::unique_ptr<PluginRegistry> registry;
    std::shared_ptr<Plugin> plugin;
  };
  Loaded load(const std::string &file);

  const bool isIsolated;
  Loaded subject, other;
};

/// One check. \p name is stable, \p run throws if it does not pass, \p about
/// is a sentence for docs/validate.md.
struct Check {
  std::string_view name;
  void (*run)(CheckedPlugin &subject);
  std::string_view about;
};

/// The checks of each part, in the order in which they are run.
std::span<const Check> fileChecks();
std::span<const Check> compilerChecks();
std::span<const Check> driverChecks();
std::span<const Check> memoryChecks();
std::span<const Check> streamChecks();
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

/// Runs every check, each in a process of the program \p helper
/// (`nereid-probe`): a list of {"check", "about", "result", "detail"}.
Result<Json> validatePlugin(const CheckRequest &request,
                            const std::string &helper);

/// What such a process does: runs the check \p name and writes to \p pipe how
/// far it came and how it ended. False if there is no such check.
bool runCheck(std::string_view name, const CheckRequest &request,
              int pipe) noexcept;

} // namespace nereid::host

#endif // NEREID_HOST_CHECK_CHECK_H
