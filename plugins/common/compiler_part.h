// compiler_part.h - the shared object beside a plugin that holds MLIR and
// LLVM, loaded when something is to be compiled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin is listed and launches cached kernels without it. It exports one
// function, which returns a table of functions. Both files are built together,
// but the plugin compares versions, since they may be installed separately.

#ifndef NEREID_PLUGINS_COMMON_COMPILER_PART_H
#define NEREID_PLUGINS_COMMON_COMPILER_PART_H

#include "fork_guard.h"
#include "nereid/plugin.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace nereid::plugin {

/// The file and the table found in it, independent of the table's type.
class CompilerFile {
public:
  using Accepts = bool (*)(const void *table);

  /// The file is "<folder of the plugin>/<id>/libnereid-<id>-compiler.so": one
  /// folder down, so that discovery does not take it for a plugin. An empty
  /// \p pluginPath is looked up by the dynamic loader.
  CompilerFile(std::string pluginPath, std::string_view id,
               std::string_view symbol, Accepts accepts);
  CompilerFile(const CompilerFile &) = delete;
  CompilerFile &operator=(const CompilerFile &) = delete;

  /// Loads the file, once. Returns null, with an error reported, if that fails
  /// or `accepts` is false for the table; the next call tries again.
  /// [any-thread]
  const void *load(const nereid_call_t *call);

  /// The build id in its file, without loading it; empty if there is no file.
  /// [any-thread]
  const std::string &buildId();

private:
  const std::string path;
  const std::string symbol;
  const Accepts accepts;
  std::atomic<const void *> table{nullptr};
  ForkSafeMutex mutex; // held while the file is loaded
  std::once_flag identified;
  std::string id;
};

/// The same with the type of the table; `Accepts` checks its version.
template <typename Table, bool (*Accepts)(const Table &)> class CompilerPart {
public:
  CompilerPart(std::string pluginPath, std::string_view id,
               std::string_view symbol)
      : file(std::move(pluginPath), id, symbol, [](const void *table) {
          return Accepts(*static_cast<const Table *>(table));
        }) {}

  const Table *get(const nereid_call_t *call) {
    return static_cast<const Table *>(file.load(call));
  }
  const std::string &buildId() { return file.buildId(); }

private:
  CompilerFile file;
};

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_COMPILER_PART_H
