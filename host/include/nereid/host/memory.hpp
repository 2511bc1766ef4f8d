// nereid/host/memory.hpp - RAII device memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_MEMORY_HPP
#define NEREID_HOST_MEMORY_HPP

#include "nereid/host/expected.hpp"

#include <cstdint>

namespace nereid {

/// Memory of a device, freed by the destructor. The owner first waits for the
/// work that uses it.
class Memory {
public:
  Memory(nereid_backend_t *owner, uint32_t index, nereid_address_t address,
         uint64_t size)
      : backend(owner), device(index), start(address), bytes(size) {}
  Memory(Memory &&other) noexcept
      : backend(other.backend), device(other.device),
        start(std::exchange(other.start, 0)),
        bytes(std::exchange(other.bytes, 0)) {}
  Memory &operator=(Memory &&other) noexcept {
    std::swap(backend, other.backend);
    std::swap(device, other.device);
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~Memory() { (void)nereid_backend_free(backend, device, start); }

  /// What a kernel's pointer argument holds.
  nereid_address_t address() const { return start; }
  uint64_t size() const { return bytes; }

  /// Copies the whole memory from or to the host, and waits for it.
  Expected<void> write(const void *source) {
    return copy(NEREID_COPY_HOST_TO_DEVICE, start,
                reinterpret_cast<uintptr_t>(source));
  }
  Expected<void> read(void *destination) const {
    return copy(NEREID_COPY_DEVICE_TO_HOST,
                reinterpret_cast<uintptr_t>(destination), start);
  }

private:
  Expected<void> copy(nereid_copy_direction_t direction,
                      nereid_address_t destination,
                      nereid_address_t source) const {
    auto request = detail::sized<nereid_copy_t>();
    request.direction = direction;
    request.destination = destination;
    request.source = source;
    request.size = bytes;
    nereid_status_t status = nereid_backend_copy(backend, device, &request);
    if (status == NEREID_OK)
      status = nereid_backend_synchronize(backend, device, 0);
    return detail::check(status);
  }

  nereid_backend_t *backend;
  uint32_t device;
  nereid_address_t start;
  uint64_t bytes;
};

} // namespace nereid

#endif // NEREID_HOST_MEMORY_HPP
