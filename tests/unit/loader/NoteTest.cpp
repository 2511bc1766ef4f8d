// NoteTest.cpp - the note reader believes nothing.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Note.h"

#include "nereid/note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace nereid::host {
namespace {

nereid_note_t goodNote() {
  nereid_note_t note = {};
  note.struct_size = sizeof note;
  note.abi_major = NEREID_ABI_MAJOR;
  note.abi_revision = NEREID_ABI_REVISION;
  std::strcpy(note.id, "acme.npu");
  std::strcpy(note.machine, NEREID_NOTE_MACHINE);
  std::strcpy(note.build_id, "42");
  return note;
}

/// A shared object of nothing but headers and notes, to be broken.
struct Elf {
  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> segments;
  std::string notes;

  Elf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
#if defined(__x86_64__)
    header.e_machine = EM_X86_64;
#elif defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#endif
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
  }

  /// Appends a note and returns where it starts among the notes.
  size_t add(std::string owner, uint32_t type, std::string description,
             size_t alignment = 4) {
    auto pad = [&](std::string &text) {
      text.resize((text.size() + alignment - 1) / alignment * alignment);
    };
    Elf64_Nhdr head = {static_cast<uint32_t>(owner.size() + 1),
                       static_cast<uint32_t>(description.size()), type};
    size_t start = notes.size();
    owner.push_back('\0');
    pad(owner);
    pad(description);
    notes.append(reinterpret_cast<const char *>(&head), sizeof head);
    notes += owner + description;
    return start;
  }
  size_t add(const nereid_note_t &note) {
    return add(NEREID_NOTE_OWNER, NEREID_NOTE_TYPE,
               std::string(reinterpret_cast<const char *>(&note), sizeof note));
  }

  /// A segment with all notes; its offset is filled in by bytes().
  void cover(uint64_t alignment = 4) {
    Elf64_Phdr segment = {};
    segment.p_type = PT_NOTE;
    segment.p_filesz = notes.size();
    segment.p_align = alignment;
    segments.push_back(segment);
  }
  uint64_t notesAt() const {
    return sizeof header + segments.size() * sizeof(Elf64_Phdr);
  }

  std::string bytes() {
    if (!header.e_phnum)
      header.e_phnum = static_cast<uint16_t>(segments.size());
    std::string text(reinterpret_cast<const char *>(&header), sizeof header);
    for (Elf64_Phdr segment : segments) {
      segment.p_offset += notesAt();
      text.append(reinterpret_cast<const char *>(&segment), sizeof segment);
    }
    return text + notes;
  }
};

