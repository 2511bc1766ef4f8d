// OutputPipe.h - a pipe as the output file of a library.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_OUTPUTPIPE_H
#define NEREID_CPU_COMPILER_BACKEND_OUTPUTPIPE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <memory>
#include <string>

namespace nereid::cpu {

/// LLVM writes a regular file as a temporary file in the same folder first, so
/// a file in memory does not work. It writes directly to a pipe, on one thread,
/// while another thread reads.
class OutputPipe {
public:
  static llvm::Expected<std::unique_ptr<OutputPipe>> create();
  OutputPipe(const OutputPipe &) = delete;
  OutputPipe &operator=(const OutputPipe &) = delete;
  ~OutputPipe();

  std::string path() const;

  /// For the writer, when it is done.
  void finish();

  /// For the reader: reads until the writer is about to finish.
  void follow();

  /// Returns all that was written; call once, after finish() has returned.
  llvm::SmallVector<char, 0> take();

private:
  OutputPipe(int readEnd, int writeEnd)
      : readEnd(readEnd), writeEnd(writeEnd) {}
  bool readStep();

  int readEnd, writeEnd;
  llvm::SmallVector<char, 0> contents;
  std::atomic<bool> finished{false};
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_OUTPUTPIPE_H
