// ttir_fuzz.h - what the targets of Triton IR share. A target includes it once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_FUZZ_TTIR_FUZZ_H
#define NEREID_FUZZ_TTIR_FUZZ_H

#include "nereid/ttir/Parse.h"

/// LLVM's allocators poison what they have not given out. Libraries of LLVM
/// that are not instrumented take memory from those that our objects have
/// filled, and do not unpoison it.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}

/// The dialects of Triton IR.
inline const mlir::DialectRegistry &dialects() {
  static const auto *registry = [] {
    auto *made = new mlir::DialectRegistry;
    nereid::tt::registerTTIRDialects(*made);
    return made;
  }();
  return *registry;
}

#endif // NEREID_FUZZ_TTIR_FUZZ_H
