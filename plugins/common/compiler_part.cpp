// compiler_part.cpp - finding and loading the compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compiler_part.h"

#include "elf_file.h"
#include "text.h"

#include <dlfcn.h>

namespace nereid::plugin {

static std::string partBeside(std::string plugin, std::string_view id) {
  Dl_info info;
  if (plugin.empty() &&
      dladdr(reinterpret_cast<const void *>(&partBeside), &info))
    plugin = info.dli_fname;
  size_t slash = plugin.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : plugin.substr(0, slash);
  std::string name(id);
  return folder + "/" + name + "/libnereid-" + name + "-compiler.so";
}

CompilerFile::CompilerFile(std::string pluginPath, std::string_view id,
                           std::string_view symbol, Accepts accepts)
    : path(partBeside(std::move(pluginPath), id)), symbol(symbol),
      accepts(accepts) {}

const void *CompilerFile::load(const nereid_call_t *call) {
  if (const void *found = table.load())
    return found;
  std::lock_guard lock(mutex);
  if (const void *found = table.load())
    return found;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(call, NEREID_UNAVAILABLE,
         "cannot load the compiler: " + std::string(dlerror()));
    return nullptr;
  }
  using Entry = const void *(*)();
  auto entry = reinterpret_cast<Entry>(dlsym(library, symbol.c_str()));
  const void *found = entry ? entry() : nullptr;
  if (!found || !accepts(found)) {
    // The file remains mapped: LLVM cannot be unloaded.
    fail(call, NEREID_INCOMPATIBLE,
         path + " is from another version than the plugin");
    return nullptr;
  }
  table.store(found);
  return found;
}

const std::string &CompilerFile::buildId() {
  std::call_once(identified, [this] { id = elfBuildIdOfFile(path); });
  return id;
}

} // namespace nereid::plugin
