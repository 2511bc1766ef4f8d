// Exports.cpp - walks the dynamic symbols of a mapped shared object.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Exports.h"

#include <algorithm>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace nereid::host {

namespace {
/// The parts of a dynamic section that say which symbols there are.
struct DynamicTables {
  const ElfW(Sym) *symbols = nullptr;
  const char *strings = nullptr;
  const uint32_t *gnuHash = nullptr;
  const uint32_t *hash = nullptr;
};
} // namespace

static DynamicTables tablesOf(const link_map &map) {
  DynamicTables tables;
  for (const ElfW(Dyn) *entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    // Most dynamic loaders write the address here, some (RISC-V) leave the
    // offset from where the object was mapped.
    ElfW(Addr) place = entry->d_un.d_ptr;
    if (place < map.l_addr)
      place += map.l_addr;
    const void *address = reinterpret_cast<const void *>(place);
    if (entry->d_tag == DT_SYMTAB)
      tables.symbols = static_cast<const ElfW(Sym) *>(address);
    else if (entry->d_tag == DT_STRTAB)
      tables.strings = static_cast<const char *>(address);
    else if (entry->d_tag == DT_GNU_HASH)
      tables.gnuHash = static_cast<const uint32_t *>(address);
    else if (entry->d_tag == DT_HASH)
      tables.hash = static_cast<const uint32_t *>(address);
  }
  return tables;
}

// One past the last symbol. A GNU hash table does not say it: it is the end of
// the longest chain.
static size_t symbolCount(const DynamicTables &tables) {
  if (tables.hash)
    return tables.hash[1];
  if (!tables.gnuHash)
    return 0;
  uint32_t bucketCount = tables.gnuHash[0], first = tables.gnuHash[1],
           bloomWords = tables.gnuHash[2];
  const uint32_t *buckets =
      tables.gnuHash + 4 + bloomWords * (sizeof(ElfW(Addr)) / 4);
  const uint32_t *chains = buckets + bucketCount;
  uint32_t last = 0;
  for (uint32_t i = 0; i < bucketCount; ++i)
    last = std::max(last, buckets[i]);
  if (last < first)
    return first;
  while (!(chains[last - first] & 1))
    ++last;
  return last + 1;
}

std::vector<std::string> exportedSymbols(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  link_map *map = nullptr;
  if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return {};
  DynamicTables tables = tablesOf(*map);
  std::vector<std::string> names;
  for (size_t i = 1; i < symbolCount(tables); ++i) {
    const ElfW(Sym) &symbol = tables.symbols[i];
    // The macros of ELF64 and ELF32 are the same here.
    unsigned binding = ELF64_ST_BIND(symbol.st_info);
    unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    bool isExported =
        symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS &&
        binding != STB_LOCAL &&
        (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
    if (isExported)
      names.emplace_back(tables.strings + symbol.st_name);
  }
  return names;
}

} // namespace nereid::host
