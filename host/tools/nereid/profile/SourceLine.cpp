// SourceLine.cpp - sessions of libdw.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "profile/SourceLine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::tool {

namespace {
/// The functions of libdw that are used. It is looked for when it is needed:
/// the tool does without.
struct Library {
  void *handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  decltype(&dwfl_begin) begin = nullptr;
  decltype(&dwfl_end) end = nullptr;
  decltype(&dwfl_report_begin_add) reportBegin = nullptr;
  decltype(&dwfl_report_elf) reportElf = nullptr;
  decltype(&dwfl_report_end) reportEnd = nullptr;
  decltype(&dwfl_module_addrname) nameAt = nullptr;
  decltype(&dwfl_module_nextcu) nextUnit = nullptr;
  decltype(&dwarf_getsrc_die) lineAt = nullptr;
  decltype(&dwarf_linesrc) fileOf = nullptr;
  decltype(&dwarf_lineno) numberOf = nullptr;

  /// True if all of them are there.
  bool load() {
    return handle && load("dwfl_begin", begin) && load("dwfl_end", end) &&
           load("dwfl_report_begin_add", reportBegin) &&
           load("dwfl_report_elf", reportElf) &&
           load("dwfl_report_end", reportEnd) &&
           load("dwfl_module_addrname", nameAt) &&
           load("dwfl_module_nextcu", nextUnit) &&
           load("dwarf_getsrc_die", lineAt) && load("dwarf_linesrc", fileOf) &&
           load("dwarf_lineno", numberOf);
  }

private:
  template <typename Function> bool load(const char *name, Function &out) {
    out = reinterpret_cast<Function>(dlsym(handle, name));
    return out != nullptr;
  }
};
} // namespace

// What an object itself holds is enough: nothing is looked for elsewhere, by
// the network perhaps.
static int findNothing(Dwfl_Module *, void **, const char *, Dwarf_Addr,
                       const char *, const char *, GElf_Word, char **) {
  return -1;
}

/// True if `object` was loaded from `image`: both begin with the same headers.
static bool isLoaded(std::string_view image, const Dl_info &object) {
  size_t size = std::min<size_t>(image.size(), 1024);
  return size && std::memcmp(object.dli_fbase, image.data(), size) == 0;
}

/// A symbol's name as its source has it.
static std::string demangled(const char *name) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

struct SourceLines::Session {
  Library library;
  Dwfl_Callbacks callbacks = {};
  Dwfl *dwfl = nullptr;
  std::map<const void *, Dwfl_Module *> modules; // by the object's base

  ~Session() {
    if (dwfl)
      library.end(dwfl);
    if (library.handle)
      dlclose(library.handle);
  }

  /// A file with these bytes; -1 if there can be none.
  static int fileOf(std::string_view image) {
    int file = memfd_create("nereid-kernel", MFD_CLOEXEC);
    for (size_t at = 0; file >= 0 && at < image.size();) {
      ssize_t done = write(file, image.data() + at, image.size() - at);
      if (done <= 0) {
        close(file);
        return -1;
      }
      at += static_cast<size_t>(done);
    }
    return file;
  }

  /// Reads the object from `image`, or from its file if that is empty. Null if
  /// that fails.
  Dwfl_Module *moduleOf(const Dl_info &object, std::string_view image) {
    auto [found, isNew] = modules.try_emplace(object.dli_fbase, nullptr);
    if (!isNew)
      return found->second;
    // A file descriptor is the session's as soon as the module is made.
    int file = image.empty() ? -1 : fileOf(image);
    library.reportBegin(dwfl);
    found->second = library.reportElf(
        dwfl, object.dli_fname, object.dli_fname, file,
        reinterpret_cast<GElf_Addr>(object.dli_fbase), /*add_p_vaddr=*/true);
    library.reportEnd(dwfl, nullptr, nullptr);
    if (!found->second && file >= 0)
      close(file);
    return found->second;
  }

  /// Sets `place`'s file and line if they are known.
  void findLine(Dwfl_Module *module, uintptr_t address, CodePlace &place) const;
};

// Kernels have one unit or few, and no table of the addresses of each.
void SourceLines::Session::findLine(Dwfl_Module *module, uintptr_t address,
                                    CodePlace &place) const {
  Dwarf_Addr bias = 0;
  Dwarf_Die *unit = nullptr;
  while ((unit = library.nextUnit(module, unit, &bias))) {
    Dwarf_Line *line = library.lineAt(unit, address - bias);
    const char *file = line ? library.fileOf(line, nullptr, nullptr) : nullptr;
    if (!file || library.numberOf(line, &place.line) != 0)
      continue;
    place.file = file;
    return;
  }
}

SourceLines::SourceLines(std::string_view kernelImage)
    : kernelImage(kernelImage), session(std::make_unique<Session>()) {
  session->callbacks.find_debuginfo = findNothing;
  if (session->library.load())
    session->dwfl = session->library.begin(&session->callbacks);
  if (!session->dwfl)
    session = nullptr;
}

SourceLines::~SourceLines() = default;

CodePlace SourceLines::find(uintptr_t address) {
  CodePlace place;
  Dl_info object = {};
  if (!dladdr(reinterpret_cast<void *>(address), &object) || !object.dli_fname)
    return place;
  bool isKernel = isLoaded(kernelImage, object);
  place.object =
      isKernel ? "kernel" : std::filesystem::path(object.dli_fname).filename();
  if (object.dli_sname)
    place.function = demangled(object.dli_sname);
  if (!session)
    return place;
  Dwfl_Module *module =
      session->moduleOf(object, isKernel ? kernelImage : std::string_view());
  if (!module)
    return place;
  if (const char *name = session->library.nameAt(module, address))
    place.function = demangled(name);
  session->findLine(module, address, place);
  return place;
}

} // namespace nereid::tool
