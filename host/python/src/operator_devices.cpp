// operator_devices.cpp - the devices and streams that operators run on.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "operator_state.h"

namespace nereid::python {

PyTypeObject *opsDeviceType = nullptr;

OperatorOnDevice *findDevice(Operator &op, const OperatorCall &call) {
  int32_t type = 0, number = 0; // no tensor: the default device
  if (!call.tensors.empty()) {
    type = call.tensors[0].tensor.device_type;
    number = call.tensors[0].tensor.device_id;
  }
  for (const std::unique_ptr<OperatorOnDevice> &known : op.devices)
    if (known->type == type && known->number == number)
      return known.get();
  Ref kind(PyLong_FromLong(type)), index(PyLong_FromLong(number));
  Ref device(PyObject_CallMethodObjArgs(op.hooks.get(),
                                        operatorNames.findDevice, kind.get(),
                                        index.get(), nullptr));
  if (!device)
    return nullptr;
  if (!Py_IS_TYPE(device.get(), opsDeviceType)) {
    PyErr_SetString(PyExc_TypeError, "expected packs on a device");
    return nullptr;
  }
  auto found = std::make_unique<OperatorOnDevice>();
  found->type = type;
  found->number = number;
  found->device = reinterpret_cast<OpsDeviceObject *>(device.release());
  if (nereid_status_t status = nereid_ops_operator(
          found->device->loaded, borrow(op.name), &found->op)) {
    raise(status);
    return nullptr;
  }
  return op.devices.emplace_back(std::move(found)).get();
}

bool findStream(Operator &op, const OperatorCall &call, OperatorOnDevice &on,
                nereid_stream_t &out) {
  out = 0;
  if (on.type == dlpack::kCpu)
    return true;
  if (nereid_status_t status = nereid_backend_get_current_stream(
          on.device->backend, on.device->device, &out)) {
    raise(status);
    return false;
  }
  const dlpack::Exchange *exchange = nullptr;
  for (const OperatorCall::Read &read : call.tensors)
    if (read.from->exchange)
      exchange = read.from->exchange;
  void *handle = nullptr;
  if (out || !exchange)
    return true;
  if (exchange->currentStream(on.type, on.number, &handle))
    return false;
  if (!handle)
    return true;
  if (auto known = on.streams.find(handle); known != on.streams.end()) {
    out = known->second;
    return true;
  }
  Ref kind(PyLong_FromLong(on.type)), index(PyLong_FromLong(on.number)),
      number(PyLong_FromVoidPtr(handle));
  Ref stream(PyObject_CallMethodObjArgs(op.hooks.get(),
                                        operatorNames.importStream, kind.get(),
                                        index.get(), number.get(), nullptr));
  if (!stream)
    return false;
  out = PyLong_AsUnsignedLongLong(stream.get());
  if (PyErr_Occurred())
    return false;
  on.streams[handle] = out;
  return true;
}

bool addOpsDeviceType(PyObject *module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>("The packs on one device.")}, {}};
  static PyType_Spec spec = {
      "nereid._operators.Device", sizeof(OpsDeviceObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  opsDeviceType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return opsDeviceType && PyModule_AddType(module, opsDeviceType) == 0;
}

} // namespace nereid::python
