// compiler_part.h - the file beside the plugin that holds MLIR, LLVM and lld,
// loaded when something is to be compiled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PART_H
#define NEREID_CPU_COMPILER_PART_H

#include "compiler_interface.h"
#include "fork_guard.h"

#include <atomic>
#include <mutex>
#include <string>

namespace nereid::cpu {

class CompilerPart final : ForkAware {
public:
  /// `pluginPath` is the plugin's file; empty: found by the loader.
  explicit CompilerPart(std::string pluginPath);
  ~CompilerPart() { ForkGuard::remove(this); }
  CompilerPart(const CompilerPart &) = delete;
  CompilerPart &operator=(const CompilerPart &) = delete;

  /// Loads the part, once. Null, with an error reported, if that fails; the
  /// next call tries again. [any-thread]
  const nereid_cpu_compiler_t *get(const nereid_call_t *call);

  /// The build id in its file, without loading it; empty if there is no file.
  /// [any-thread]
  const std::string &buildId();

  bool loaded() const { return table.load() != nullptr; }

private:
  // A child of a fork could not finish what another thread loads.
  void lockForFork() override { mutex.lock(); }
  void unlockAfterFork() override { mutex.unlock(); }

  const std::string path;
  std::atomic<const nereid_cpu_compiler_t *> table{nullptr};
  std::mutex mutex;
  std::once_flag identified;
  std::string id;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PART_H
