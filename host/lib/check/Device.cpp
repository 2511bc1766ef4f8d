// Device.cpp - memory, copies and streams of a device under test.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Device.h"

namespace nereid::host {

Bytes patternOf(size_t size, uint32_t seed) {
  Bytes bytes(size);
  uint32_t number = seed * 2654435761u + 12345;
  for (uint8_t &byte : bytes) {
    number = number * 1664525 + 1013904223;
    byte = static_cast<uint8_t>(number >> 24);
  }
  return bytes;
}

std::vector<Device> Device::all(CheckedPlugin &subject) {
  Plugin &plugin = subject.activeDriver();
  std::vector<Device> devices;
  for (uint32_t i = 0; i < plugin.probe().result.device_count; ++i)
    devices.emplace_back(subject, i);
  return devices;
}

nereid_address_t Device::allocate(uint64_t size) const {
  nereid_address_t address = 0;
  nereid_allocation_t allocation = {sizeof allocation, 0, size, 64};
  must(subject, "allocate", [&](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.allocate(plugin.state, index, &allocation, &address,
                                  call);
  });
  expect(address && address % 64 == 0, name() + ": allocate gave address " +
                                           std::to_string(address) +
                                           ", expected a multiple of 64");
  return address;
}

void Device::free(nereid_address_t address) const {
  must(subject, "free", [&](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.free(plugin.state, index, address, call);
  });
}

nereid_stream_t Device::createStream() const {
  nereid_stream_t stream = 0;
  nereid_stream_request_t request = {};
  request.struct_size = sizeof request;
  must(subject, "stream.create",
       [&](Plugin &plugin, const nereid_call_t *call) {
         return plugin.extensions.streams.create(plugin.state, index, &request,
                                                 &stream, call);
       });
  expect(stream, name() + ": stream.create returned stream 0, which is the "
                          "default stream");
  return stream;
}

void Device::destroyStream(nereid_stream_t stream) const {
  must(subject, "stream.destroy",
       [&](Plugin &plugin, const nereid_call_t *call) {
         return plugin.extensions.streams.destroy(plugin.state, index, stream,
                                                  call);
       });
}

void Device::synchronize(nereid_stream_t stream) const {
  must(subject, "synchronize", [&](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.synchronize(plugin.state, index, stream, call);
  });
}

void Device::copy(nereid_copy_direction_t direction, nereid_address_t to,
                  nereid_address_t from, uint64_t size,
                  nereid_stream_t stream) const {
  nereid_copy_t request = {sizeof request, direction, stream, to, from, size};
  must(subject, "copy", [&](Plugin &plugin, const nereid_call_t *call) {
    return plugin.driver.copy(plugin.state, index, &request, call);
  });
}

void Device::copyIn(nereid_address_t to, const Bytes &bytes,
                    nereid_stream_t stream) const {
  copy(NEREID_COPY_HOST_TO_DEVICE, to,
       reinterpret_cast<uintptr_t>(bytes.data()), bytes.size(), stream);
}

void Device::copyOut(Bytes &bytes, nereid_address_t from,
                     nereid_stream_t stream) const {
  copy(NEREID_COPY_DEVICE_TO_HOST, reinterpret_cast<uintptr_t>(bytes.data()),
       from, bytes.size(), stream);
}

void Device::copyWithin(nereid_address_t to, nereid_address_t from,
                        uint64_t size, nereid_stream_t stream) const {
  copy(NEREID_COPY_DEVICE_TO_DEVICE, to, from, size, stream);
}

nereid_address_t Device::upload(const Bytes &bytes,
                                nereid_stream_t stream) const {
  nereid_address_t address = allocate(bytes.size());
  copyIn(address, bytes, stream);
  synchronize(stream);
  return address;
}

Bytes Device::download(nereid_address_t from, size_t size,
                       nereid_stream_t stream) const {
  Bytes bytes(size);
  copyOut(bytes, from, stream);
  synchronize(stream);
  return bytes;
}

} // namespace nereid::host
