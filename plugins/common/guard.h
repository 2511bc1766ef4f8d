// guard.h - exceptions do not cross the C ABI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_GUARD_H
#define NEREID_PLUGINS_COMMON_GUARD_H

#include "text.h"

#include <new>
#include <type_traits>

namespace nereid::plugin {

/// `kGuarded<function>` has the type of `function` and calls it, but converts
/// an exception (only those of the standard library and of allocation can
/// occur) to a status. Costs nothing without an exception.
template <auto Function> struct Guarded;

template <typename Result, typename... Arguments,
          Result (*Function)(Arguments...)>
struct Guarded<Function> {
  static Result call(Arguments... arguments) noexcept {
    try {
      return Function(arguments...);
    } catch (const std::bad_alloc &) {
      if constexpr (!std::is_void_v<Result>)
        return NEREID_OUT_OF_RESOURCES;
    } catch (...) {
      if constexpr (!std::is_void_v<Result>)
        return NEREID_INTERNAL;
    }
  }
};

template <auto Function>
inline constexpr auto kGuarded = &Guarded<Function>::call;

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_GUARD_H
