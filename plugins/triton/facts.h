// facts.h - what the installed Triton says of a target: its options, stages and
// key. Remembered in a file, so that a process that only runs cached kernels
// starts no Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TRITON_FACTS_H
#define NEREID_TRITON_FACTS_H

#include "backend.h"
#include "common/fork_guard.h"
#include "nereid/plugin.h"
#include "python.h"
#include "settings.h"
#include "worker/Pool.h"

#include <map>
#include <memory>
#include <optional>

namespace nereid::triton {

struct Stage {
  std::string name, input, output, extension;
  bool isImage = false;
};

struct Option {
  std::string name, doc, defaultValue;
  nereid_type_t type = NEREID_TYPE_I64;
  std::vector<std::string> choices;
};

/// A target, as requests name it.
struct TargetName {
  std::string backend, arch;
  int64_t warpSize = 0;

  std::string text() const;
  worker::Json json() const;
};

/// What is known of a target.
struct Facts {
  std::string version; ///< of Triton
  std::string key;     ///< of everything that the output depends on
  std::vector<Option> options;
  std::vector<Stage> stages;
  worker::Json frontend; ///< what kernels may use

  /// Nothing if \p json is not what a worker answers.
  static std::optional<Facts> read(const worker::Json &json);
  const Option *option(std::string_view name) const;
};

/// A failure whose diagnostics have been reported.
struct Reported {
  nereid_status_t status;
};

/// The Python in use, its workers, and the facts that it gave.
class Installed {
public:
  Installed(const Backend &backend, const Settings &settings);

  /// The facts of \p target, from the file or from a worker. Throws a Failure
  /// that says what to install. [any-thread]
  std::shared_ptr<const Facts> facts(const TargetName &target,
                                     const nereid_call_t *call);

  /// Asks a worker. Throws a Failure without a Python, and Reported for
  /// everything but an answer without an error. [any-thread]
  worker::Message ask(worker::Message request, const nereid_call_t *call);

  /// Changes with the scripts that workers run.
  std::string workerDigest() const;

private:
  using Targets = std::map<std::string, std::shared_ptr<const Facts>>;

  worker::Pool &pool(); // throws a Failure without an installation
  void findPython();
  bool remember(const std::string &python);
  void store();
  std::string fileOf(const std::string &python) const;
  std::shared_ptr<const Facts> lastKnown(const std::string &target) const;
  std::string whatToDo() const;
  const std::string &digestOfScripts() const;

  const Backend &backend;
  const Settings &settings;
  mutable plugin::ForkSafeMutex mutex; // guards what follows
  mutable std::string scripts;         // digest of the worker's files
  bool isSearched = false;
  Installation installation;
  std::string fingerprint;
  std::vector<std::string> problems; // of the Pythons that were looked at
  worker::Json remembered;           // target -> answer
  Targets targets;
  std::unique_ptr<worker::Pool> workers;
};

} // namespace nereid::triton

#endif // NEREID_TRITON_FACTS_H
