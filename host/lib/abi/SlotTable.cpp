// SlotTable.cpp - the list of slots, which of them are required, and their
// stubs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/SlotTable.h"

#include "support/Result.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace nereid::host {

namespace {
/// A name as a template argument, so that each slot has a stub of its own.
template <size_t Size> struct FixedName {
  char text[Size];
  constexpr FixedName(const char (&name)[Size]) {
    std::copy_n(name, Size, text);
  }
};

/// What stands in the place of the missing slot \p Name of type \p Function.
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

template <FixedName Name, typename... Args>
struct Stub<Name, void (*)(Args...)> {
  static void run(Args...) {}
};

using AnySlot = void (*)();

/// One slot of a table. It is required if `with` is its own name, or if the
/// slot that `with` names is there; never if `with` is empty.
struct Slot {
  std::string_view name;
  size_t offset;
  std::string_view with;
  AnySlot stub;
};
} // namespace

template <FixedName Name, typename Function> static AnySlot stubOf() {
  return reinterpret_cast<AnySlot>(&Stub<Name, Function>::run);
}

#define SLOT(table, field, with)                                               \
  Slot {                                                                       \
    #field, offsetof(nereid_##table##_t, field), with,                         \
        stubOf<#table "." #field, decltype(nereid_##table##_t::field)>()       \
  }
#define REQUIRED(table, field) SLOT(table, field, #field)
#define OPTIONAL(table, field) SLOT(table, field, "")
#define WITH(table, field, other) SLOT(table, field, #other)

static std::span<const Slot> slotsOf(const nereid_compiler_t &) {
  static const Slot slots[] = {
      REQUIRED(compiler, score_target),  OPTIONAL(compiler, visit_options),
      REQUIRED(compiler, parse_options), REQUIRED(compiler, destroy_options),
      REQUIRED(compiler, visit_stages),  OPTIONAL(compiler, write_dependencies),
      OPTIONAL(compiler, begin),         WITH(compiler, end, begin),
      REQUIRED(compiler, run_stage),
  };
  static_assert(std::size(slots) * sizeof(AnySlot) +
                        offsetof(nereid_compiler_t, score_target) ==
                    sizeof(nereid_compiler_t),
                "each slot is listed");
  return slots;
}

static std::span<const Slot> slotsOf(const nereid_driver_t &) {
  static const Slot slots[] = {
      REQUIRED(driver, probe),
      REQUIRED(driver, get_target),
      OPTIONAL(driver, get_current_device),
      OPTIONAL(driver, set_current_device),
      OPTIONAL(driver, get_current_stream),
      OPTIONAL(driver, set_current_stream),
      OPTIONAL(driver, create_stream),
      WITH(driver, destroy_stream, create_stream),
      REQUIRED(driver, synchronize),
      REQUIRED(driver, visit_properties),
      REQUIRED(driver, allocate),
      REQUIRED(driver, free),
      REQUIRED(driver, copy),
      OPTIONAL(driver, fill),
      OPTIONAL(driver, adopt_pointer),
      OPTIONAL(driver, release_pointer),
      OPTIONAL(driver, adopt_stream),
      OPTIONAL(driver, release_stream),
      OPTIONAL(driver, adopt_context),
      REQUIRED(driver, load_image),
      REQUIRED(driver, unload_module),
      REQUIRED(driver, get_kernel),
      REQUIRED(driver, launch),
      OPTIONAL(driver, create_event),
      WITH(driver, destroy_event, create_event),
      WITH(driver, record_event, create_event),
      WITH(driver, elapsed, create_event),
      OPTIONAL(driver, flush_cache),
  };
  static_assert(std::size(slots) * sizeof(AnySlot) +
                        offsetof(nereid_driver_t, probe) ==
                    sizeof(nereid_driver_t),
                "each slot is listed");
  return slots;
}

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

/// Copies the slots that \p given has whole and a stub for each other one.
template <typename Table>
static std::vector<std::string> adopt(std::string_view name, const Table &given,
                                      Table &out) {
  std::span<const Slot> slots = slotsOf(out);
  auto find = [&](const Slot &slot) {
    bool isKnown = slot.offset + sizeof(AnySlot) <= given.struct_size;
    return isKnown ? loadSlot(&given, slot) : nullptr;
  };
  auto isThere = [&](std::string_view slot) {
    auto found = std::find_if(slots.begin(), slots.end(),
                              [&](const Slot &s) { return s.name == slot; });
    return find(*found) != nullptr;
  };
  std::vector<std::string> missing;
  out = {};
  out.struct_size = sizeof out;
  for (const Slot &slot : slots) {
    AnySlot function = find(slot);
    storeSlot(&out, slot, function ? function : slot.stub);
    bool isRequired =
        slot.with == slot.name || (!slot.with.empty() && isThere(slot.with));
    if (!function && isRequired)
      missing.push_back(std::string(name) + '.' + std::string(slot.name));
  }
  return missing;
}

std::vector<std::string> adoptTable(const nereid_compiler_t &given,
                                    nereid_compiler_t &out) {
  return adopt("compiler", given, out);
}
std::vector<std::string> adoptTable(const nereid_driver_t &given,
                                    nereid_driver_t &out) {
  return adopt("driver", given, out);
}

void fillWithStubs(nereid_compiler_t &out) {
  nereid_compiler_t none = {};
  (void)adopt("compiler", none, out);
}
void fillWithStubs(nereid_driver_t &out) {
  nereid_driver_t none = {};
  (void)adopt("driver", none, out);
}

} // namespace nereid::host
