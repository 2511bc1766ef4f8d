// Note.cpp - a bounded reader of ELF notes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Notes are found through the program headers, which is what the dynamic
// loader reads; section headers may be stripped, and only serve to detect a
// truncated file.

#include "plugin/Note.h"

#include "nereid/note.h"
#include "support/File.h"

#include <bit>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace nereid::host {

// Real plugins have about ten program headers and a kilobyte of notes.
static constexpr uint64_t maxProgramHeaders = 256;
static constexpr uint64_t maxNoteBytes = 1 << 20;
static constexpr uint64_t maxBuildIdBytes = 64;

namespace {
/// The regular file that is being read. Every range is checked against its
/// size before it is read.
class ElfFile {
public:
  ElfFile(int file, uint64_t size) : file(file), size(size) {}

  uint64_t end() const { return size; }
  bool contains(uint64_t offset, uint64_t count) const {
    return offset <= size && count <= size - offset;
  }
  /// False if the file does not hold that many bytes (any more).
  bool read(uint64_t offset, void *out, uint64_t count) const {
    return contains(offset, count) &&
           readExactly(file, static_cast<char *>(out), count, offset);
  }

private:
  int file;
  uint64_t size;
};

/// The notes of a file found so far.
struct Notes {
  std::vector<char> nereid; // the description of the first
  std::string linkerBuildId;
  int nereidCount = 0;
  std::set<uint64_t> offsets; // segments may overlap: a note counts once
};
} // namespace

static Rejection reject(Reason reason, std::string detail) {
  return {reason, std::move(detail), {}};
}

static std::string hexadecimal(const char *bytes, size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    unsigned char byte = static_cast<unsigned char>(bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// The size of a field that notes pad to \p alignment, in 64 bits so that no
/// 32-bit size overflows it.
static uint64_t padded(uint64_t size, uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

static bool hasOwner(const char *name, uint32_t size, std::string_view owner) {
  return size == owner.size() + 1 && name[owner.size()] == '\0' &&
         std::memcmp(name, owner.data(), owner.size()) == 0;
}

/// Goes through the notes of one segment, whose bytes start at \p offset of the
/// file. Each step goes forward by at least the size of a note header. What
/// does not fit ends it: trailing padding is legal.
static void scanSegment(const std::vector<char> &bytes, uint64_t offset,
                        uint64_t alignment, Notes &notes) {
  uint64_t at = 0;
  while (bytes.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, &bytes[at], sizeof header);
    uint64_t nameAt = at + sizeof header;
    uint64_t descAt = nameAt + padded(header.n_namesz, alignment);
    uint64_t end = descAt + header.n_descsz;
    if (end > bytes.size())
      return;
    const char *name = bytes.data() + nameAt;
    const char *desc = bytes.data() + descAt;
    bool isNew = notes.offsets.insert(offset + at).second;
    if (isNew && header.n_type == NEREID_NOTE_TYPE &&
        hasOwner(name, header.n_namesz, NEREID_NOTE_OWNER)) {
      if (notes.nereidCount++ == 0)
        notes.nereid.assign(desc, desc + header.n_descsz);
    } else if (isNew && header.n_type == NT_GNU_BUILD_ID &&
               hasOwner(name, header.n_namesz, ELF_NOTE_GNU) &&
               header.n_descsz <= maxBuildIdBytes) {
      notes.linkerBuildId = hexadecimal(desc, header.n_descsz);
    }
    at = std::min<uint64_t>(padded(end, alignment), bytes.size());
  }
}

static constexpr bool isLittle = std::endian::native == std::endian::little;

static std::optional<Rejection> checkIdent(const Elf64_Ehdr &header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return reject(Reason::NotElf, "the file does not start like an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != (isLittle ? ELFDATA2LSB : ELFDATA2MSB))
    return reject(
        Reason::WrongMachine,
        std::string("it is not a 64-bit ") + (isLittle ? "little" : "big") +
            "-endian ELF file, expected one for " NEREID_NOTE_MACHINE);
  return std::nullopt;
}

static std::optional<Rejection> checkHeader(const ElfFile &file,
                                            const Elf64_Ehdr &header) {
  if (header.e_type != ET_DYN)
    return reject(Reason::BadElf, "the ELF file is of type " +
                                      std::to_string(header.e_type) +
                                      ", expected a shared object (3)");
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
      header.e_phnum > maxProgramHeaders)
    return reject(
        Reason::BadElf,
        "the ELF header declares " + std::to_string(header.e_phnum) +
            " program headers of " + std::to_string(header.e_phentsize) +
            " bytes, expected 1 to " + std::to_string(maxProgramHeaders) +
            " of " + std::to_string(sizeof(Elf64_Phdr)));
  // The section headers come last in what linkers write.
  if (header.e_shoff &&
      !file.contains(header.e_shoff,
                     uint64_t(header.e_shnum) * header.e_shentsize))
    return reject(Reason::TruncatedElf,
                  "the file ends at byte " + std::to_string(file.end()) +
                      ", before the end of its section headers");
  return std::nullopt;
}

static Rejection segmentPastEnd(const ElfFile &file, const Elf64_Phdr &header) {
  return reject(Reason::TruncatedElf,
                "the file ends at byte " + std::to_string(file.end()) +
                    ", inside or before a segment of " +
                    std::to_string(header.p_filesz) + " bytes at " +
                    std::to_string(header.p_offset));
}

/// Reads the notes of every segment that has some.
static std::variant<Notes, Rejection> readNotes(const ElfFile &file) {
  Elf64_Ehdr header = {};
  file.read(0, &header, std::min<uint64_t>(sizeof header, file.end()));
  if (std::optional<Rejection> bad = checkIdent(header))
    return *bad;
  if (file.end() < sizeof header)
    return reject(Reason::TruncatedElf, "the file ends at byte " +
                                            std::to_string(file.end()) +
                                            ", inside the ELF header");
  if (std::optional<Rejection> bad = checkHeader(file, header))
    return *bad;

  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!file.read(header.e_phoff, segments.data(),
                 segments.size() * sizeof(Elf64_Phdr)))
    return reject(Reason::TruncatedElf,
                  "the file ends at byte " + std::to_string(file.end()) +
                      ", before the end of its program headers");
  Notes notes;
  uint64_t noteBytes = 0;
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type != PT_LOAD && segment.p_type != PT_NOTE)
      continue;
    if (!file.contains(segment.p_offset, segment.p_filesz))
      return segmentPastEnd(file, segment);
    if (segment.p_type == PT_LOAD)
      continue;
    noteBytes += std::min(segment.p_filesz, maxNoteBytes + 1);
    if (noteBytes > maxNoteBytes)
      return reject(Reason::BadElf, "its notes are larger than " +
                                        std::to_string(maxNoteBytes) +
                                        " bytes");
    std::vector<char> bytes(segment.p_filesz);
    if (!file.read(segment.p_offset, bytes.data(), bytes.size()))
      return segmentPastEnd(file, segment);
    scanSegment(bytes, segment.p_offset, segment.p_align == 8 ? 8 : 4, notes);
  }
  return notes;
}

