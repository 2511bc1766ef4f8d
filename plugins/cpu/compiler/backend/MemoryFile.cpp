// MemoryFile.cpp - memfd_create.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "MemoryFile.h"

#include "llvm/Support/Errno.h"

#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::cpu {

namespace {
/// In its lifetime, a write of this thread beyond the file size limit fails
/// with EFBIG instead of killing the process by SIGXFSZ.
class SizeSignalBlock {
public:
  SizeSignalBlock() {
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
  }
  ~SizeSignalBlock() {
    timespec now = {};
    if (!sigismember(&before, SIGXFSZ))
      while (sigtimedwait(&blocked, nullptr, &now) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  SizeSignalBlock(const SizeSignalBlock &) = delete;
  SizeSignalBlock &operator=(const SizeSignalBlock &) = delete;

private:
  sigset_t blocked, before;
};
} // namespace

static llvm::Error systemError(const char *what) {
  std::error_code code(errno, std::system_category());
  if (errno == EFBIG)
    return llvm::createStringError(
        code, "the files in memory that the linker reads are larger than the "
              "limit on the size of files; raise it ('ulimit -f')");
  return llvm::createStringError(code, llvm::Twine(what) + ": " +
                                           llvm::sys::StrError(code.value()));
}

llvm::Expected<MemoryFile> MemoryFile::create(llvm::ArrayRef<char> contents) {
  MemoryFile out(memfd_create("nereid-cpu-link", MFD_CLOEXEC));
  if (out.file < 0)
    return systemError("cannot make a file in memory");
  SizeSignalBlock block;
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
