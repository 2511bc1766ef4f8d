// note_fuzz.cpp - the reader of plugin notes, on files of any bytes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Note.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

/// One file in memory, written anew for each input.
static int memoryFile() {
  static const int file = memfd_create("note", MFD_CLOEXEC);
  return file;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int file = memoryFile();
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  nereid::host::NoteResult result = nereid::host::readNote(file);
  if (const auto *note = std::get_if<nereid::host::PluginNote>(&result)) {
    // What is handed on may be printed and compared.
    if (!note->id.empty() && !nereid::host::isPluginId(note->id))
      std::abort();
    (void)nereid::host::checkNote(*note);
  }
  return 0;
}
