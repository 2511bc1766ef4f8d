// NoteCheck.cpp - whether a plugin with a given note can run in this process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Note.h"

#include "nereid/note.h"

#include <algorithm>

namespace nereid::host {

bool isPluginId(std::string_view id) {
  auto isLegal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  return !id.empty() && id.size() <= 63 &&
         std::all_of(id.begin(), id.end(), isLegal);
}

static std::string sanitizerName(uint32_t sanitizer) {
  switch (sanitizer) {
  case NEREID_SANITIZER_NONE:
    return "no sanitizer";
  case NEREID_SANITIZER_ADDRESS:
    return "AddressSanitizer";
  case NEREID_SANITIZER_THREAD:
    return "ThreadSanitizer";
  case NEREID_SANITIZER_MEMORY:
    return "MemorySanitizer";
  default:
    return "sanitizer " + std::to_string(sanitizer);
  }
}

std::optional<Rejection> checkVersion(uint32_t major, uint32_t minor,
                                      uint32_t revision) {
  auto name = [](uint32_t givenMajor, uint32_t givenMinor) {
    return std::to_string(givenMajor) + "." + std::to_string(givenMinor);
  };
  std::string own = name(NEREID_ABI_MAJOR, NEREID_ABI_MINOR);
  if (major != NEREID_ABI_MAJOR)
    return Rejection{Reason::AbiMajor,
                     "it is built for plugin ABI " + name(major, minor) +
                         ", this host speaks " + own,
                     {}};
  if (revision != NEREID_ABI_REVISION)
    return Rejection{Reason::AbiRevision,
                     "it is built for revision " + std::to_string(revision) +
                         " of plugin ABI " + name(major, minor) +
                         ", this host speaks revision " +
                         std::to_string(NEREID_ABI_REVISION) + " of " + own,
                     {}};
  return std::nullopt;
}

std::variant<std::monostate, Rejection> checkNote(const PluginNote &note) {
  if (std::optional<Rejection> wrong =
          checkVersion(note.abiMajor, note.abiMinor, note.abiRevision))
    return *wrong;
  if (note.minHostMinor > NEREID_ABI_MINOR)
    return Rejection{Reason::HostTooOld,
                     "it needs a host that speaks at least ABI " +
                         std::to_string(NEREID_ABI_MAJOR) + "." +
                         std::to_string(note.minHostMinor) +
                         ", this one speaks " +
                         std::to_string(NEREID_ABI_MAJOR) + "." +
                         std::to_string(NEREID_ABI_MINOR),
                     {}};
  if (note.machine != NEREID_NOTE_MACHINE)
    return Rejection{Reason::WrongMachine,
                     "its note says machine '" + note.machine +
                         "', this machine is " NEREID_NOTE_MACHINE,
                     {}};
  // Code without a sanitizer runs in a host with one.
  if (note.sanitizer != NEREID_SANITIZER_NONE &&
      note.sanitizer != NEREID_NOTE_SANITIZER)
    return Rejection{Reason::WrongSanitizer,
                     "it is built with " + sanitizerName(note.sanitizer) +
                         ", this host with " +
                         sanitizerName(NEREID_NOTE_SANITIZER),
                     {}};
  return std::monostate();
}

} // namespace nereid::host
