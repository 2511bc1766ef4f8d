// Guard.h - how a C function of libnereid-ops fails: through libnereid's record
// of each thread's last error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SUPPORT_GUARD_H
#define NEREID_OPS_SUPPORT_GUARD_H

#include "nereid/host/base.h"
#include "support/Result.h"

#include <exception>
#include <new>

namespace nereid::ops {

using host::borrow;
using host::Failure;
using host::Outcome;
using host::Result;
using host::view;

/// Runs the body of a C function: failures and exceptions become a status.
template <typename Body> nereid_status_t guarded(Body &&body) noexcept {
  try {
    Outcome outcome = body();
    if (outcome)
      return NEREID_OK;
    return nereid_fail(outcome.failure().status,
                       borrow(outcome.failure().text));
  } catch (const std::bad_alloc &) {
    return nereid_fail(NEREID_OUT_OF_RESOURCES, borrow("out of memory"));
  } catch (const std::exception &error) {
    return nereid_fail(NEREID_INTERNAL, borrow(error.what()));
  } catch (...) {
    return nereid_fail(NEREID_INTERNAL, borrow("unexpected exception"));
  }
}

/// Refuses a null pointer that a C function needs.
inline Outcome require(const void *pointer, std::string_view name) {
  if (pointer)
    return {};
  return Failure{NEREID_INVALID_ARGUMENT, std::string(name) + " is null"};
}

/// Hands \p text over to the caller of a C function.
inline Outcome giveText(std::string_view text, nereid_buffer_t **out) {
  if (Outcome given = require(out, "out"); !given)
    return given;
  nereid_status_t status =
      nereid_buffer_create({text.data(), text.size()}, out);
  if (status != NEREID_OK)
    return Failure{status, "out of memory"};
  return {};
}

} // namespace nereid::ops

#endif // NEREID_OPS_SUPPORT_GUARD_H
