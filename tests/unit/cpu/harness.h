// harness.h - calls the plugin like a host: by its table, with the sinks and
// records of a host.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_CPU_HARNESS_H
#define NEREID_TESTS_CPU_HARNESS_H

#include "nereid/plugin.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace nereid::cpu::test {

/// Collects what is reported.
class Messages {
public:
  Messages();
  const nereid_call_t *call() const { return &record; }
  /// "file:line:column: message" of all errors, a line each.
  std::string errors() const;
  /// The same of all notes.
  std::string notes() const;
  /// The same of all warnings.
  std::string warnings() const;

private:
  static void report(const nereid_call_t *call,
                     const nereid_diagnostic_t *diagnostic);
  nereid_call_t record = {};
  mutable std::mutex mutex;
  std::string text, noteText, warningText;
};

/// A value of metadata, copied.
struct Value {
  int64_t number = 0;
  std::string text;
  std::vector<std::string> texts;
  std::vector<int64_t> numbers;
};
using Values = std::map<std::string, Value>;

/// The outputs of a compilation that a host stores.
struct Compiled {
  nereid_status_t status = NEREID_OK;
  std::string output, errors, notes, warnings, canonical;
  Values metadata;
};

using OptionList = std::vector<std::pair<std::string, std::string>>;

/// The plugin, loaded from its file and created; `state` is its own.
class Plugin {
public:
  Plugin();
  ~Plugin();

  /// Runs stages `first` to `last`, by name, on `input`; without the bytes in
  /// between if `keep`.
  Compiled compile(const std::string &input, const std::string &first,
                   const std::string &last, const OptionList &options = {},
                   bool keep = true) const;

  /// Compiles LLVM IR and loads the image; fails the test if that fails.
  nereid_module_t *load(const std::string &llvmIr,
                        const OptionList &options = {}) const;
  nereid_status_t loadImage(const Compiled &compiled, const std::string &path,
                            nereid_module_t **out, Messages &messages,
                            uint64_t offset = 0) const;
  nereid_kernel_t *kernel(nereid_module_t *module,
                          const std::string &name) const;
  void unload(nereid_module_t *module) const;
  nereid_stream_t createStream() const;

  /// The table of extension `id`; fails the test if there is none.
  template <typename Table> const Table &extension(const char *id) const {
    return *static_cast<const Table *>(findExtension(id));
  }

  const nereid_plugin_t *table = nullptr;
  const nereid_driver_t *driver = nullptr;
  const nereid_compiler_t *compiler = nullptr;
  nereid_state_t *state = nullptr;

private:
  const void *findExtension(const std::string &id) const;
  nereid_host_t host = {};
};

/// The TTIR of a kernel in tests/data/kernels/bench.
std::string kernelFile(const std::string &name);

nereid_launch_t makeLaunch(uint32_t x, const void *arguments, uint64_t size);

inline std::string text(nereid_string_t string) {
  return {string.data, string.size};
}

} // namespace nereid::cpu::test

#endif // NEREID_TESTS_CPU_HARNESS_H
