// The list of external functions as "nereid.libdevice/1" reports it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_LIBDEVICE_FUNCTIONLIST_H
#define NEREID_CODEGEN_LIBDEVICE_FUNCTIONLIST_H

#include "nereid/ext/libdevice.h"

namespace nereid::codegen {

/// What some functions need of a target.
struct ExternTarget {
  bool hasF64 = true;
  bool hasCLibrary = true; // at run time
};

/// Adds the functions that kernels for such a target may call.
nereid_status_t addExternFunctions(const ExternTarget &target,
                                   const nereid_libdevice_sink_t *sink);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_LIBDEVICE_FUNCTIONLIST_H
