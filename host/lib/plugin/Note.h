// Note.h - reads the note of a plugin file, which is untrusted.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_NOTE_H
#define NEREID_HOST_PLUGIN_NOTE_H

#include "plugin/LoadReport.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace nereid::host {

/// A file's description of itself, read before any of its code runs.
struct PluginNote {
  uint32_t abiMajor = 0;
  uint32_t abiMinor = 0;
  uint32_t abiRevision = 0;
  uint32_t minHostMinor = 0;
  uint32_t sanitizer = 0;
  std::string id;
  std::string machine;
  std::string buildId; // of the note, else the linker's, else empty
};

using NoteResult = std::variant<PluginNote, Rejection>;

/// Reads the note of the open file \p file. The file is read with pread alone,
/// a bounded number of bytes of it, whatever its headers say.
NoteResult readNote(int file);

/// Opens \p path without blocking (it may be a FIFO) and reads its note.
NoteResult readNote(const std::string &path);

/// The linker's build id of the ELF file at \p path as hexadecimal; empty if
/// there is none.
std::string readBuildId(const std::string &path);

/// The note of the mapped object that contains \p address: the code that runs,
/// even if its file has been replaced since.
NoteResult readMappedNote(const void *address);

/// The linker's build id of the mapped object that contains \p address, as
/// hexadecimal; empty if there is none.
std::string readMappedBuildId(const void *address);

/// Why a plugin that was built for another version of the ABI cannot be used.
std::optional<Rejection> checkVersion(uint32_t major, uint32_t minor,
                                      uint32_t revision);

/// Says why a file with \p note cannot run in this process, if so.
std::variant<std::monostate, Rejection> checkNote(const PluginNote &note);

/// True for 1 to 63 of [a-z0-9_.-].
bool isPluginId(std::string_view id);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_NOTE_H
