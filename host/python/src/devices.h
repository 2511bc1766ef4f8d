// devices.h - on which device and stream a call launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_DEVICES_H
#define NEREID_PYTHON_DEVICES_H

#include "known_calls.h"

#include <unordered_map>

namespace nereid::python {

/// One device, and the streams of torch that were imported on it.
struct Device {
  Ref key; // of JITFunction.device_caches
  Ref number;
  std::unordered_map<uint64_t, nereid_stream_t> streams;
};

/// The devices of a driver, in the order of their numbers.
struct Devices {
  std::vector<Device> all;
  Ref current;      // callable: () -> number; null for one device
  Ref torchStream;  // callable: number -> handle; null for none
  Ref importStream; // callable: (number, handle) -> stream

  /// \p keys: a tuple. False with an error set.
  bool set(PyObject *keys, PyObject *currentDevice, PyObject *streamOfTorch,
           PyObject *import);
};

/// The devices that are installed; null for none. The callables are Python's:
/// each may install others.
using InstalledDevices = Devices *(*)();

/// Sets the device on which \p call launches; false if Triton has to find it.
bool findDevice(InstalledDevices installed, Call &call);

/// The stream that the program set, else torch's; false with an error set.
bool findStream(InstalledDevices installed, KernelObject *kernel,
                nereid_stream_t &stream);

} // namespace nereid::python

#endif // NEREID_PYTHON_DEVICES_H
