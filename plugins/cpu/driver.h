// driver.h - the driver's table.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_DRIVER_H
#define NEREID_CPU_DRIVER_H

#include "nereid/plugin.h"

namespace nereid::cpu {

extern const nereid_driver_t kDriver;

} // namespace nereid::cpu

#endif // NEREID_CPU_DRIVER_H
