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

CompilerPart::CompilerPart(const nereid_host_t *host, std::string_view id,
                           uint32_t optionsSize)
    : path(partBeside(host ? std::string(view(host->plugin_path)) : "", id)),
      optionsSize(optionsSize) {
  ForkGuard::add(this);
}

void CompilerPart::lockForFork() {
  mutex.lock();
  if (const CompilerFunctions *found = functions.load())
    found->lockForFork();
}

void CompilerPart::unlockAfterFork() {
  if (const CompilerFunctions *found = functions.load())
    found->unlockAfterFork();
  mutex.unlock();
}

const CompilerFunctions *CompilerPart::load(const nereid_call_t *call) {
  if (const CompilerFunctions *found = functions.load())
    return found;
  std::lock_guard lock(mutex);
  if (const CompilerFunctions *found = functions.load())
    return found;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(call, NEREID_UNAVAILABLE,
         "cannot load the compiler: " + std::string(dlerror()));
    return nullptr;
  }
  auto entry =
      reinterpret_cast<CompilerPartEntry>(dlsym(library, kCompilerPartSymbol));
  const CompilerFunctions *found = entry ? entry() : nullptr;
  if (!found || found->size != sizeof *found ||
      found->optionsSize != optionsSize) {
    // The file remains mapped: LLVM cannot be unloaded.
    fail(call, NEREID_INCOMPATIBLE,
         path + " is from another version than the plugin");
    return nullptr;
  }
  functions.store(found);
  return found;
}

const std::string &CompilerPart::buildId() {
  std::call_once(identified, [this] { id = elfBuildIdOfFile(path); });
  return id;
}

} // namespace nereid::plugin
