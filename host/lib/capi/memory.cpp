// memory.cpp - memory of devices, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/DriverCall.h"

#include <cstdlib>

using namespace nereid::host;

static bool isPowerOfTwo(uint64_t value) {
  return value && !(value & (value - 1));
}

static Failure invalid(std::string text) {
  return {NEREID_INVALID_ARGUMENT, std::move(text)};
}

// The request, with its alignment filled in.
static Result<nereid_allocation_t>
readAllocation(std::string_view name, const nereid_allocation_t *given) {
  if (!given)
    return invalid(std::string(name) + ": allocation is null");
  nereid_allocation_t allocation = readStruct(*given);
  if (!allocation.alignment)
    allocation.alignment = 64;
  if (!isPowerOfTwo(allocation.alignment))
    return invalid(std::string(name) + ": alignment is " +
                   std::to_string(allocation.alignment) +
                   ", expected a power of two");
  return allocation;
}

nereid_status_t nereid_backend_allocate(nereid_backend_t *backend,
                                        uint32_t device,
                                        const nereid_allocation_t *given,
                                        nereid_address_t *out_address) {
  return guardedStatus([&]() -> nereid_status_t {
    Result<nereid_allocation_t> allocation = readAllocation("allocate", given);
    if (!allocation)
      return fail(allocation.failure());
    return callForValue(
        backend, device, "allocate", out_address,
        [&](const Plugin &plugin, nereid_address_t *address, auto *call) {
          if (!allocation->size)
            return nereid_status_t(NEREID_OK);
          return plugin.driver.allocate(plugin.state, device, &*allocation,
                                        address, call);
        });
  });
}

nereid_status_t nereid_backend_free(nereid_backend_t *backend, uint32_t device,
                                    nereid_address_t address) {
  return callDriver(
      backend, device, "free", [&](const Plugin &plugin, auto *call) {
        if (!address)
          return nereid_status_t(NEREID_OK);
        return plugin.driver.free(plugin.state, device, address, call);
      });
}

static Outcome checkDirection(std::string_view name,
                              nereid_copy_direction_t direction) {
  if (direction >= NEREID_COPY_HOST_TO_DEVICE &&
      direction <= NEREID_COPY_DEVICE_TO_DEVICE)
    return {};
  return invalid(std::string(name) + ": direction is " +
                 std::to_string(direction) + ", expected 1, 2 or 3");
}

static Outcome checkRange(std::string_view name, nereid_address_t destination,
                          nereid_address_t source, uint64_t size) {
  if (!size || (destination && source))
    return {};
  return invalid(std::string(name) + ": the " +
                 (destination ? "source" : "destination") + " of " +
                 std::to_string(size) + " bytes is null");
}

nereid_status_t nereid_backend_copy(nereid_backend_t *backend, uint32_t device,
                                    const nereid_copy_t *given) {
  return guardedStatus([&]() -> nereid_status_t {
    if (!given)
      return failNullRequest("copy");
    nereid_copy_t copy = readStruct(*given);
    for (const Outcome &checked :
         {checkDirection("copy", copy.direction),
          checkRange("copy", copy.destination, copy.source, copy.size)})
      if (!checked)
        return fail(checked.failure());
    return callDriver(
        backend, device, "copy", [&](const Plugin &plugin, auto *call) {
          if (!copy.size)
            return nereid_status_t(NEREID_OK);
          return plugin.driver.copy(plugin.state, device, &copy, call);
        });
  });
}

// For a driver without `copy_2d`.
static nereid_status_t copyRows(const Plugin &plugin, uint32_t device,
                                const nereid_copy_2d_t &given,
                                const nereid_call_t *call) {
  nereid_copy_t row = {};
  row.struct_size = sizeof row;
  row.direction = given.direction;
  row.stream = given.stream;
  row.size = given.width;
  for (uint64_t i = 0; i < given.height; ++i) {
    row.destination = given.destination + i * given.destination_pitch;
    row.source = given.source + i * given.source_pitch;
    nereid_status_t status =
        plugin.driver.copy(plugin.state, device, &row, call);
    if (status != NEREID_OK)
      return status;
  }
  return NEREID_OK;
}

static Outcome checkRectangle(const nereid_copy_2d_t &copy) {
  for (auto [name, pitch] : {std::pair("destination", copy.destination_pitch),
                             std::pair("source", copy.source_pitch)}) {
    if (pitch < copy.width)
      return invalid("copy_2d: " + std::string(name) + "_pitch is " +
                     std::to_string(pitch) + ", expected at least the width " +
                     std::to_string(copy.width));
    if (copy.height > UINT64_MAX / (pitch ? pitch : 1))
      return invalid("copy_2d: height is too large");
  }
  return {};
}

