// MemoryChecks.cpp - conformance of the extensions for memory, host objects and
// frontends.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Values.h"
#include "check/Device.h"

#include <algorithm>
#include <cstring>

namespace nereid::host {

template <typename Function>
static const SlotTable<nereid_memory_t> &
memoryWith(CheckedPlugin &subject, Function nereid_memory_t::*slot,
           const char *name) {
  Plugin &plugin = subject.activeDriver();
  if (!plugin.extensions.memory.has(slot))
    throw CheckSkipped{"the plugin has no memory." + std::string(name)};
  return plugin.extensions.memory;
}

static void expectFill(const Device &device, uint32_t patternSize) {
  static constexpr size_t guard = 64, count = 37;
  static constexpr uint8_t pattern[8] = {0x11, 0x22, 0x33, 0x44,
                                         0x55, 0x66, 0x77, 0x88};
  Bytes expected(guard + count * patternSize + guard, 0xee);
  nereid_address_t address = device.upload(expected);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&expected[guard + i * patternSize], pattern, patternSize);
  nereid_fill_t fill = {};
  fill.struct_size = sizeof fill;
  fill.pattern_size = patternSize;
  fill.destination = address + guard;
  fill.pattern = pattern;
  fill.count = count;
  must(device.subject, "memory.fill",
       [&](Plugin &plugin, const nereid_call_t *call) {
         return plugin.extensions.memory.fill(plugin.state, device.index, &fill,
                                              call);
       });
  Bytes filled = device.download(address, expected.size());
  size_t wrong = static_cast<size_t>(
      std::mismatch(filled.begin(), filled.end(), expected.begin()).first -
      filled.begin());
  expect(filled == expected,
         "memory.fill with a pattern of " + std::to_string(patternSize) +
             " bytes: byte " + std::to_string(wrong) +
             (wrong < guard || wrong >= expected.size() - guard
                  ? ", outside the range, changed"
                  : " of the buffer is wrong"));
}

static void checkFill(CheckedPlugin &subject) {
  memoryWith(subject, &nereid_memory_t::fill, "fill");
  for (const Device &device : Device::all(subject))
    for (uint32_t size : {1, 2, 4, 8})
      expectFill(device, size);
}

// A rectangle of 5 rows of 24 bytes, from rows of 40 bytes into rows of 56.
static void checkCopy2d(CheckedPlugin &subject) {
  memoryWith(subject, &nereid_memory_t::copy_2d, "copy_2d");
  static constexpr uint64_t width = 24, height = 5, from = 40, to = 56;
  for (const Device &device : Device::all(subject)) {
    Bytes source = patternOf(from * height, 1), expected(to * height, 0xee);
    nereid_copy_2d_t copy = {};
    copy.struct_size = sizeof copy;
    copy.direction = NEREID_COPY_DEVICE_TO_DEVICE;
    copy.source = device.upload(source);
    copy.destination = device.upload(expected);
    copy.source_pitch = from;
    copy.destination_pitch = to;
    copy.width = width;
    copy.height = height;
    for (uint64_t row = 0; row < height; ++row)
      std::memcpy(&expected[row * to], &source[row * from], width);
    must(subject, "memory.copy_2d",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return plugin.extensions.memory.copy_2d(plugin.state, device.index,
                                                   &copy, call);
         });
    expect(device.download(copy.destination, expected.size()) == expected,
           "memory.copy_2d on " + device.name() +
               " copied other bytes than the rectangle");
  }
}

static void checkCopyPeer(CheckedPlugin &subject) {
  memoryWith(subject, &nereid_memory_t::copy_peer, "copy_peer");
  std::vector<Device> devices = Device::all(subject);
  if (devices.size() < 2)
    throw CheckSkipped{"there is one device"};
  for (const Device &from : devices)
    for (const Device &to : devices) {
      if (from.index == to.index)
        continue;
      Bytes bytes = patternOf(5000, 7 + from.index);
      nereid_copy_peer_t copy = {};
      copy.struct_size = sizeof copy;
      copy.source_device = from.index;
      copy.source = from.upload(bytes);
      copy.destination = to.upload(Bytes(bytes.size(), 0xee));
      copy.size = bytes.size();
      must(subject, "memory.copy_peer",
           [&](Plugin &plugin, const nereid_call_t *call) {
             return plugin.extensions.memory.copy_peer(plugin.state, to.index,
                                                       &copy, call);
           });
      expect(to.download(copy.destination, bytes.size()) == bytes,
             "memory.copy_peer from " + from.name() + " to " + to.name() +
                 " did not copy the bytes");
    }
}

