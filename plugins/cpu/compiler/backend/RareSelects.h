// RareSelects.h - branches around what is rarely selected.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_RARESELECTS_H
#define NEREID_CPU_COMPILER_BACKEND_RARESELECTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid::cpu {

/// Functions compute both sides of a selection, on vectors. Where branch
/// weights say that the first side is rarely selected
/// (codegen::selectRarely()), and much is computed for it alone, that is
/// computed only if some lane selects it: sines of large angles need three
/// times as many operations as others.
///
/// After other passes, which might join the sides again.
void branchAroundRareSelects(llvm::Module &module);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_RARESELECTS_H
