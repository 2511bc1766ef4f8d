// OutputPipe.h - a name that a library can write a file to, without a file.
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

/// LLVM writes regular files by way of a temporary one in the same folder, so
/// a file in memory will not do; a pipe it writes to directly, on one thread,
/// while another reads what comes.
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

  /// All that was written; to be called once, after finish() has returned.
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
