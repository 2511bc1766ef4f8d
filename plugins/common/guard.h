// guard.h - exceptions do not cross the C ABI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_GUARD_H
#define NEREID_PLUGINS_COMMON_GUARD_H

#include "text.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>

namespace nereid::plugin {

/// An error with the status that the slot returns.
class Failure : public std::runtime_error {
public:
  Failure(nereid_status_t status, const std::string &message)
      : std::runtime_error(message), code(status) {}
  nereid_status_t status() const noexcept { return code; }

private:
  nereid_status_t code;
};

/// `kGuarded<slot>` has the type of `slot` and calls it, but reports an
/// exception (a Failure, or one of the standard library) to the slot's last
/// argument, its call, and returns a status. Costs nothing without an
/// exception.
template <auto Function> struct Guarded;

template <typename... Arguments, nereid_status_t (*Function)(Arguments...)>
struct Guarded<Function> {
  static nereid_status_t call(Arguments... arguments) noexcept {
    const nereid_call_t *record =
        std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    try {
      return Function(arguments...);
    } catch (const Failure &failure) {
      return fail(record, failure.status(), failure.what());
    } catch (const std::bad_alloc &) {
      return fail(record, NEREID_OUT_OF_RESOURCES, "out of memory");
    } catch (const std::exception &error) {
      return fail(record, NEREID_INTERNAL, error.what());
    } catch (...) {
      return fail(record, NEREID_INTERNAL, "an exception of unknown type");
    }
  }
};

template <auto Function>
inline constexpr auto kGuarded = &Guarded<Function>::call;

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_GUARD_H