/// The text of a field that is padded with NUL.
static std::string fieldText(const char *field, size_t size) {
  return std::string(field, strnlen(field, size));
}

static bool isPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~'; });
}

static NoteResult decode(const Notes &notes) {
  if (notes.nereidCount == 0)
    return reject(Reason::NoNote,
                  "the file has no note of owner '" NEREID_NOTE_OWNER "'");
  if (notes.nereidCount > 1)
    return reject(Reason::TwoNotes,
                  "the file has " + std::to_string(notes.nereidCount) +
                      " notes of owner '" NEREID_NOTE_OWNER "', expected one");
  nereid_note_t note = {};
  if (notes.nereid.size() < sizeof note)
    return reject(Reason::BadNote, "the note has " +
                                       std::to_string(notes.nereid.size()) +
                                       " bytes, expected at least " +
                                       std::to_string(sizeof note));
  std::memcpy(&note, notes.nereid.data(), sizeof note);
  PluginNote result;
  result.abiMajor = note.abi_major;
  result.abiMinor = note.abi_minor;
  result.abiRevision = note.abi_revision;
  result.minHostMinor = note.min_host_minor;
  result.sanitizer = note.sanitizer;
  result.id = fieldText(note.id, sizeof note.id);
  result.machine = fieldText(note.machine, sizeof note.machine);
  result.buildId = fieldText(note.build_id, sizeof note.build_id);
  // Another major or revision may have another layout: what follows means
  // nothing there.
  if (result.abiMajor != NEREID_ABI_MAJOR ||
      result.abiRevision != NEREID_ABI_REVISION) {
    if (!isPluginId(result.id))
      result.id.clear();
    return result;
  }
  if (note.struct_size < sizeof note || note.struct_size > notes.nereid.size())
    return reject(Reason::BadNote, "the note's struct_size is " +
                                       std::to_string(note.struct_size) +
                                       ", expected " +
                                       std::to_string(notes.nereid.size()));
  if (!isPluginId(result.id))
    return reject(Reason::BadNote,
                  "the id in the note is not 1 to 63 of [a-z0-9_.-]");
  if (!isPrintable(result.machine) || !isPrintable(result.buildId))
    return reject(Reason::BadNote,
                  "the note has a machine or a build id that is not printable");
  if (result.buildId.empty())
    result.buildId = notes.linkerBuildId;
  return result;
}

