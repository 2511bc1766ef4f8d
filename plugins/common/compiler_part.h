// compiler_part.h - the shared object beside a plugin that holds MLIR and
// LLVM, loaded when something is to be compiled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin is listed and launches cached kernels without it.

#ifndef NEREID_PLUGINS_COMMON_COMPILER_PART_H
#define NEREID_PLUGINS_COMMON_COMPILER_PART_H

#include "compiler_functions.h"
#include "fork_guard.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace nereid::plugin {

/// The file and the functions found in it.
class CompilerPart final : ForkAware {
public:
  /// The file is "<folder of the plugin>/<id>/libnereid-<id>-compiler.so": one
  /// folder down, so that discovery does not take it for a plugin. Without a
  /// \p host the plugin is looked up by the dynamic loader. \p optionsSize is
  /// that of the struct that `begin` of the functions reads.
  CompilerPart(const nereid_host_t *host, std::string_view id,
               uint32_t optionsSize);
  ~CompilerPart() { ForkGuard::remove(this); }
  CompilerPart(const CompilerPart &) = delete;
  CompilerPart &operator=(const CompilerPart &) = delete;

  /// Loads the file, once. Returns null, with an error reported, if that fails
  /// or the file is from another version; the next call tries again.
  /// [any-thread]
  const CompilerFunctions *load(const nereid_call_t *call);

  /// The functions, after `load` has succeeded. [any-thread]
  const CompilerFunctions &loaded() const { return *functions.load(); }

  /// The build id in its file, without loading it; empty if there is no file.
  /// [any-thread]
  const std::string &buildId();

private:
  void lockForFork() override;
  void unlockAfterFork() override;

  const std::string path;
  const uint32_t optionsSize;
  std::atomic<const CompilerFunctions *> functions{nullptr};
  std::mutex mutex; // held while the file is loaded, and by fork()
  std::once_flag identified;
  std::string id;
};

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_COMPILER_PART_H