/// A file in memory that holds \p bytes and then a hole up to \p size.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &bytes, uint64_t size = 0)
      : file(memfd_create("note", MFD_CLOEXEC)) {
    EXPECT_EQ(pwrite(file, bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    if (size)
      EXPECT_EQ(ftruncate(file, static_cast<off_t>(size)), 0);
  }
  ~MemoryFile() { close(file); }
  const int file;
};

NoteResult read(const std::string &bytes, uint64_t size = 0) {
  return readNote(MemoryFile(bytes, size).file);
}

std::string codeOf(const NoteResult &result) {
  const Rejection *rejection = std::get_if<Rejection>(&result);
  return std::string(rejection ? infoOf(rejection->reason).code : "ok");
}

TEST(Note, IsReadThroughTheProgramHeaders) {
  Elf elf;
  elf.add("GNU", NT_GNU_PROPERTY_TYPE_0, "12345678");
  elf.add(goodNote());
  elf.cover();
  NoteResult result = read(elf.bytes());
  ASSERT_EQ(codeOf(result), "ok");
  const PluginNote &note = std::get<PluginNote>(result);
  EXPECT_EQ(note.id, "acme.npu");
  EXPECT_EQ(note.buildId, "42");
  EXPECT_EQ(note.abiMajor, uint32_t(NEREID_ABI_MAJOR));
}

TEST(Note, TheLinkersBuildIdReplacesAnEmptyOne) {
  Elf elf;
  nereid_note_t note = goodNote();
  note.build_id[0] = '\0';
  elf.add(note);
  elf.add("GNU", NT_GNU_BUILD_ID, std::string("\x01\xab\xff", 3));
  elf.cover();
  EXPECT_EQ(std::get<PluginNote>(read(elf.bytes())).buildId, "01abff");
}

TEST(Note, ALaterLargerNoteIsRead) {
  Elf elf;
  nereid_note_t note = goodNote();
  note.struct_size = sizeof note + 24;
  std::string bytes(reinterpret_cast<const char *>(&note), sizeof note);
  elf.add(NEREID_NOTE_OWNER, NEREID_NOTE_TYPE, bytes + std::string(24, '\x7f'));
  elf.cover();
  EXPECT_EQ(codeOf(read(elf.bytes())), "ok");
}

TEST(Note, NotesOfOtherOwnersAreIgnored) {
  Elf elf;
  elf.add("nereid", 2, "12345678");  // another type
  elf.add("nereid2", 1, "12345678"); // another owner
  elf.add("NEREID", 1, "12345678");
  elf.cover();
  EXPECT_EQ(codeOf(read(elf.bytes())), "no-note");
}

TEST(Note, ANoteInOverlappingSegmentsCountsOnce) {
  Elf elf;
  elf.add(goodNote());
  elf.cover();
  elf.cover();
  EXPECT_EQ(codeOf(read(elf.bytes())), "ok");
  elf = Elf();
  elf.add(goodNote());
  elf.add(goodNote());
  elf.cover();
  EXPECT_EQ(codeOf(read(elf.bytes())), "two-notes");
}

TEST(Note, SizesThatWrapAroundEndTheSearch) {
  for (uint32_t size : {0xffffffffu, 0xfffffffdu, 0x80000000u, 1u << 20}) {
    for (size_t field : {0, 4}) {
      Elf elf;
      size_t at = elf.add("x", 1, "1234");
      elf.add(goodNote());
      std::memcpy(&elf.notes[at + field], &size, sizeof size);
      elf.cover();
      EXPECT_EQ(codeOf(read(elf.bytes())), "no-note") << size;
    }
  }
}

TEST(Note, ANoteAsLargeAsTheAddressSpaceIsNotRead) {
  Elf elf;
  elf.add(goodNote());
  elf.cover();
  elf.segments[0].p_filesz = uint64_t(4) << 30;
  EXPECT_EQ(codeOf(read(elf.bytes())), "truncated-elf");
  // In a file with a hole, where such a note could be.
  EXPECT_EQ(codeOf(read(elf.bytes(), uint64_t(8) << 30)), "bad-elf");
  elf.segments[0].p_filesz = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(codeOf(read(elf.bytes(), uint64_t(8) << 30)), "truncated-elf");
  elf.segments[0].p_filesz = 64;
  elf.segments[0].p_offset = std::numeric_limits<uint64_t>::max() - 200;
  EXPECT_EQ(codeOf(read(elf.bytes())), "truncated-elf");
}

TEST(Note, ManySegmentsDoNotAddUp) {
  Elf elf;
  for (int i = 0; i < 200; ++i) {
    elf.cover();
    elf.segments.back().p_filesz = 1 << 20;
  }
  EXPECT_EQ(codeOf(read(elf.bytes(), 8 << 20)), "bad-elf");
}

TEST(Note, ProgramHeadersThatMakeNoSenseAreRefused) {
  auto broken = [](auto &&change) {
    Elf elf;
    elf.add(goodNote());
    elf.cover();
    elf.header.e_phnum = 1;
    change(elf.header);
    return codeOf(read(elf.bytes()));
  };
  EXPECT_EQ(broken([](Elf64_Ehdr &) {}), "ok");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_phnum = PN_XNUM; }), "bad-elf");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_phentsize = 0; }), "bad-elf");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_phentsize = 57; }), "bad-elf");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_phnum = 200; }), "truncated-elf");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_phoff = ~uint64_t(0); }),
            "truncated-elf");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_type = ET_EXEC; }), "bad-elf");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) {
              h.e_shoff = 100;
              h.e_shnum = 0xffff;
              h.e_shentsize = 0xffff;
            }),
            "truncated-elf");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }),
            "wrong-machine");
  EXPECT_EQ(broken([](Elf64_Ehdr &h) { h.e_machine = EM_386; }),
            "wrong-machine");
}

