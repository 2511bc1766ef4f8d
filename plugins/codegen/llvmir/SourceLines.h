// SourceLines.h - debug information: the source lines of a kernel's code.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_LLVMIR_SOURCELINES_H
#define NEREID_CODEGEN_LLVMIR_SOURCELINES_H

#include "nereid/ttir/Dialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::codegen {

/// The debug information of one entry function. Code of an inlined helper has
/// the helper's lines, inlined into the kernel; code of Triton's own library
/// has the line that calls it.
class SourceLines {
public:
  /// For `entry`, which is generated from `kernel`.
  SourceLines(tt::FuncOp kernel, llvm::Function &entry);

  /// The debug location of `location`; the kernel's own line if it has none.
  llvm::DebugLoc find(mlir::Location location);

  /// Completes the module; call it once, at the end.
  void finish() { builder.finalize(); }

private:
  llvm::DILocation *locate(mlir::Location location);
  llvm::DILocation *make(mlir::FileLineColLoc place, llvm::DILocation *caller);
  llvm::DIFile *fileOf(llvm::StringRef path);
  llvm::DISubprogram *subprogram(llvm::StringRef name, llvm::DIFile *file,
                                 unsigned line);

  llvm::DIBuilder builder;
  llvm::DISubprogram *kernelScope = nullptr;
  llvm::StringMap<llvm::DIFile *> files;
  llvm::DenseMap<llvm::DIFile *, llvm::DISubprogram *> helpers;
  llvm::DenseMap<mlir::Location, llvm::DILocation *> known;
};

/// Sets the source line of the code that is emitted in its lifetime.
class AtLine {
public:
  AtLine(llvm::IRBuilderBase &builder, SourceLines *lines,
         mlir::Location location)
      : builder(builder), before(builder.getCurrentDebugLocation()) {
    if (lines)
      builder.SetCurrentDebugLocation(lines->find(location));
  }
  ~AtLine() { builder.SetCurrentDebugLocation(before); }
  AtLine(const AtLine &) = delete;
  AtLine &operator=(const AtLine &) = delete;

private:
  llvm::IRBuilderBase &builder;
  llvm::DebugLoc before;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_LLVMIR_SOURCELINES_H
