// Forms.h - the forms of a kernel, each for some launches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_FORMS_H
#define NEREID_CPU_COMPILER_FORMS_H

#include "emit/Choice.h"
#include "plan/SideBySide.h"
#include "plan/TileProgram.h"

namespace nereid::cpu {

/// A form of the kernel: what to emit for it.
struct KernelForm {
  std::unique_ptr<TileProgram> program;
  std::unique_ptr<codegen::TileForms> forms;
  GenerateOptions options;
  bool streams = false;
};

/// The forms of a kernel: all there is, or first one that relies on
/// `condition`.
struct KernelForms {
  llvm::SmallVector<KernelForm, 2> list;
  FormCondition condition;
  /// One that runs programs together, before all others; its kernel may be
  /// null.
  SideBySide side;
  KernelForm together;
};

/// The forms of the kernel: for all launches, and before that one for those in
/// which strides are one, no index overflows, or nothing is read that was
/// stored.
llvm::Expected<KernelForms>
planForms(tt::FuncOp kernel, const GenerateOptions &options, KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_FORMS_H
