// elf_file.cpp - a bounded reader of ELF headers and notes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "elf_file.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::plugin {

#if defined(__x86_64__)
static constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t kMachine = EM_AARCH64;
#endif

/// Copies a `T` from `offset`; false if it is truncated.
template <typename T>
static bool readAt(std::string_view bytes, uint64_t offset, T &out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof out)
    return false;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return true;
}

static const char *machineName(uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86_64";
  case EM_AARCH64:
    return "aarch64";
  default:
    return "another machine";
  }
}

std::string elfProblem(std::string_view image) {
  Elf64_Ehdr header;
  if (!readAt(image, 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "it is not an ELF file";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return "it is not a 64-bit little-endian ELF file";
  if (header.e_machine != kMachine)
    return std::string("it is for ") + machineName(header.e_machine) +
           ", this machine is " + machineName(kMachine);
  if (header.e_type != ET_DYN)
    return "it is not a shared object";
  return {};
}

static std::string hexadecimal(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

/// The build id in `notes`, a segment of notes.
static std::string buildIdInNotes(std::string_view notes) {
  Elf64_Nhdr note;
  for (uint64_t at = 0; readAt(notes, at, note);) {
    uint64_t name = at + sizeof note;
    uint64_t description = name + (uint64_t(note.n_namesz) + 3) / 4 * 4;
    if (description > notes.size() ||
        notes.size() - description < note.n_descsz)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        notes.substr(name, 4) == std::string_view("GNU\0", 4))
      return hexadecimal(notes.substr(description, note.n_descsz));
    at = description + (uint64_t(note.n_descsz) + 3) / 4 * 4;
  }
  return {};
}

/// Calls `visit` with each segment until it returns true.
template <typename Visit>
static void visitSegments(std::string_view image, Visit visit) {
  Elf64_Ehdr header;
  if (!readAt(image, 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > image.size())
    return;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!readAt(image, header.e_phoff + i * sizeof segment, segment) ||
        visit(segment))
      return;
  }
}

uint64_t elfFirstSegment(std::string_view image) {
  uint64_t size = 0;
  visitSegments(image, [&](const Elf64_Phdr &segment) {
    if (segment.p_type == PT_LOAD && segment.p_offset == 0 &&
        segment.p_vaddr == 0 && segment.p_filesz <= image.size())
      size = segment.p_filesz;
    return size != 0;
  });
  return size;
}

std::string elfBuildId(std::string_view image) {
  std::string id;
  visitSegments(image, [&](const Elf64_Phdr &segment) {
    if (segment.p_type == PT_NOTE && segment.p_offset <= image.size())
      id = buildIdInNotes(image.substr(segment.p_offset, segment.p_filesz));
    return !id.empty();
  });
  return id;
}

std::string elfBuildIdOfFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  std::string id;
  struct stat info;
  if (fstat(file, &info) == 0 && info.st_size > 0) {
    size_t size = static_cast<size_t>(info.st_size);
    void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
      id = elfBuildId({static_cast<const char *>(data), size});
      munmap(data, size);
    }
  }
  close(file);
  return id;
}

} // namespace nereid::plugin