static const char *machineName(uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86_64";
  case EM_AARCH64:
    return "aarch64";
  case EM_RISCV:
    return "riscv64";
  case 258: // EM_LOONGARCH, which older <elf.h> lack
    return "loongarch64";
  case EM_PPC64:
    return "ppc64le"; // the byte order was checked
  case EM_S390:
    return "s390x";
  default:
    return nullptr;
  }
}

/// The machine in the ELF header, which a note cannot contradict.
static std::optional<Rejection> checkMachine(const ElfFile &file) {
  Elf64_Ehdr header = {};
  if (!file.read(0, &header, sizeof header))
    return std::nullopt; // readNotes() reports the error
  if (checkIdent(header))
    return std::nullopt;
  const char *name = machineName(header.e_machine);
  if (name && std::strcmp(name, NEREID_NOTE_MACHINE) == 0)
    return std::nullopt;
  return reject(Reason::WrongMachine,
                "it is for " +
                    (name ? std::string(name)
                          : "ELF machine " + std::to_string(header.e_machine)) +
                    ", this machine is " NEREID_NOTE_MACHINE);
}

static std::variant<ElfFile, Rejection> openRegular(int file) {
  struct stat status = {};
  if (fstat(file, &status) != 0)
    return reject(Reason::Unreadable, errorText(errno));
  if (!S_ISREG(status.st_mode))
    return reject(Reason::NotAFile, "it is " + fileKind(status.st_mode) +
                                        ", expected a regular file");
  if (status.st_size == 0)
    return reject(Reason::EmptyFile, "the file has no bytes");
  return ElfFile(file, static_cast<uint64_t>(status.st_size));
}

NoteResult readNote(int file) {
  std::variant<ElfFile, Rejection> opened = openRegular(file);
  if (Rejection *bad = std::get_if<Rejection>(&opened))
    return *bad;
  const ElfFile &elf = std::get<ElfFile>(opened);
  if (std::optional<Rejection> bad = checkMachine(elf))
    return *bad;
  std::variant<Notes, Rejection> notes = readNotes(elf);
  if (Rejection *bad = std::get_if<Rejection>(&notes))
    return *bad;
  return decode(std::get<Notes>(notes));
}

NoteResult readNote(const std::string &path) {
  FileDescriptor file = openForReading(path);
  if (!file)
    return reject(Reason::Unreadable, errorText(errno));
  return readNote(file.get());
}

namespace {
/// The search for the object that contains an address.
struct MappedSearch {
  uintptr_t address;
  Notes notes;
};
} // namespace

static int scanMapped(dl_phdr_info *object, size_t, void *search) {
  auto &[address, notes] = *static_cast<MappedSearch *>(search);
  std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  bool isInside =
      std::any_of(segments.begin(), segments.end(), [&](const auto &segment) {
        return segment.p_type == PT_LOAD &&
               address - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
      });
  if (!isInside)
    return 0;
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type != PT_NOTE)
      continue;
    auto start =
        reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr);
    scanSegment({start, start + segment.p_memsz}, segment.p_offset,
                segment.p_align == 8 ? 8 : 4, notes);
  }
  return 1;
}

static Notes mappedNotes(const void *address) {
  MappedSearch search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(scanMapped, &search);
  return std::move(search.notes);
}

NoteResult readMappedNote(const void *address) {
  return decode(mappedNotes(address));
}

std::string readMappedBuildId(const void *address) {
  return mappedNotes(address).linkerBuildId;
}

std::string readBuildId(const std::string &path) {
  FileDescriptor file = openForReading(path);
  if (!file)
    return {};
  std::variant<ElfFile, Rejection> opened = openRegular(file.get());
  if (!std::holds_alternative<ElfFile>(opened))
    return {};
  std::variant<Notes, Rejection> notes = readNotes(std::get<ElfFile>(opened));
  Notes *found = std::get_if<Notes>(&notes);
  return found ? found->linkerBuildId : std::string();
}

} // namespace nereid::host
