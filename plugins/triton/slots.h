// slots.h - what every slot of the plugin is wrapped in.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TRITON_SLOTS_H
#define NEREID_TRITON_SLOTS_H

#include "common/guard.h"
#include "facts.h"

namespace nereid::triton {

/// As plugin::Guarded, for functions that also throw Reported.
template <auto Function> struct Slot;

template <typename... Arguments, nereid_status_t (*Function)(Arguments...)>
struct Slot<Function> {
  static nereid_status_t call(Arguments... arguments) {
    try {
      return Function(arguments...);
    } catch (const Reported &reported) {
      return reported.status;
    }
  }
};

/// Borrows \p strings.
inline std::vector<nereid_string_t>
textsOf(const std::vector<std::string> &strings) {
  std::vector<nereid_string_t> texts;
  for (const std::string &each : strings)
    texts.push_back(plugin::text(each));
  return texts;
}

template <auto Function>
inline constexpr auto kSlot = plugin::kGuarded<&Slot<Function>::call>;

} // namespace nereid::triton

#endif // NEREID_TRITON_SLOTS_H
