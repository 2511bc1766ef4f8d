// SlotTable.h - the host's copies of a plugin's tables, with every gap filled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ABI_SLOT_TABLE_H
#define NEREID_HOST_ABI_SLOT_TABLE_H

#include "nereid/plugin.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

using AnySlot = void (*)();

/// One slot of a table. It is required if `with` is its own name, or if the
/// slot that `with` names is present; optional if `with` is empty.
struct Slot {
  std::string_view name;
  size_t offset; // bytes from the start of the table
  std::string_view with;
  AnySlot stub;
};

/// A kind of table: what messages call it, and its slots in order.
struct TableKind {
  std::string_view name;
  std::span<const Slot> slots;
};

/// The kinds that plugins have.
template <typename Table> TableKind tableKind();
template <> TableKind tableKind<nereid_compiler_t>();
template <> TableKind tableKind<nereid_driver_t>();
template <> TableKind tableKind<nereid_streams_t>();
template <> TableKind tableKind<nereid_events_t>();
template <> TableKind tableKind<nereid_memory_t>();
template <> TableKind tableKind<nereid_interop_t>();
template <> TableKind tableKind<nereid_benchmark_t>();
template <> TableKind tableKind<nereid_frontend_t>();
template <> TableKind tableKind<nereid_libdevice_t>();

/// Copies the slots of \p given, a table of any size or null, into \p out, and
/// a stub for each missing one. Sets a bit of \p present for each slot that is
/// present. Returns the required slots that are missing, such as
/// "compiler.run_stage"; none if \p given is null.
std::vector<std::string> copySlots(TableKind kind, const void *given, void *out,
                                   uint64_t &present);

/// The host's copy of a plugin's table. Each slot can be called: one that the
/// plugin lacks, because it is older or left it out, reports "does not
/// implement driver.launch" and returns NEREID_UNIMPLEMENTED.
template <typename Table> class SlotTable : public Table {
public:
  SlotTable() { (void)assign(nullptr); }

  /// Takes the slots of \p given, which may be null, and returns the required
  /// ones that are missing.
  std::vector<std::string> assign(const Table *given) {
    exists = given;
    Table &table = *this;
    table = {};
    table.struct_size = sizeof table;
    return copySlots(tableKind<Table>(), given, &table, present);
  }

  /// Whether the plugin has the table.
  bool isThere() const { return exists; }
  /// Whether the plugin has the slot: its own UNIMPLEMENTED is not a gap.
  template <typename Function> bool has(Function Table::*slot) const {
    auto place =
        reinterpret_cast<const char *>(&(this->*slot)) -
        reinterpret_cast<const char *>(static_cast<const Table *>(this));
    return present >> (place / sizeof(AnySlot)) & 1;
  }

private:
  uint64_t present = 0; // by place in the table, in units of a slot
  bool exists = false;
};

} // namespace nereid::host

#endif // NEREID_HOST_ABI_SLOT_TABLE_H