static void checkHostMemory(CheckedPlugin &subject) {
  memoryWith(subject, &nereid_memory_t::allocate_host, "allocate_host");
  static constexpr size_t size = 10000;
  for (const Device &device : Device::all(subject)) {
    void *pointer = nullptr;
    nereid_allocation_t allocation = {sizeof allocation, 0, size, 64};
    must(subject, "memory.allocate_host",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return plugin.extensions.memory.allocate_host(
               plugin.state, device.index, &allocation, &pointer, call);
         });
    expect(pointer && reinterpret_cast<uintptr_t>(pointer) % 64 == 0,
           "memory.allocate_host gave address " +
               std::to_string(reinterpret_cast<uintptr_t>(pointer)) +
               ", expected a multiple of 64");
    Bytes bytes = patternOf(size, 3);
    std::memcpy(pointer, bytes.data(), size);
    nereid_address_t address = device.allocate(size);
    nereid_copy_t copy = {
        sizeof copy, NEREID_COPY_HOST_TO_DEVICE,           0,
        address,     reinterpret_cast<uintptr_t>(pointer), size};
    must(subject, "copy", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.driver.copy(plugin.state, device.index, &copy, call);
    });
    expect(device.download(address, size) == bytes,
           "bytes of memory.allocate_host did not reach " + device.name());
    must(subject, "memory.free_host",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return plugin.extensions.memory.free_host(plugin.state, device.index,
                                                     pointer, call);
         });
  }
}

static nereid_memory_info_t infoOf(const Device &device) {
  nereid_memory_info_t info = {};
  info.struct_size = sizeof info;
  must(device.subject, "memory.get_info",
       [&](Plugin &plugin, const nereid_call_t *call) {
         return plugin.extensions.memory.get_info(plugin.state, device.index,
                                                  &info, call);
       });
  return info;
}

static void checkInfo(CheckedPlugin &subject) {
  memoryWith(subject, &nereid_memory_t::get_info, "get_info");
  for (const Device &device : Device::all(subject)) {
    nereid_memory_info_t info = infoOf(device);
    expect(info.total && info.free <= info.total,
           "memory.get_info of " + device.name() + " returned " +
               std::to_string(info.free) + " free of " +
               std::to_string(info.total) + " bytes");
  }
}

// ---------------------------------------------------------------- interop
static void checkInterop(CheckedPlugin &subject) {
  Plugin &plugin = subject.activeDriver();
  const auto &interop = plugin.extensions.interop;
  if (!interop.has(&nereid_interop_t::import_pointer))
    throw CheckSkipped{"the plugin has no interop.import_pointer"};
  Device device(subject, 0);
  alignas(64) static uint8_t memory[4096];
  nereid_import_t object = {};
  object.struct_size = sizeof object;
  object.handle = reinterpret_cast<uintptr_t>(memory);
  object.size = sizeof memory;
  nereid_address_t address = 0;
  std::string why;
  auto import = [&](const char *kind) {
    object.kind = borrow(kind);
    return attempt(subject, "interop.import_pointer", why,
                   [&](Plugin &, const nereid_call_t *call) {
                     return interop.import_pointer(plugin.state, 0, &object,
                                                   &address, call);
                   });
  };
  nereid_status_t status = import("no.such.kind");
  expect(status == NEREID_UNIMPLEMENTED,
         "interop.import_pointer of the unknown kind 'no.such.kind' returned " +
             std::string(statusName(status)) + ", expected unimplemented");
  status = import("host.pointer");
  if (status == NEREID_UNIMPLEMENTED)
    return;
  if (status != NEREID_OK)
    throw CheckFailed{why};
  Bytes bytes = patternOf(sizeof memory, 5);
  device.copyIn(address, bytes);
  device.synchronize();
  must(subject, "interop.release_pointer",
       [&](Plugin &, const nereid_call_t *call) {
         return interop.release_pointer(plugin.state, 0, address, call);
       });
  expect(std::equal(bytes.begin(), bytes.end(), memory),
         "a copy to an imported 'host.pointer' did not reach the memory");
}

