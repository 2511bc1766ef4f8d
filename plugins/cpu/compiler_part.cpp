// compiler_part.cpp - finding and loading the compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compiler_part.h"

#include "elf_file.h"
#include "text.h"

#include <dlfcn.h>

namespace nereid::cpu {

/// "<folder of the plugin>/cpu/libnereid-cpu-compiler.so": one folder down, so
/// that discovery does not take it for a plugin.
static std::string partBeside(std::string plugin) {
  Dl_info info;
  if (plugin.empty() &&
      dladdr(reinterpret_cast<const void *>(&partBeside), &info))
    plugin = info.dli_fname;
  size_t slash = plugin.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : plugin.substr(0, slash);
  return folder + "/cpu/libnereid-cpu-compiler.so";
}

CompilerPart::CompilerPart(std::string pluginPath)
    : path(partBeside(std::move(pluginPath))) {
  ForkGuard::add(this);
}

const nereid_cpu_compiler_t *CompilerPart::get(const nereid_call_t *call) {
  if (const nereid_cpu_compiler_t *found = table.load())
    return found;
  std::lock_guard lock(mutex);
  if (const nereid_cpu_compiler_t *found = table.load())
    return found;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(call, NEREID_UNAVAILABLE,
         "cannot load the compiler: " + std::string(dlerror()));
    return nullptr;
  }
  using Entry = const nereid_cpu_compiler_t *(*)();
  auto entry =
      reinterpret_cast<Entry>(dlsym(library, NEREID_CPU_COMPILER_SYMBOL));
  const nereid_cpu_compiler_t *found = entry ? entry() : nullptr;
  if (!found || found->struct_size != sizeof *found ||
      found->options_size != sizeof(nereid_cpu_options_t)) {
    // It stays mapped: LLVM does not bear being closed.
    fail(call, NEREID_INCOMPATIBLE,
         "" + path + " is from another version than the plugin");
    return nullptr;
  }
  table.store(found);
  return found;
}

const std::string &CompilerPart::buildId() {
  std::call_once(identified, [this] { id = elfBuildIdOfFile(path); });
  return id;
}

} // namespace nereid::cpu
