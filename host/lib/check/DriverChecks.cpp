// DriverChecks.cpp - conformance of probe, properties and memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Values.h"
#include "check/Device.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace nereid::host {

static nereid_probe_t probe(CheckedPlugin &subject) {
  nereid_probe_t result = {};
  result.struct_size = sizeof result;
  std::string reason;
  must(subject, "probe", [&](Plugin &plugin, const nereid_call_t *call) {
    StringWriter writer(reason, Call::of(call));
    return plugin.driver.probe(plugin.state, &result, writer.get(), call);
  });
  expect(!reason.empty(), "probe returns no reason");
  expect(result.score <= 0 || result.device_count > 0,
         "probe returns a score but no devices");
  return result;
}

static void checkProbe(CheckedPlugin &subject) {
  if (!subject.plugin().hasDriver)
    throw CheckSkipped{"the plugin has no driver"};
  nereid_probe_t first = probe(subject);
  ProcessCounts before = ProcessCounts::now();
  nereid_probe_t second = probe(subject);
  ProcessCounts after = ProcessCounts::now();
  expect(first.score == second.score &&
             first.device_count == second.device_count &&
             first.flags == second.flags,
         "probe answers otherwise when it is called again");
  expect(before.files == after.files, "probe leaves a file open");
  expect(before.threads == after.threads, "probe starts a thread");
}

static Values propertiesOf(const Device &device) {
  Values values;
  must(device.subject, "visit_properties",
       [&](Plugin &plugin, const nereid_call_t *call) {
         ValueSink sink(values, Call::of(call));
         return plugin.driver.visit_properties(plugin.state, device.index,
                                               sink.get(), call);
       });
  return values;
}

namespace {
/// A property that driver.h names, and the least that its numbers may be.
struct KnownProperty {
  std::string_view name;
  nereid_type_t type;
  int64_t minimum;
};
} // namespace

static constexpr KnownProperty knownProperties[] = {
    {"name", NEREID_TYPE_STRING, 0},
    {"multiprocessor_count", NEREID_TYPE_I64, 1},
    {"max_shared_mem", NEREID_TYPE_I64, 0},
    {"max_num_regs", NEREID_TYPE_I64, 0},
    {"warp_size", NEREID_TYPE_I64, 1},
    {"max_threads", NEREID_TYPE_I64, 1},
    {"max_grid", NEREID_TYPE_I64_LIST, 1},
    {"memory_bytes", NEREID_TYPE_I64, 1},
    {"host_accessible", NEREID_TYPE_BOOL, 0},
    {"clock_khz", NEREID_TYPE_I64, 0},
    {"mem_clock_khz", NEREID_TYPE_I64, 0},
    {"mem_bus_width", NEREID_TYPE_I64, 0},
    {"uuid", NEREID_TYPE_STRING, 0},
    {"pci_address", NEREID_TYPE_STRING, 0},
};

static void checkProperty(const Device &device, const KnownProperty &known,
                          const nereid_value_t &value) {
  std::string what =
      "property '" + std::string(known.name) + "' of " + device.name();
  expect(value.type == known.type, what + " is a " + typeName(value.type) +
                                       ", expected a " + typeName(known.type));
  auto expectNumber = [&](int64_t number) {
    expect(number >= known.minimum, what + " is " + std::to_string(number) +
                                        ", expected at least " +
                                        std::to_string(known.minimum));
  };
  if (known.type == NEREID_TYPE_I64)
    expectNumber(value.i64);
  if (known.type == NEREID_TYPE_STRING)
    expect(value.text.size, what + " is empty");
  if (known.type != NEREID_TYPE_I64_LIST)
    return;
  expect(value.list_size == 3, what + " has " +
                                   std::to_string(value.list_size) +
                                   " items, expected 3");
  for (int i = 0; i < 3; ++i)
    expectNumber(static_cast<const int64_t *>(value.list)[i]);
}

static void checkProperties(CheckedPlugin &subject) {
  for (const Device &device : Device::all(subject)) {
    Values values = propertiesOf(device);
    expect(values.find("name"),
           "the properties of " + device.name() + " have no 'name'");
    for (const KnownProperty &known : knownProperties)
      if (const nereid_value_t *value = values.find(known.name))
        checkProperty(device, known, *value);
  }
}

static void checkTarget(CheckedPlugin &subject) {
  for (const Device &device : Device::all(subject)) {
    Plugin &plugin = subject.plugin();
    Result<Target> target =
        Target::ofDevice(plugin, device.index, &subject.log);
    if (!target)
      throw CheckFailed{target.failure().text};
    expect(target->backend == plugin.info.deviceType,
           "the target of " + device.name() + " is for '" + target->backend +
               "', expected the device type '" + plugin.info.deviceType + "'");
    expect(target->warpSize >= 0, "the target of " + device.name() +
                                      " has warp_size " +
                                      std::to_string(target->warpSize) +
                                      ", expected 0 (unspecified) or more");
  }
}

static void checkMemory(CheckedPlugin &subject) {
  for (const Device &device : Device::all(subject)) {
    Bytes sent = patternOf(100000, device.index);
    nereid_address_t address = device.upload(sent);
    Bytes received = device.download(address, sent.size());
    device.free(address);
    expect(sent == received, "bytes came back changed from " + device.name());
  }
}

