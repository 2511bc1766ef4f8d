// OutputPipe.cpp - a pipe whose end is a byte.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OutputPipe.h"

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
  // Large enough for most images; a smaller pipe works as well.
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 18);
  return std::unique_ptr<OutputPipe>(new OutputPipe(ends[0], ends[1]));
}

OutputPipe::~OutputPipe() {
  close(writeEnd);
  close(readEnd);
}

std::string OutputPipe::path() const {
  return "/proc/self/fd/" + std::to_string(writeEnd);
}

/// One byte more wakes the reader: the end of the file would not be seen while
/// a child of fork() holds the other end.
void OutputPipe::finish() {
  finished.store(true);
  while (write(writeEnd, "", 1) != 1) {
  }
}

/// Returns false if nothing was read.
bool OutputPipe::readStep() {
  constexpr size_t kStep = 1 << 16;
  size_t size = contents.size();
  contents.resize_for_overwrite(size + kStep);
  ssize_t done = ::read(readEnd, contents.data() + size, kStep);
  contents.truncate(size + static_cast<size_t>(done > 0 ? done : 0));
  return done > 0;
}

void OutputPipe::follow() {
  while (!finished.load())
    readStep();
}

llvm::SmallVector<char, 0> OutputPipe::take() {
  fcntl(readEnd, F_SETFL, O_NONBLOCK);
  while (readStep()) {
  }
  contents.pop_back();
  return std::move(contents);
}

} // namespace nereid::cpu
