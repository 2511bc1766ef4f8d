// FatalErrors.cpp - a handler that jumps back to runGuarded().
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <csetjmp>
#include <mutex>

namespace nereid::codegen {

namespace {
struct Return {
  std::jmp_buf place;
  std::string message;
};
} // namespace

char FatalError::ID;

void FatalError::log(llvm::raw_ostream &stream) const {
  stream << "LLVM: " << text;
}

static thread_local Return *current = nullptr;

/// On threads outside runGuarded() fatal errors end the process as usual.
static void onFatalError(void *, const char *message, bool) {
  if (!current)
    return;
  current->message = message;
  std::longjmp(current->place, 1);
}

llvm::Error runGuarded(llvm::function_ref<llvm::Error()> work) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(onFatalError); });
  Return here;
  Return *outer = current;
  current = &here;
  if (setjmp(here.place) == 0) {
    llvm::Error error = work();
    current = outer;
    return error;
  }
  current = outer;
  return llvm::make_error<FatalError>(std::move(here.message));
}

} // namespace nereid::codegen
