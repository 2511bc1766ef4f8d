// MemoryFile.h - a file in memory, for a library that needs file names.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_MEMORYFILE_H
#define NEREID_CPU_COMPILER_BACKEND_MEMORYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>

namespace nereid::cpu {

class MemoryFile {
public:
  static llvm::Expected<MemoryFile> create(llvm::ArrayRef<char> contents);
  MemoryFile(MemoryFile &&other) : file(std::exchange(other.file, -1)) {}
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile();

  /// A name of the file in this process, valid for the lifetime of this object.
  std::string path() const;

private:
  explicit MemoryFile(int file) : file(file) {}
  int file;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_MEMORYFILE_H
