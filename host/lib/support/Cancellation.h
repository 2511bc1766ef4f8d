// Cancellation.h - whether the caller still wants the result.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_CANCELLATION_H
#define NEREID_HOST_SUPPORT_CANCELLATION_H

#include <cstdint>

namespace nereid::host {

/// What a request says about it (nereid_compile_request_t.cancelled).
struct Cancellation {
  int32_t (*function)(void *user) = nullptr; // null: never
  void *user = nullptr;

  bool isPossible() const { return function != nullptr; }
  /// [any-thread], but with no lock held: the function is the caller's.
  bool isRequested() const { return function && function(user); }
};

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_CANCELLATION_H
