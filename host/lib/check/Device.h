// Device.h - one device of the plugin under test, and what checks do with it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CHECK_DEVICE_H
#define NEREID_HOST_CHECK_DEVICE_H

#include "abi/Call.h"
#include "check/Check.h"

#include <cstdint>
#include <vector>

namespace nereid::host {

/// Calls a slot of the plugin and returns its status; `why` receives the
/// plugin's reason.
template <typename Slot>
nereid_status_t attempt(CheckedPlugin &subject, const char *name,
                        std::string &why, Slot &&slot) {
  Plugin &plugin = subject.plugin();
  Call call(&subject.log, plugin.info);
  nereid_status_t status = call.run([&] { return slot(plugin, call.get()); });
  if (status != NEREID_OK)
    why = call.failure(status, name).text;
  return status;
}

/// Calls a slot of the plugin; the check fails if the slot fails.
template <typename Slot>
void must(CheckedPlugin &subject, const char *name, Slot &&slot) {
  std::string why;
  if (attempt(subject, name, why, slot) != NEREID_OK)
    throw CheckFailed{why};
}

using Bytes = std::vector<uint8_t>;

/// `size` bytes that differ from those of every other `seed`.
Bytes patternOf(size_t size, uint32_t seed);

/// A device of an active driver. What a check allocates is left to the end of
/// its process.
class Device {
public:
  Device(CheckedPlugin &subject, uint32_t index)
      : subject(subject), index(index) {}

  /// Every device of the driver; skips the check if the driver is not active.
  static std::vector<Device> all(CheckedPlugin &subject);

  /// "device 1", for messages.
  std::string name() const { return "device " + std::to_string(index); }

  nereid_address_t allocate(uint64_t size) const;
  void free(nereid_address_t address) const;
  nereid_stream_t createStream() const;
  void destroyStream(nereid_stream_t stream) const;
  void synchronize(nereid_stream_t stream = 0) const;

  /// These only enqueue: `bytes` has to live until the stream is synchronized.
  void copyIn(nereid_address_t to, const Bytes &bytes,
              nereid_stream_t stream = 0) const;
  void copyOut(Bytes &bytes, nereid_address_t from,
               nereid_stream_t stream = 0) const;
  void copyWithin(nereid_address_t to, nereid_address_t from, uint64_t size,
                  nereid_stream_t stream = 0) const;

  /// These wait.
  nereid_address_t upload(const Bytes &bytes, nereid_stream_t stream = 0) const;
  Bytes download(nereid_address_t from, size_t size,
                 nereid_stream_t stream = 0) const;

  CheckedPlugin &subject;
  const uint32_t index;

private:
  void copy(nereid_copy_direction_t direction, nereid_address_t to,
            nereid_address_t from, uint64_t size, nereid_stream_t stream) const;
};

} // namespace nereid::host

#endif // NEREID_HOST_CHECK_DEVICE_H
