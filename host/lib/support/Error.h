// Error.h - maps failures and exceptions to a status and the calling thread's
// error text.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_ERROR_H
#define NEREID_HOST_SUPPORT_ERROR_H

#include "support/Result.h"

#include <string_view>

namespace nereid::host {

/// Records the reasons of \p failure for the calling thread and returns its
/// status.
nereid_status_t fail(const Failure &failure) noexcept;

/// The reasons of the calling thread's last failure, one a line.
std::string_view lastError() noexcept;

/// Turns the exception that is being handled into a failure.
nereid_status_t failFromException() noexcept;

/// Runs the body of a C function: failures and exceptions become a status.
template <typename Body> nereid_status_t guarded(Body &&body) noexcept {
  try {
    Outcome outcome = body();
    return outcome ? NEREID_OK : fail(outcome.failure());
  } catch (...) {
    return failFromException();
  }
}

/// The same for a body that calls other C functions and returns their status.
template <typename Body> nereid_status_t guardedStatus(Body &&body) noexcept {
  try {
    return body();
  } catch (...) {
    return failFromException();
  }
}

/// Refuses a null pointer that a C function needs.
inline Outcome require(const void *pointer, std::string_view name) {
  if (pointer)
    return {};
  return Failure{NEREID_INVALID_ARGUMENT, std::string(name) + " is null"};
}

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_ERROR_H
