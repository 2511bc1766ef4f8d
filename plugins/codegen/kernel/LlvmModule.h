// LlvmModule.h - the LLVM IR of a compilation, for backends that go through
// LLVM.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_LLVMMODULE_H
#define NEREID_CODEGEN_KERNEL_LLVMMODULE_H

#include "kernel/Report.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace nereid::codegen {

/// A module together with its own context.
struct LlvmModule {
  /// Replaces both by a new context without a module.
  void clear();
  /// Replaces the module by what `input` holds, text or bitcode. The errors of
  /// text are InputErrors; warnings go to `report`.
  llvm::Error parse(llvm::StringRef input, const Report &report);
  /// The first thing that is not valid in the module.
  llvm::Error verify() const;
  /// The lines of `comment` as comments, then the module.
  std::string print(llvm::StringRef comment) const;
  /// As Session::abandon().
  void abandon();

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module; // destroyed before the context
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_LLVMMODULE_H