// ---------------------------------------------------------------- frontend
namespace {
/// A fact that frontend.h names, and the values that are understood.
struct KnownFact {
  std::string_view name;
  nereid_type_t type;
  std::string_view values; // with a comma around each; empty: any
};
} // namespace

static constexpr std::string_view fp8Types =
    ",fp8e4nv,fp8e4b8,fp8e4b15,fp8e5,fp8e5b16,";
static constexpr std::string_view precisions =
    ",tf32,tf32x3,ieee,bf16x3,bf16x6,";
static constexpr KnownFact knownFacts[] = {
    {"fp8_types", NEREID_TYPE_STRING_LIST, fp8Types},
    {"dot_fp8_types", NEREID_TYPE_STRING_LIST, fp8Types},
    {"dot_precisions", NEREID_TYPE_STRING_LIST, precisions},
    {"default_dot_precision", NEREID_TYPE_STRING, precisions},
    {"min_dot_size", NEREID_TYPE_I64_LIST, {}},
    {"max_num_imprecise_acc", NEREID_TYPE_I64, {}},
    {"max_tensor_elements", NEREID_TYPE_I64, {}},
};

static void checkFact(const KnownFact &known, const nereid_value_t &value) {
  std::string what = "fact '" + std::string(known.name) + "'";
  expect(value.type == known.type, what + " is a " + typeName(value.type) +
                                       ", expected a " + typeName(known.type));
  auto expectKnown = [&](nereid_string_t text) {
    std::string item = "," + std::string(view(text)) + ",";
    expect(known.values.find(item) != std::string_view::npos,
           what + " has '" + std::string(view(text)) + "', expected one of " +
               std::string(known.values.substr(1, known.values.size() - 2)));
  };
  if (known.type == NEREID_TYPE_STRING)
    expectKnown(value.text);
  else if (known.type == NEREID_TYPE_STRING_LIST)
    for (uint64_t i = 0; i < value.list_size; ++i)
      expectKnown(static_cast<const nereid_string_t *>(value.list)[i]);
  else if (known.type == NEREID_TYPE_I64)
    expect(value.i64 >= 0, what + " is negative");
  else
    expect(value.list_size == 3, what + " has " +
                                     std::to_string(value.list_size) +
                                     " items, expected 3: m, n and k");
}

static void checkFrontend(CheckedPlugin &subject) {
  Target target = subject.target();
  const Plugin &plugin = subject.plugin();
  if (!plugin.extensions.frontend.isThere())
    throw CheckSkipped{"the plugin has no " NEREID_EXT_FRONTEND};
  nereid_target_t raw = target.get();
  Values facts;
  must(subject, "frontend.visit_facts",
       [&](Plugin &, const nereid_call_t *call) {
         ValueSink sink(facts, Call::of(call));
         return plugin.extensions.frontend.visit_facts(plugin.state, &raw,
                                                       sink.get(), call);
       });
  for (const KnownFact &known : knownFacts)
    if (const nereid_value_t *value = facts.find(known.name))
      checkFact(known, *value);
}

std::span<const Check> memoryChecks() {
  static constexpr Check checks[] = {
      {"memory-fill", checkFill,
       "`memory.fill` repeats patterns of 1, 2, 4 and 8 bytes and writes "
       "nothing else."},
      {"memory-copy-2d", checkCopy2d,
       "`memory.copy_2d` copies the rectangle and nothing else."},
      {"memory-copy-peer", checkCopyPeer,
       "`memory.copy_peer` copies between every pair of devices."},
      {"memory-host", checkHostMemory,
       "Memory of `memory.allocate_host` can be copied from."},
      {"memory-info", checkInfo,
       "`memory.get_info` returns no more free memory than there is."},
      {"interop-pointer", checkInterop,
       "`interop.import_pointer` refuses unknown kinds, and an imported host "
       "pointer accesses the host memory."},
      {"frontend-facts", checkFrontend,
       "Known facts of the frontend extension have known types and values."},
  };
  return checks;
}

} // namespace nereid::host