TEST(Note, ASegmentBeyondTheEndMeansATruncatedFile) {
  Elf elf;
  elf.add(goodNote());
  elf.cover();
  Elf64_Phdr load = {};
  load.p_type = PT_LOAD;
  load.p_filesz = 1 << 20;
  elf.segments.push_back(load);
  EXPECT_EQ(codeOf(read(elf.bytes())), "truncated-elf");
}

TEST(Note, FieldsThatAreNotTextAreRefused) {
  auto broken = [](auto &&change) {
    nereid_note_t note = goodNote();
    change(note);
    Elf elf;
    elf.add(note);
    elf.cover();
    return codeOf(read(elf.bytes()));
  };
  EXPECT_EQ(broken([](nereid_note_t &n) { n.id[0] = '\0'; }), "bad-note");
  EXPECT_EQ(broken([](nereid_note_t &n) { n.id[0] = '/'; }), "bad-note");
  EXPECT_EQ(broken([](nereid_note_t &n) { std::memset(n.id, 'a', 64); }),
            "bad-note");
  EXPECT_EQ(broken([](nereid_note_t &n) { n.machine[1] = '\n'; }), "bad-note");
  EXPECT_EQ(broken([](nereid_note_t &n) { n.build_id[0] = '\x80'; }),
            "bad-note");
  EXPECT_EQ(broken([](nereid_note_t &n) { n.struct_size = 12; }), "bad-note");
  EXPECT_EQ(broken([](nereid_note_t &n) { n.struct_size = 1u << 31; }),
            "bad-note");
}

TEST(Note, AShortNoteIsRefused) {
  Elf elf;
  elf.add(NEREID_NOTE_OWNER, NEREID_NOTE_TYPE, "1234");
  elf.cover();
  EXPECT_EQ(codeOf(read(elf.bytes())), "bad-note");
}

TEST(Note, AnotherVersionIsReportedEvenIfTheRestIsInvalid) {
  auto reasonOf = [](auto &&change) {
    nereid_note_t note = goodNote();
    note.struct_size = 1;
    note.id[0] = '\n';
    change(note);
    Elf elf;
    elf.add(note);
    elf.cover();
    NoteResult result = read(elf.bytes());
    EXPECT_EQ(codeOf(result), "ok");
    auto fits = checkNote(std::get<PluginNote>(result));
    auto *wrong = std::get_if<Rejection>(&fits);
    return wrong ? wrong->reason : Reason::Loaded;
  };
  EXPECT_EQ(reasonOf([](nereid_note_t &n) { n.abi_major = 9; }),
            Reason::AbiMajor);
  for (uint32_t revision : {0, 1, NEREID_ABI_REVISION + 1})
    EXPECT_EQ(reasonOf([&](nereid_note_t &n) { n.abi_revision = revision; }),
              Reason::AbiRevision);
}

TEST(Note, EveryByteOfAGoodFileMayBeAnything) {
  Elf elf;
  elf.add("GNU", NT_GNU_BUILD_ID, "12345678");
  elf.add(goodNote());
  elf.cover();
  std::string good = elf.bytes();
  for (size_t at = 0; at < good.size(); ++at)
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(value);
      (void)read(bytes); // ends, and touches no byte out of bounds
    }
}

} // namespace
} // namespace nereid::host
