// SlotTable.h - copies a plugin's tables into the host's own and fills the
// gaps.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ABI_SLOT_TABLE_H
#define NEREID_HOST_ABI_SLOT_TABLE_H

#include "nereid/driver.h"

#include <string>
#include <vector>

namespace nereid::host {

/// Copies \p given, of whatever size, into \p out, where each missing slot
/// becomes a stub: it answers NEREID_UNIMPLEMENTED and reports "does not
/// implement compiler.visit_options"; one that answers nothing does nothing.
/// Returns the required slots that are missing, "compiler.run_stage" for one.
std::vector<std::string> adoptTable(const nereid_compiler_t &given,
                                    nereid_compiler_t &out);
std::vector<std::string> adoptTable(const nereid_driver_t &given,
                                    nereid_driver_t &out);

/// Fills \p out with stubs alone, for a plugin without that capability.
void fillWithStubs(nereid_compiler_t &out);
void fillWithStubs(nereid_driver_t &out);

} // namespace nereid::host

#endif // NEREID_HOST_ABI_SLOT_TABLE_H
