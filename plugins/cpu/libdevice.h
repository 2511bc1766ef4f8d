// libdevice.h - the external functions that kernels may call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_LIBDEVICE_H
#define NEREID_CPU_LIBDEVICE_H

#include "nereid/plugin.h"

namespace nereid::cpu {

extern const nereid_libdevice_t kLibdevice;

} // namespace nereid::cpu

#endif // NEREID_CPU_LIBDEVICE_H