nereid_status_t nereid_backend_copy_2d(nereid_backend_t *backend,
                                       uint32_t device,
                                       const nereid_copy_2d_t *given) {
  return guardedStatus([&]() -> nereid_status_t {
    if (!given)
      return failNullRequest("copy_2d");
    nereid_copy_2d_t copy = readStruct(*given);
    for (const Outcome &checked :
         {checkDirection("copy_2d", copy.direction), checkRectangle(copy),
          checkRange("copy_2d", copy.destination, copy.source,
                     copy.height ? copy.width : 0)})
      if (!checked)
        return fail(checked.failure());
    return callDriver(
        backend, device, "copy_2d", [&](const Plugin &plugin, auto *call) {
          if (!copy.width || !copy.height)
            return nereid_status_t(NEREID_OK);
          if (!plugin.extensions.memory.has(&nereid_memory_t::copy_2d))
            return copyRows(plugin, device, copy, call);
          return plugin.extensions.memory.copy_2d(plugin.state, device, &copy,
                                                  call);
        });
  });
}

// Runs `allocate`, which makes memory of the host for what a driver lacks: not
// the plugin ran out of it.
template <typename Allocate>
static nereid_status_t allocateFor(const nereid_call_t *call,
                                   Allocate allocate) noexcept {
  try {
    allocate();
    return NEREID_OK;
  } catch (...) {
    return Call::of(call).refuseForMemory();
  }
}

// For a driver without `copy_peer`: through memory of the host.
static nereid_status_t copyThroughHost(const Plugin &plugin, uint32_t device,
                                       const nereid_copy_peer_t &given,
                                       const nereid_call_t *call) {
  static constexpr uint64_t pieceBytes = 64 << 20;
  std::vector<char> piece;
  nereid_status_t status = allocateFor(
      call, [&] { piece.resize(std::min(pieceBytes, given.size)); });
  if (status != NEREID_OK)
    return status;
  nereid_copy_t down = {}, up = {};
  down.struct_size = up.struct_size = sizeof down;
  down.direction = NEREID_COPY_DEVICE_TO_HOST;
  down.destination = reinterpret_cast<uintptr_t>(piece.data());
  up.direction = NEREID_COPY_HOST_TO_DEVICE;
  up.stream = given.stream;
  up.source = down.destination;
  // Work that is queued ahead on the stream may still change the destination.
  status = plugin.driver.synchronize(plugin.state, device, given.stream, call);
  for (uint64_t at = 0; status == NEREID_OK && at < given.size;
       at += piece.size()) {
    down.size = up.size = std::min<uint64_t>(piece.size(), given.size - at);
    down.source = given.source + at;
    up.destination = given.destination + at;
    status = plugin.driver.copy(plugin.state, given.source_device, &down, call);
    if (status == NEREID_OK)
      status =
          plugin.driver.synchronize(plugin.state, given.source_device, 0, call);
    if (status == NEREID_OK)
      status = plugin.driver.copy(plugin.state, device, &up, call);
    // Also after a failure: the driver may still be reading `piece`.
    nereid_status_t done =
        plugin.driver.synchronize(plugin.state, device, given.stream, call);
    status = status == NEREID_OK ? done : status;
  }
  return status;
}

nereid_status_t nereid_backend_copy_peer(nereid_backend_t *backend,
                                         uint32_t device,
                                         const nereid_copy_peer_t *given) {
  return guardedStatus([&]() -> nereid_status_t {
    if (!given)
      return failNullRequest("copy_peer");
    nereid_copy_peer_t copy = readStruct(*given);
    if (Outcome checked =
            checkRange("copy_peer", copy.destination, copy.source, copy.size);
        !checked)
      return fail(checked.failure());
    if (backend)
      if (Outcome checked = checkDevice(*backend->plugin, copy.source_device);
          !checked)
        return fail(checked.failure());
    return callDriver(
        backend, device, "copy_peer", [&](const Plugin &plugin, auto *call) {
          if (!copy.size)
            return nereid_status_t(NEREID_OK);
          if (!plugin.extensions.memory.has(&nereid_memory_t::copy_peer))
            return copyThroughHost(plugin, device, copy, call);
          return plugin.extensions.memory.copy_peer(plugin.state, device, &copy,
                                                    call);
        });
  });
}

