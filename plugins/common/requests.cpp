// requests.cpp - the messages for what a driver refuses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "requests.h"

#include "guard.h"

#include <bit>

namespace nereid::plugin {

uint64_t alignmentOf(const nereid_allocation_t &allocation,
                     uint64_t byDefault) {
  uint64_t alignment = allocation.alignment ? allocation.alignment : byDefault;
  if (!std::has_single_bit(alignment))
    throw Failure(NEREID_INVALID_ARGUMENT, "the alignment is " +
                                               std::to_string(alignment) +
                                               ", a power of two was expected");
  return alignment;
}

void requireHostPointer(const nereid_import_t &object) {
  if (view(object.kind) != "host.pointer")
    throw Failure(NEREID_UNIMPLEMENTED, "cannot import a '" +
                                            std::string(view(object.kind)) +
                                            "', only a 'host.pointer'");
}

} // namespace nereid::plugin
