// MemoryFile.cpp - memfd_create.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "MemoryFile.h"

#include "llvm/Support/Errno.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::cpu {

static llvm::Error systemError(const char *what) {
  int code = errno;
  return llvm::createStringError(llvm::Twine(what) + ": " +
                                 llvm::sys::StrError(code));
}

llvm::Expected<MemoryFile> MemoryFile::create(llvm::ArrayRef<char> contents) {
  MemoryFile out(memfd_create("nereid-cpu-link", MFD_CLOEXEC));
  if (out.file < 0)
    return systemError("cannot make a file in memory");
  while (!contents.empty()) {
    ssize_t done = write(out.file, contents.data(), contents.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return systemError("cannot write to a file in memory");
    contents = contents.drop_front(static_cast<size_t>(done));
  }
  return out;
}

MemoryFile::~MemoryFile() {
  if (file >= 0)
    close(file);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(file);
}

} // namespace nereid::cpu
