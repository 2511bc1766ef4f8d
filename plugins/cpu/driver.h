// driver.h - the driver's table, and what its extensions share with it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_DRIVER_H
#define NEREID_CPU_DRIVER_H

#include "nereid/plugin.h"

namespace nereid::cpu {

extern const nereid_driver_t kDriver;

inline void *pointerTo(nereid_address_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// Makes memory, which is the host's for all purposes; throws if there is none.
void *allocateBlock(nereid_state_t &state,
                    const nereid_allocation_t &allocation);

} // namespace nereid::cpu

#endif // NEREID_CPU_DRIVER_H
