// ObjectFile.cpp - writes ELF and ar files.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/ObjectFile.h"

#include "text/Suggestions.h"

#include <cstring>
#include <elf.h>

namespace nereid::tool {

static Expected<Elf64_Half> machineOf(const std::string &arch) {
#if defined(__x86_64__)
  std::string wanted = arch.empty() ? "x86_64" : arch;
#else
  std::string wanted = arch.empty() ? "aarch64" : arch;
#endif
  if (wanted == "x86_64")
    return Elf64_Half{EM_X86_64};
  if (wanted == "aarch64")
    return Elf64_Half{EM_AARCH64};
  return invalid("--object-arch '" + wanted + "'" +
                 suggestNames(wanted, {"x86_64", "aarch64"}));
}

namespace {
/// A string table: names and their places.
class Names {
public:
  Elf64_Word add(const std::string &name) {
    auto at = static_cast<Elf64_Word>(text.size());
    text += name + '\0';
    return at;
  }
  std::string text = std::string(1, '\0');
};

enum Section : Elf64_Half {
  None,
  Data,
  Symbols,
  Strings,
  Headers,
  Stack,
  Count
};
} // namespace

template <typename Struct>
static void append(std::string &out, const Struct &value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

static void pad(std::string &out, size_t alignment) {
  out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
}

Expected<std::string> objectFile(std::string_view bytes,
                                 const std::string &prefix,
                                 const std::string &arch) {
  Expected<Elf64_Half> machine = machineOf(arch);
  if (!machine)
    return machine.error();
  // Pages, as in the file, so that images in it are aligned.
  static constexpr size_t alignment = 4096;
  Elf64_Shdr sections[Count] = {};
  Names names, symbolNames;
  std::string file(sizeof(Elf64_Ehdr), '\0');
  auto place = [&](Section section, const char *name, Elf64_Word type,
                   std::string_view content, size_t align) {
    pad(file, align);
    Elf64_Shdr &header = sections[section];
    header.sh_name = names.add(name);
    header.sh_type = type;
    header.sh_offset = file.size();
    header.sh_size = content.size();
    header.sh_addralign = align;
    file += content;
  };
  place(Data, ".rodata.nereid", SHT_PROGBITS, bytes, alignment);
  sections[Data].sh_flags = SHF_ALLOC;

  std::string symbols(sizeof(Elf64_Sym), '\0');
  auto symbol = [&](const std::string &name, uint64_t value, uint64_t size) {
    Elf64_Sym each = {};
    each.st_name = symbolNames.add(name);
    each.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    each.st_other = STV_HIDDEN;
    each.st_shndx = Data;
    each.st_value = value;
    each.st_size = size;
    append(symbols, each);
  };
  symbol(prefix + "_nra", 0, bytes.size());
  symbol(prefix + "_nra_end", bytes.size(), 0);
  place(Symbols, ".symtab", SHT_SYMTAB, symbols, 8);
  sections[Symbols].sh_link = Strings;
  sections[Symbols].sh_info = 1; // the first global one
  sections[Symbols].sh_entsize = sizeof(Elf64_Sym);
  place(Strings, ".strtab", SHT_STRTAB, symbolNames.text, 1);
  place(Stack, ".note.GNU-stack", SHT_PROGBITS, "", 1);
  Elf64_Word own = names.add(".shstrtab");
  pad(file, 1);
  sections[Headers].sh_name = own;
  sections[Headers].sh_type = SHT_STRTAB;
  sections[Headers].sh_offset = file.size();
  sections[Headers].sh_size = names.text.size();
  sections[Headers].sh_addralign = 1;
  file += names.text;
  pad(file, 8);

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = *machine;
  header.e_version = EV_CURRENT;
  header.e_shoff = file.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = Count;
  header.e_shstrndx = Headers;
  std::memcpy(file.data(), &header, sizeof header);
  for (const Elf64_Shdr &section : sections)
    append(file, section);
  return file;
}

// The header of a member: decimal text in columns. No owner and no time.
static std::string memberHeader(std::string name, size_t size) {
  auto field = [](std::string text, size_t width) {
    text.resize(width, ' ');
    return text;
  };
  return field(std::move(name), 16) + field("0", 12) + field("0", 6) +
         field("0", 6) + field("644", 8) + field(std::to_string(size), 10) +
         "`\n";
}

static std::string bigEndian(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    text += static_cast<char>(value >> shift);
  return text;
}

std::string staticLibrary(const std::string &object,
                          const std::string &prefix) {
  std::string names = prefix + "_nra" + '\0' + prefix + "_nra_end" + '\0';
  if (names.size() % 2)
    names += '\0';
  static constexpr std::string_view magic = "!<arch>\n";
  static constexpr size_t memberSize = 60, indexSize = 12;
  auto at = static_cast<uint32_t>(magic.size() + memberSize + indexSize +
                                  names.size());
  std::string index = bigEndian(2) + bigEndian(at) + bigEndian(at) + names;
  std::string file = std::string(magic) + memberHeader("/", index.size()) +
                     index + memberHeader("kernels.o/", object.size()) + object;
  if (file.size() % 2)
    file += '\n';
  return file;
}

} // namespace nereid::tool