// Every buffer holds its own bytes after all of them were written.
static void checkSeparateMemory(CheckedPlugin &subject) {
  static constexpr size_t size = 4096;
  struct Buffer {
    const Device *device;
    nereid_address_t address;
    Bytes bytes;
  };
  std::vector<Device> devices = Device::all(subject);
  std::vector<Buffer> buffers;
  for (uint32_t round = 0; round < 2; ++round)
    for (const Device &device : devices) {
      Bytes bytes = patternOf(size, 2 * device.index + round);
      buffers.push_back({&device, device.upload(bytes), bytes});
    }
  for (const Buffer &buffer : buffers)
    expect(buffer.device->download(buffer.address, size) == buffer.bytes,
           "a buffer of " + buffer.device->name() +
               " changed when another buffer, of this or another device, was "
               "written");
}

// What this process has mapped, in bytes.
static uint64_t mappedBytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Where memory is the host's, a leak is seen in the process.
static void expectNoGrowth(const Device &device) {
  static constexpr uint64_t size = 16 << 20;
  static constexpr int count = 32;
  device.free(device.allocate(size)); // what is made once is made now
  uint64_t before = mappedBytes();
  for (int i = 0; i < count; ++i)
    device.free(device.allocate(size));
  uint64_t after = mappedBytes(), grown = after - std::min(before, after);
  expect(grown < count * size / 2,
         device.name() + ": memory that was freed is not released: " +
             std::to_string(count) + " times 16 MiB left " +
             std::to_string(grown >> 20) + " MiB mapped");
}

// Where the device has its own, more is allocated than it has.
static void expectReuse(const Device &device, uint64_t total) {
  std::string why;
  auto tryAllocate = [&](uint64_t size, nereid_address_t &address) {
    nereid_allocation_t allocation = {sizeof allocation, 0, size, 64};
    return attempt(device.subject, "allocate", why,
                   [&](Plugin &plugin, const nereid_call_t *call) {
                     return plugin.driver.allocate(plugin.state, device.index,
                                                   &allocation, &address, call);
                   });
  };
  // A quarter may be more than others leave free.
  uint64_t size = total / 4;
  nereid_address_t address = 0;
  for (; tryAllocate(size, address) != NEREID_OK; size /= 2)
    if (size < total / 256)
      throw CheckSkipped{device.name() + " has too little free memory: " + why};
  device.free(address);
  for (uint64_t i = 0; i < 2 * (total / size); ++i) {
    if (tryAllocate(size, address) != NEREID_OK)
      throw CheckFailed{device.name() +
                        ": memory that was freed is not "
                        "released: after " +
                        std::to_string(i + 1) + " times " +
                        std::to_string(size) +
                        " bytes were allocated and freed: " + why};
    device.free(address);
  }
}

static void checkFree(CheckedPlugin &subject) {
  for (const Device &device : Device::all(subject)) {
    Values values = propertiesOf(device);
    const nereid_value_t *accessible = values.find("host_accessible");
    int64_t total = values.integer("memory_bytes").value_or(0);
    if (accessible && accessible->i64)
      expectNoGrowth(device);
    else if (total > 0)
      expectReuse(device, static_cast<uint64_t>(total));
    else
      throw CheckSkipped{"property 'memory_bytes' of " + device.name() +
                         " is absent, so there is no limit to reach"};
  }
}

// Each function that ends a handle accepts none.
static void checkNullHandles(CheckedPlugin &subject) {
  for (const Device &device : Device::all(subject))
    device.free(0);
  must(subject, "unload_module", [](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.unload_module(plugin.state, nullptr, call);
  });
  const ExtensionTables &tables = subject.plugin().extensions;
  if (tables.events.isThere())
    must(subject, "event.destroy",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return tables.events.destroy(plugin.state, nullptr, call);
         });
  if (tables.streams.isThere())
    Device(subject, 0).destroyStream(0);
  if (tables.memory.has(&nereid_memory_t::free_host))
    must(subject, "memory.free_host",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return tables.memory.free_host(plugin.state, 0, nullptr, call);
         });
  if (tables.interop.has(&nereid_interop_t::release_pointer))
    must(subject, "interop.release_pointer",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return tables.interop.release_pointer(plugin.state, 0, 0, call);
         });
  if (tables.interop.has(&nereid_interop_t::release_stream))
    must(subject, "interop.release_stream",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return tables.interop.release_stream(plugin.state, 0, 0, call);
         });
}

static void checkGarbageImage(CheckedPlugin &subject) {
  Plugin &plugin = subject.activeDriver();
  nereid_module_t *module = nullptr;
  nereid_image_t image = {};
  image.struct_size = sizeof image;
  image.bytes = {"not an image", 12};
  Call call(&subject.log, plugin.info);
  nereid_status_t status = call.run([&] {
    return plugin.driver.load_image(plugin.state, 0, &image, &module,
                                    call.get());
  });
  if (status == NEREID_OK)
    throw CheckSkipped{"load_image accepts any bytes"};
  expect(call.hasReason(),
         "load_image refuses bytes that are not an image without a "
         "diagnostic");
}

std::span<const Check> driverChecks() {
  static constexpr Check checks[] = {
      {"probe-repeatable", checkProbe,
       "`probe` returns a reason, is repeatable, and has no side effects."},
      {"device-target", checkTarget,
       "The target of every device names the device type and has a legal "
       "`warp_size`."},
      {"device-properties", checkProperties,
       "Every device has a name, and known properties have their types and "
       "sensible values."},
      {"memory-round-trip", checkMemory,
       "Every device returns the bytes that were copied to it."},
      {"memory-separate", checkSeparateMemory,
       "Buffers of one device and of different devices do not overlap."},
      {"memory-released", checkFree,
       "Freed memory can be allocated again: in total more than the device "
       "has."},
      {"driver-accepts-null", checkNullHandles,
       "Functions that destroy a handle accept NULL."},
      {"garbage-image-refused", checkGarbageImage,
       "`load_image` refuses damaged images and says why."},
  };
  return checks;
}

} // namespace nereid::host
