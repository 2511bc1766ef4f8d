// DriverChecks.cpp - conformance of probe, properties and memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "abi/Values.h"
#include "check/Check.h"

#include <numeric>

namespace nereid::host {

// Calls a slot and fails the check if the slot fails.
template <typename Slot>
static void must(CheckedPlugin &subject, const char *name, Slot &&slot) {
  Plugin &plugin = subject.plugin();
  Call call(&subject.log, plugin.info);
  nereid_status_t status = call.run([&] { return slot(plugin, call.get()); });
  if (status != NEREID_OK)
    throw CheckFailed{call.failure(status, name).text};
}

static nereid_probe_t probe(CheckedPlugin &subject) {
  nereid_probe_t result = {};
  result.struct_size = sizeof result;
  std::string reason;
  must(subject, "probe", [&](Plugin &plugin, const nereid_call_t *call) {
    StringWriter writer(reason, Call::of(call));
    return plugin.driver.probe(plugin.state, &result, writer.get(), call);
  });
  expect(!reason.empty(), "probe gives no reason");
  expect(result.score <= 0 || result.device_count > 0,
         "probe gives a score without a device");
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

static void checkProperties(CheckedPlugin &subject) {
  subject.activeDriver();
  Values values;
  must(subject, "visit_properties",
       [&](Plugin &plugin, const nereid_call_t *call) {
         ValueSink sink(values, Call::of(call));
         return plugin.driver.visit_properties(plugin.state, 0, sink.get(),
                                               call);
       });
  expect(values.string("name").has_value(),
         "the properties of device 0 have no 'name'");
}

static void checkTarget(CheckedPlugin &subject) {
  Plugin &plugin = subject.activeDriver();
  Result<Target> target = Target::ofDevice(plugin, 0, &subject.log);
  if (!target)
    throw CheckFailed{target.failure().text};
  expect(target->backend == plugin.info.deviceType,
         "the target of device 0 is for '" + target->backend +
             "', expected the device type '" + plugin.info.deviceType + "'");
}

static nereid_address_t allocate(CheckedPlugin &subject, uint64_t size) {
  nereid_address_t address = 0;
  nereid_allocation_t allocation = {sizeof allocation, 0, size, 64};
  must(subject, "allocate", [&](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.allocate(plugin.state, 0, &allocation, &address, call);
  });
  return address;
}

static void checkMemory(CheckedPlugin &subject) {
  subject.activeDriver();
  std::vector<uint8_t> sent(100000), received(sent.size());
  std::iota(sent.begin(), sent.end(), uint8_t(0));
  nereid_address_t address = allocate(subject, sent.size());
  expect(address && address % 64 == 0, "allocate gave address " +
                                           std::to_string(address) +
                                           ", expected a multiple of 64");
  auto copy = [&](nereid_copy_direction_t direction, const void *to,
                  const void *from) {
    nereid_copy_t request = {sizeof request,
                             direction,
                             0,
                             reinterpret_cast<uintptr_t>(to),
                             reinterpret_cast<uintptr_t>(from),
                             sent.size()};
    must(subject, "copy", [&](Plugin &plugin, const nereid_call_t *call) {
      return plugin.driver.copy(plugin.state, 0, &request, call);
    });
    must(subject, "synchronize",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return plugin.driver.synchronize(plugin.state, 0, 0, call);
         });
  };
  const void *device = reinterpret_cast<const void *>(address);
  copy(NEREID_COPY_HOST_TO_DEVICE, device, sent.data());
  copy(NEREID_COPY_DEVICE_TO_HOST, received.data(), device);
  must(subject, "free", [&](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.free(plugin.state, 0, address, call);
  });
  expect(sent == received, "bytes came back changed from the device");
}

// Each function that ends a handle accepts none.
static void checkNullHandles(CheckedPlugin &subject) {
  subject.activeDriver();
  must(subject, "free", [](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.free(plugin.state, 0, 0, call);
  });
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
    must(subject, "stream.destroy",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return tables.streams.destroy(plugin.state, 0, 0, call);
         });
  if (tables.interop.has(&nereid_interop_t::release_pointer))
    must(subject, "interop.release_pointer",
         [&](Plugin &plugin, const nereid_call_t *call) {
           return tables.interop.release_pointer(plugin.state, 0, 0, call);
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
  if (status == NEREID_OK) {
    (void)plugin.driver.unload_module(plugin.state, module, call.get());
    throw CheckSkipped{"load_image accepts any bytes"};
  }
  expect(call.hasReason(),
         "load_image refuses bytes that are no image without a diagnostic");
}

std::span<const Check> driverChecks() {
  static constexpr Check checks[] = {
      {"probe-repeatable", checkProbe},
      {"device-target", checkTarget},
      {"device-properties", checkProperties},
      {"memory-round-trip", checkMemory},
      {"driver-accepts-null", checkNullHandles},
      {"garbage-image-refused", checkGarbageImage},
  };
  return checks;
}

} // namespace nereid::host
