// memory.cpp - devices and their memory, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Struct.h"
#include "capi/DriverCall.h"
#include "support/Json.h"

using namespace nereid::host;

nereid_status_t nereid_backend_target(const nereid_backend_t *backend,
                                      uint32_t device,
                                      nereid_target_t *out_target) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  nereid_status_t status = callDriver(
      backend, device, "get_target", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.get_target(plugin.state, device, &target, call);
      });
  if (status != NEREID_OK)
    return status;
  return guarded([&] { return writeStruct(target, out_target); });
}

nereid_status_t nereid_backend_properties(const nereid_backend_t *backend,
                                          uint32_t device,
                                          nereid_buffer_t **out_json) {
  Values values;
  nereid_status_t status =
      callDriver(backend, device, "visit_properties",
                 [&](const Plugin &plugin, auto *call) {
                   ValueSink sink(values, Call::of(call));
                   return plugin.driver.visit_properties(plugin.state, device,
                                                         sink.get(), call);
                 });
  if (status != NEREID_OK)
    return status;
  return guarded([&] { return giveJson(values.json(), out_json); });
}

nereid_status_t nereid_backend_allocate(nereid_backend_t *backend,
                                        uint32_t device, uint64_t size,
                                        nereid_address_t *out_address) {
  return callForValue(
      backend, device, "allocate", out_address,
      [&](const Plugin &plugin, nereid_address_t *address, auto *call) {
        return plugin.driver.allocate(plugin.state, device, size, address,
                                      call);
      });
}

void nereid_backend_free(nereid_backend_t *backend, uint32_t device,
                         nereid_address_t address) {
  if (address && hasDriver(backend, device))
    callQuietly([&] {
      const Plugin &plugin = *backend->plugin;
      plugin.driver.free(plugin.state, device, address);
    });
}

nereid_status_t nereid_backend_copy(nereid_backend_t *backend, uint32_t device,
                                    nereid_stream_t stream,
                                    nereid_copy_t direction,
                                    nereid_address_t destination,
                                    nereid_address_t source, uint64_t size) {
  if (direction < NEREID_COPY_HOST_TO_DEVICE ||
      direction > NEREID_COPY_DEVICE_TO_DEVICE)
    return fail({NEREID_INVALID_ARGUMENT, "copy: direction is " +
                                              std::to_string(direction) +
                                              ", expected 1, 2 or 3"});
  if (size && (!destination || !source))
    return fail({NEREID_INVALID_ARGUMENT,
                 "copy: the " +
                     std::string(destination ? "source" : "destination") +
                     " of " + std::to_string(size) + " bytes is null"});
  return callDriver(
      backend, device, "copy", [&](const Plugin &plugin, auto *call) {
        if (!size)
          return nereid_status_t(NEREID_OK);
        return plugin.driver.copy(plugin.state, device, stream, direction,
                                  destination, source, size, call);
      });
}

// For a driver without `fill`: copies the pattern, as often as it takes.
static nereid_status_t fillByCopy(const Plugin &plugin, uint32_t device,
                                  nereid_stream_t stream,
                                  nereid_address_t destination,
                                  std::string_view pattern, uint64_t count,
                                  const nereid_call_t *call) {
  static constexpr uint64_t pieceBytes = 1 << 20;
  std::string piece;
  while (piece.size() < std::min(pieceBytes, pattern.size() * count))
    piece += pattern;
  uint64_t left = pattern.size() * count;
  for (uint64_t size; left; left -= size, destination += size) {
    size = std::min<uint64_t>(left, piece.size());
    nereid_status_t status = plugin.driver.copy(
        plugin.state, device, stream, NEREID_COPY_HOST_TO_DEVICE, destination,
        reinterpret_cast<uintptr_t>(piece.data()), size, call);
    if (status != NEREID_OK)
      return status;
  }
  // The driver may still be reading `piece`.
  return plugin.driver.synchronize(plugin.state, device, stream, call);
}

nereid_status_t nereid_backend_fill(nereid_backend_t *backend, uint32_t device,
                                    nereid_stream_t stream,
                                    nereid_address_t destination,
                                    const void *pattern, uint32_t pattern_size,
                                    uint64_t count) {
  bool isPower = pattern_size == 1 || pattern_size == 2 || pattern_size == 4 ||
                 pattern_size == 8;
  if (!isPower)
    return fail({NEREID_INVALID_ARGUMENT, "fill: pattern_size is " +
                                              std::to_string(pattern_size) +
                                              ", expected 1, 2, 4 or 8"});
  if (count > UINT64_MAX / pattern_size)
    return fail({NEREID_INVALID_ARGUMENT, "fill: count is too large"});
  if (count && (!destination || !pattern))
    return fail({NEREID_INVALID_ARGUMENT, destination
                                              ? "fill: pattern is null"
                                              : "fill: destination is null"});
  return callDriver(
      backend, device, "fill", [&](const Plugin &plugin, auto *call) {
        if (!count)
          return nereid_status_t(NEREID_OK);
        nereid_status_t status =
            plugin.driver.fill(plugin.state, device, stream, destination,
                               pattern, pattern_size, count, call);
        if (status != NEREID_UNIMPLEMENTED)
          return status;
        std::string_view bytes(static_cast<const char *>(pattern),
                               pattern_size);
        return fillByCopy(plugin, device, stream, destination, bytes, count,
                          call);
      });
}

nereid_status_t nereid_backend_adopt_pointer(nereid_backend_t *backend,
                                             uint32_t device,
                                             nereid_string_t kind,
                                             uint64_t handle, uint64_t size,
                                             nereid_address_t *out_address) {
  return callForValue(
      backend, device, "adopt_pointer", out_address,
      [&](const Plugin &plugin, nereid_address_t *address, auto *call) {
        return plugin.driver.adopt_pointer(plugin.state, device,
                                           borrow(view(kind)), handle, size,
                                           address, call);
      });
}

void nereid_backend_release_pointer(nereid_backend_t *backend, uint32_t device,
                                    nereid_address_t address) {
  if (address && hasDriver(backend, device))
    callQuietly([&] {
      const Plugin &plugin = *backend->plugin;
      plugin.driver.release_pointer(plugin.state, device, address);
    });
}
