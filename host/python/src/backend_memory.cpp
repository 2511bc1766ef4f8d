// backend_memory.cpp - memory, streams and events of a plugin's devices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

namespace nereid::python {

namespace {
struct EventObject {
  PyObject_HEAD
  PyObject *backend;
  nereid_event_t *event;
};
} // namespace

static PyTypeObject *eventType = nullptr;

static nereid_backend_t *self(PyObject *object) {
  return reinterpret_cast<BackendObject *>(object)->backend;
}

static PyObject *done(nereid_status_t status) {
  if (status != NEREID_OK)
    return raise(status);
  Py_RETURN_NONE;
}

static PyObject *allocate(PyObject *object, PyObject *args) {
  unsigned device = 0;
  unsigned long long size = 0;
  if (!PyArg_ParseTuple(args, "IK", &device, &size))
    return nullptr;
  nereid_address_t address = 0;
  nereid_status_t status =
      nereid_backend_allocate(self(object), device, size, &address);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(address)
                             : raise(status);
}

static PyObject *release(PyObject *object, PyObject *args) {
  unsigned device = 0;
  unsigned long long address = 0;
  if (!PyArg_ParseTuple(args, "IK", &device, &address))
    return nullptr;
  nereid_backend_free(self(object), device, address);
  Py_RETURN_NONE;
}

static PyObject *copy(PyObject *object, PyObject *args,
                      nereid_copy_t direction) {
  unsigned device = 0;
  unsigned long long stream = 0, destination = 0, source = 0, size = 0;
  if (!PyArg_ParseTuple(args, "IKKKK", &device, &stream, &destination, &source,
                        &size))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = nereid_backend_copy(self(object), device, stream, direction,
                                 destination, source, size);
  }
  return done(status);
}

static PyObject *copyIn(PyObject *object, PyObject *args) {
  return copy(object, args, NEREID_COPY_HOST_TO_DEVICE);
}

static PyObject *copyOut(PyObject *object, PyObject *args) {
  return copy(object, args, NEREID_COPY_DEVICE_TO_HOST);
}

/// Runs `action` on a stream: (device, stream).
static PyObject *onStream(PyObject *object, PyObject *args,
                          nereid_status_t (*action)(nereid_backend_t *,
                                                    uint32_t,
                                                    nereid_stream_t)) {
  unsigned device = 0;
  unsigned long long stream = 0;
  if (!PyArg_ParseTuple(args, "IK", &device, &stream))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = action(self(object), device, stream);
  }
  return done(status);
}

static PyObject *synchronize(PyObject *object, PyObject *args) {
  return onStream(object, args, nereid_backend_synchronize);
}

static PyObject *flushCache(PyObject *object, PyObject *args) {
  return onStream(object, args, nereid_backend_flush_cache);
}

static PyObject *currentDevice(PyObject *object, PyObject *) {
  uint32_t device = 0;
  nereid_status_t status =
      nereid_backend_get_current_device(self(object), &device);
  return status == NEREID_OK ? PyLong_FromUnsignedLong(device) : raise(status);
}

static PyObject *setCurrentDevice(PyObject *object, PyObject *number) {
  unsigned long device = PyLong_AsUnsignedLong(number);
  if (PyErr_Occurred())
    return nullptr;
  return done(nereid_backend_set_current_device(self(object),
                                                static_cast<uint32_t>(device)));
}

static PyObject *currentStream(PyObject *object, PyObject *number) {
  unsigned long device = PyLong_AsUnsignedLong(number);
  if (PyErr_Occurred())
    return nullptr;
  nereid_stream_t stream = 0;
  nereid_status_t status = nereid_backend_get_current_stream(
      self(object), static_cast<uint32_t>(device), &stream);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(stream)
                             : raise(status);
}

static PyObject *event(PyObject *object, PyObject *number) {
  unsigned long device = PyLong_AsUnsignedLong(number);
  if (PyErr_Occurred())
    return nullptr;
  nereid_event_t *made = nullptr;
  if (nereid_status_t status = nereid_backend_create_event(
          self(object), static_cast<uint32_t>(device), &made))
    return raise(status);
  PyObject *wrapped = eventType->tp_alloc(eventType, 0);
  if (!wrapped) {
    nereid_backend_destroy_event(self(object), made);
    return nullptr;
  }
  auto *it = reinterpret_cast<EventObject *>(wrapped);
  it->backend = Ref::borrow(object).release();
  it->event = made;
  return wrapped;
}

PyMethodDef memoryMethods[] = {
    {"allocate", allocate, METH_VARARGS, "allocate(device, size) -> address"},
    {"free", release, METH_VARARGS, "free(device, address)"},
    {"copy_in", copyIn, METH_VARARGS,
     "copy_in(device, stream, device address, host address, size)"},
    {"copy_out", copyOut, METH_VARARGS,
     "copy_out(device, stream, host address, device address, size)"},
    {"synchronize", synchronize, METH_VARARGS, "synchronize(device, stream)"},
    {"flush_cache", flushCache, METH_VARARGS, "flush_cache(device, stream)"},
    {"current_device", currentDevice, METH_NOARGS, nullptr},
    {"set_current_device", setCurrentDevice, METH_O, nullptr},
    {"current_stream", currentStream, METH_O, "current_stream(device)"},
    {"event", event, METH_O, "event(device) -> Event"},
    {}};

static PyObject *record(PyObject *object, PyObject *number) {
  auto *it = reinterpret_cast<EventObject *>(object);
  unsigned long long stream = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred())
    return nullptr;
  return done(nereid_backend_record_event(self(it->backend), it->event, stream));
}

static PyObject *elapsed(PyObject *object, PyObject *end) {
  if (!Py_IS_TYPE(end, eventType))
    return PyErr_Format(PyExc_TypeError, "expected an event");
  auto *it = reinterpret_cast<EventObject *>(object);
  double nanoseconds = 0;
  nereid_status_t status = nereid_backend_elapsed(
      self(it->backend), it->event, reinterpret_cast<EventObject *>(end)->event,
      &nanoseconds);
  return status == NEREID_OK ? PyFloat_FromDouble(nanoseconds) : raise(status);
}

static void dealloc(PyObject *object) {
  auto *it = reinterpret_cast<EventObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  nereid_backend_destroy_event(self(it->backend), it->event);
  Py_DECREF(it->backend);
  type->tp_free(object);
  Py_DECREF(type);
}

bool addEventType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"record", record, METH_O, "record(stream)"},
      {"elapsed", elapsed, METH_O, "Nanoseconds until another event."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char *>("A point in a stream.")},
      {}};
  static PyType_Spec spec = {"_nereid.Event", sizeof(EventObject), 0,
                             Py_TPFLAGS_DEFAULT |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  eventType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return eventType && PyModule_AddType(module, eventType) == 0;
}

} // namespace nereid::python
