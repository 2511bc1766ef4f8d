// OutputPipe.cpp - a pipe and the thread that empties it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OutputPipe.h"

#include "QuietThread.h"

#include "llvm/Support/Errno.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace nereid::cpu {

llvm::Expected<std::unique_ptr<OutputPipe>> OutputPipe::create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    int code = errno;
    return llvm::createStringError("cannot make a pipe: " +
                                   llvm::sys::StrError(code));
  }
  // Room for a whole image, mostly; a smaller pipe works as well.
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 18);
  return std::unique_ptr<OutputPipe>(new OutputPipe(ends[0], ends[1]));
}

OutputPipe::OutputPipe(int readEnd, int writeEnd)
    : readEnd(readEnd), writeEnd(writeEnd) {
  reader = startQuietThread([this] { read(); });
}

OutputPipe::~OutputPipe() { finish(); }

std::string OutputPipe::path() const {
  return "/proc/self/fd/" + std::to_string(writeEnd);
}

/// One byte comes after the writer is done: the end of the file would not be
/// seen while a child of fork() holds the other end.
void OutputPipe::read() {
  constexpr size_t kStep = 1 << 16;
  bool last = false;
  for (;;) {
    size_t size = contents.size();
    contents.resize_for_overwrite(size + kStep);
    ssize_t done = ::read(readEnd, contents.data() + size, kStep);
    contents.truncate(size + static_cast<size_t>(done > 0 ? done : 0));
    if (last && done <= 0)
      break;
    // The last byte is in the pipe or read by now; empty what is left.
    if (!last && finished.load()) {
      last = true;
      fcntl(readEnd, F_SETFL, O_NONBLOCK);
    }
  }
  contents.pop_back();
}

void OutputPipe::finish() {
  if (!reader.joinable())
    return;
  finished.store(true);
  while (write(writeEnd, "", 1) != 1) {
  }
  reader.join();
  close(writeEnd);
  close(readEnd);
}

llvm::SmallVector<char, 0> OutputPipe::take() {
  finish();
  return std::move(contents);
}

} // namespace nereid::cpu
