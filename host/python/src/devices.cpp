// devices.cpp - on which device and stream a call launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "devices.h"
#include "backend.h"

namespace nereid::python {

static Ref unlessNone(PyObject *object) {
  return object == Py_None ? Ref() : Ref::borrow(object);
}

bool Devices::set(PyObject *keys, PyObject *currentDevice,
                  PyObject *streamOfTorch, PyObject *import) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys); ++i) {
    Ref number(PyLong_FromSsize_t(i));
    if (!number)
      return false;
    all.push_back(
        {Ref::borrow(PyTuple_GET_ITEM(keys, i)), std::move(number), {}});
  }
  current = unlessNone(currentDevice);
  torchStream = unlessNone(streamOfTorch);
  importStream = unlessNone(import);
  return true;
}

bool findDevice(InstalledDevices installed, Call &call) {
  size_t index = 0;
  Devices *devices = installed();
  if (devices && devices->current) {
    Ref number(PyObject_CallNoArgs(devices->current.get()));
    call.number = number ? PyLong_AsLong(number.get()) : -1;
    PyErr_Clear();
    if (call.number < 0)
      return false;
    index = static_cast<size_t>(call.number);
    devices = installed();
  }
  if (!devices || index >= devices->all.size())
    return false;
  call.device = devices->all[index].key.get();
  return true;
}

static bool toUnsigned(PyObject *object, uint64_t &out) {
  out = object ? PyLong_AsUnsignedLongLong(object) : 0;
  return object && !PyErr_Occurred();
}

/// The device with that number, if it has streams of torch.
static Device *torchDevice(InstalledDevices installed, uint32_t number) {
  Devices *devices = installed();
  bool isThere =
      devices && devices->torchStream && number < devices->all.size();
  return isThere ? &devices->all[number] : nullptr;
}

bool findStream(InstalledDevices installed, KernelObject *kernel,
                nereid_stream_t &stream) {
  nereid_backend_t *backend = backendOf(kernel->backend);
  if (nereid_status_t status =
          nereid_backend_get_current_stream(backend, kernel->device, &stream)) {
    raise(status);
    return false;
  }
  Device *found = torchDevice(installed, kernel->device);
  if (stream || !found)
    return true;
  Ref number = Ref::borrow(found->number.get());
  Ref import = Ref::borrow(installed()->importStream.get());
  uint64_t handle = 0;
  Ref current(
      PyObject_CallOneArg(installed()->torchStream.get(), number.get()));
  if (!toUnsigned(current.get(), handle))
    return false;
  found = torchDevice(installed, kernel->device);
  if (!handle || !found)
    return true;
  if (auto known = found->streams.find(handle); known != found->streams.end()) {
    stream = known->second;
    return true;
  }
  Ref imported(PyObject_CallFunction(import.get(), "OK", number.get(),
                                     static_cast<unsigned long long>(handle)));
  if (!toUnsigned(imported.get(), stream))
    return false;
  if (Device *now = torchDevice(installed, kernel->device))
    now->streams[handle] = stream;
  return true;
}

} // namespace nereid::python
