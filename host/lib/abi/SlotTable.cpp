// SlotTable.cpp - the lists of slots, which of them are required, and their
// stubs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/SlotTable.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>

namespace nereid::host {

namespace {
/// A name as a template argument, so that each slot has its own stub.
template <size_t Size> struct FixedName {
  char text[Size];
  constexpr FixedName(const char (&name)[Size]) {
    std::copy_n(name, Size, text);
  }
};

/// Replaces the missing slot \p Name of type \p Function.
template <FixedName Name, typename Function> struct Stub;

template <FixedName Name, typename... Args>
struct Stub<Name, nereid_status_t (*)(Args...)> {
  static nereid_status_t run(Args... args) {
    const nereid_call_t *call =
        std::get<sizeof...(Args) - 1>(std::tuple<Args...>(args...));
    if (!call) // legal for launch alone
      return NEREID_UNIMPLEMENTED;
    static constexpr std::string_view prefix = "does not implement ";
    char text[prefix.size() + sizeof Name.text];
    std::copy(prefix.begin(), prefix.end(), text);
    std::copy_n(Name.text, sizeof Name.text, text + prefix.size());
    nereid_diagnostic_t diagnostic = {};
    diagnostic.struct_size = sizeof diagnostic;
    diagnostic.severity = NEREID_SEVERITY_ERROR;
    diagnostic.message = {text, sizeof text - 1};
    call->report(call, &diagnostic);
    return NEREID_UNIMPLEMENTED;
  }
};
} // namespace

template <FixedName Name, typename Function> static AnySlot stubOf() {
  return reinterpret_cast<AnySlot>(&Stub<Name, Function>::run);
}

/// Slots follow the eight bytes of a table's size without a gap.
template <typename Table> static constexpr bool listsEachSlot(size_t count) {
  return 8 + count * sizeof(AnySlot) == sizeof(Table);
}

#define SLOT(table, kind, field, with)                                         \
  Slot {                                                                       \
    #field, offsetof(table, field), with,                                      \
        stubOf<kind "." #field, decltype(table::field)>()                      \
  }
#define REQUIRED(field) SLOT(TABLE, KIND, field, #field)
#define OPTIONAL(field) SLOT(TABLE, KIND, field, "")
#define WITH(field, other) SLOT(TABLE, KIND, field, #other)

#define TABLE nereid_compiler_t
#define KIND "compiler"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {
      REQUIRED(score_target),  OPTIONAL(visit_options),
      REQUIRED(parse_options), REQUIRED(destroy_options),
      REQUIRED(visit_stages),  OPTIONAL(write_dependencies),
      OPTIONAL(begin),         WITH(end, begin),
      REQUIRED(run_stage),
  };
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_driver_t
#define KIND "driver"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {
      REQUIRED(probe),
      REQUIRED(get_target),
      REQUIRED(visit_properties),
      REQUIRED(allocate),
      REQUIRED(free),
      REQUIRED(copy),
      REQUIRED(synchronize),
      REQUIRED(synchronize_device),
      REQUIRED(load_image),
      REQUIRED(unload_module),
      REQUIRED(get_kernel),
      REQUIRED(launch),
  };
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_streams_t
#define KIND "stream"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {
      REQUIRED(create),
      REQUIRED(destroy),
      REQUIRED(query),
  };
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_events_t
#define KIND "event"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {
      REQUIRED(create),  REQUIRED(destroy), REQUIRED(record),
      REQUIRED(wait),    REQUIRED(query),   REQUIRED(synchronize),
      REQUIRED(elapsed),
  };
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_memory_t
#define KIND "memory"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {
      OPTIONAL(fill),
      OPTIONAL(copy_2d),
      OPTIONAL(copy_peer),
      OPTIONAL(allocate_host),
      WITH(free_host, allocate_host),
      OPTIONAL(get_info),
  };
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_interop_t
#define KIND "interop"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {
      OPTIONAL(import_pointer), WITH(release_pointer, import_pointer),
      OPTIONAL(import_stream),  WITH(release_stream, import_stream),
      OPTIONAL(import_context),
  };
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_benchmark_t
#define KIND "benchmark"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {REQUIRED(flush_cache)};
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_frontend_t
#define KIND "frontend"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {REQUIRED(visit_facts)};
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#define TABLE nereid_libdevice_t
#define KIND "libdevice"
template <> TableKind tableKind<TABLE>() {
  static const Slot slots[] = {REQUIRED(visit_functions)};
  static_assert(listsEachSlot<TABLE>(std::size(slots)));
  return {KIND, slots};
}
#undef TABLE
#undef KIND

#undef SLOT
#undef REQUIRED
#undef OPTIONAL
#undef WITH

static AnySlot loadSlot(const void *table, const Slot &slot) {
  AnySlot function;
  std::memcpy(&function, static_cast<const char *>(table) + slot.offset,
              sizeof function);
  return function;
}

static void storeSlot(void *table, const Slot &slot, AnySlot function) {
  std::memcpy(static_cast<char *>(table) + slot.offset, &function,
              sizeof function);
}

std::vector<std::string> copySlots(TableKind kind, const void *given, void *out,
                                   uint64_t &present) {
  uint32_t size = 0; // each table starts with it
  if (given)
    std::memcpy(&size, given, sizeof size);
  auto find = [&](const Slot &slot) {
    bool isKnown = slot.offset + sizeof(AnySlot) <= size;
    return isKnown ? loadSlot(given, slot) : nullptr;
  };
  auto isThere = [&](std::string_view name) {
    auto found = std::find_if(kind.slots.begin(), kind.slots.end(),
                              [&](const Slot &s) { return s.name == name; });
    return find(*found) != nullptr;
  };
  std::vector<std::string> missing;
  present = 0;
  for (const Slot &slot : kind.slots) {
    AnySlot function = find(slot);
    storeSlot(out, slot, function ? function : slot.stub);
    if (function)
      present |= uint64_t(1) << (slot.offset / sizeof(AnySlot));
    bool isRequired =
        slot.with == slot.name || (!slot.with.empty() && isThere(slot.with));
    if (given && !function && isRequired)
      missing.push_back(std::string(kind.name) + '.' + std::string(slot.name));
  }
  return missing;
}

} // namespace nereid::host