// For a driver without `fill`: copies the pattern, as often as it takes.
static nereid_status_t fillByCopy(const Plugin &plugin, uint32_t device,
                                  const nereid_fill_t &fill,
                                  const nereid_call_t *call) {
  static constexpr uint64_t pieceBytes = 1 << 20;
  std::string_view pattern(static_cast<const char *>(fill.pattern),
                           fill.pattern_size);
  std::string piece;
  nereid_status_t status = allocateFor(call, [&] {
    while (piece.size() < std::min(pieceBytes, pattern.size() * fill.count))
      piece += pattern;
  });
  if (status != NEREID_OK)
    return status;
  nereid_copy_t copy = {};
  copy.struct_size = sizeof copy;
  copy.direction = NEREID_COPY_HOST_TO_DEVICE;
  copy.stream = fill.stream;
  copy.source = reinterpret_cast<uintptr_t>(piece.data());
  copy.destination = fill.destination;
  for (uint64_t left = pattern.size() * fill.count; left && status == NEREID_OK;
       left -= copy.size) {
    copy.size = std::min<uint64_t>(left, piece.size());
    status = plugin.driver.copy(plugin.state, device, &copy, call);
    copy.destination += copy.size;
  }
  // Also after a failure: the driver may still be reading `piece`.
  nereid_status_t done =
      plugin.driver.synchronize(plugin.state, device, fill.stream, call);
  return status == NEREID_OK ? done : status;
}

static Outcome checkFill(const nereid_fill_t &fill) {
  if (fill.pattern_size > 8 || !isPowerOfTwo(fill.pattern_size))
    return invalid("fill: pattern_size is " +
                   std::to_string(fill.pattern_size) +
                   ", expected 1, 2, 4 or 8");
  if (fill.count > UINT64_MAX / fill.pattern_size)
    return invalid("fill: count is too large");
  if (fill.count && !fill.destination)
    return invalid("fill: destination is null");
  if (fill.count && !fill.pattern)
    return invalid("fill: pattern is null");
  if (fill.destination % fill.pattern_size)
    return invalid("fill: destination is not aligned to the pattern's " +
                   std::to_string(fill.pattern_size) + " bytes");
  return {};
}

nereid_status_t nereid_backend_fill(nereid_backend_t *backend, uint32_t device,
                                    const nereid_fill_t *given) {
  return guardedStatus([&]() -> nereid_status_t {
    if (!given)
      return failNullRequest("fill");
    nereid_fill_t fill = readStruct(*given);
    if (Outcome checked = checkFill(fill); !checked)
      return fail(checked.failure());
    return callDriver(
        backend, device, "fill", [&](const Plugin &plugin, auto *call) {
          if (!fill.count)
            return nereid_status_t(NEREID_OK);
          if (!plugin.extensions.memory.has(&nereid_memory_t::fill))
            return fillByCopy(plugin, device, fill, call);
          return plugin.extensions.memory.fill(plugin.state, device, &fill,
                                               call);
        });
  });
}

nereid_status_t nereid_backend_allocate_host(nereid_backend_t *backend,
                                             uint32_t device,
                                             const nereid_allocation_t *given,
                                             void **out_pointer) {
  return guardedStatus([&]() -> nereid_status_t {
    Result<nereid_allocation_t> allocation =
        readAllocation("allocate_host", given);
    if (!allocation)
      return fail(allocation.failure());
    return callForValue(
        backend, device, "allocate_host", out_pointer,
        [&](const Plugin &plugin, void **pointer, auto *call) {
          if (!allocation->size)
            return nereid_status_t(NEREID_OK);
          if (plugin.extensions.memory.has(&nereid_memory_t::allocate_host))
            return plugin.extensions.memory.allocate_host(
                plugin.state, device, &*allocation, pointer, call);
          if (posix_memalign(pointer,
                             std::max<uint64_t>(allocation->alignment, 64),
                             allocation->size))
            return Call::of(call).refuseForMemory();
          return nereid_status_t(NEREID_OK);
        });
  });
}

nereid_status_t nereid_backend_free_host(nereid_backend_t *backend,
                                         uint32_t device, void *pointer) {
  return callDriver(
      backend, device, "free_host", [&](const Plugin &plugin, auto *call) {
        if (!pointer)
          return nereid_status_t(NEREID_OK);
        if (plugin.extensions.memory.has(&nereid_memory_t::allocate_host))
          return plugin.extensions.memory.free_host(plugin.state, device,
                                                    pointer, call);
        std::free(pointer);
        return nereid_status_t(NEREID_OK);
      });
}

nereid_status_t nereid_backend_memory_info(const nereid_backend_t *backend,
                                           uint32_t device,
                                           nereid_memory_info_t *out_info) {
  nereid_memory_info_t info = {};
  info.struct_size = sizeof info;
  nereid_status_t status = callDriver(
      backend, device, "memory_info", [&](const Plugin &plugin, auto *call) {
        return plugin.extensions.memory.get_info(plugin.state, device, &info,
                                                 call);
      });
  if (status != NEREID_OK)
    return status;
  return guarded([&] { return writeStruct(info, out_info); });
}
