// backend_streams.cpp - streams and events of a plugin's devices, and which
// device and stream are current.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

namespace nereid::python {

namespace {
struct EventObject {
  PyObject_HEAD PyObject *backend;
  nereid_event_t *event;
};
} // namespace

static PyTypeObject *eventType = nullptr;

static PyObject *synchronize(PyObject *object, PyObject *args) {
  return callWithHandle(object, args, nereid_backend_synchronize);
}

static PyObject *synchronizeDevice(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = nereid_backend_synchronize_device(backendOf(object), device);
  }
  return noneOrRaise(status);
}

static PyObject *flushCache(PyObject *object, PyObject *args) {
  return callWithHandle(object, args, nereid_backend_flush_cache);
}

static PyObject *currentDevice(PyObject *object, PyObject *) {
  uint32_t device = 0;
  nereid_status_t status =
      nereid_backend_get_current_device(backendOf(object), &device);
  return status == NEREID_OK ? PyLong_FromUnsignedLong(device) : raise(status);
}

static PyObject *setCurrentDevice(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  return noneOrRaise(
      nereid_backend_set_current_device(backendOf(object), device));
}

static PyObject *currentStream(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_stream_t stream = 0;
  nereid_status_t status =
      nereid_backend_get_current_stream(backendOf(object), device, &stream);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(stream)
                             : raise(status);
}

static PyObject *setCurrentStream(PyObject *object, PyObject *args) {
  return callWithHandle(object, args, nereid_backend_set_current_stream);
}

static PyObject *createStream(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  int priority = 0;
  if (!PyArg_ParseTuple(args, "O&|i", convertDevice, &device, &priority))
    return nullptr;
  nereid_stream_t stream = 0;
  nereid_stream_request_t request = {sizeof request, 0, priority, 0};
  nereid_status_t status = nereid_backend_create_stream(
      backendOf(object), device, &request, &stream);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(stream)
                             : raise(status);
}

static PyObject *queryStream(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  unsigned long long stream = 0;
  if (!PyArg_ParseTuple(args, "O&O&", convertDevice, &device, convertSize,
                        &stream))
    return nullptr;
  int32_t isDone = 0;
  nereid_status_t status;
  {
    WithoutGil unlocked; // without nereid.stream/1 this waits
    status =
        nereid_backend_query_stream(backendOf(object), device, stream, &isDone);
  }
  return status == NEREID_OK ? PyBool_FromLong(isDone) : raise(status);
}

/// (device, stream, event): later work of the stream starts after the event.
static PyObject *waitEvent(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  unsigned long long stream = 0;
  PyObject *event = nullptr;
  if (!PyArg_ParseTuple(args, "O&O&O!", convertDevice, &device, convertSize,
                        &stream, eventType, &event))
    return nullptr;
  return noneOrRaise(
      nereid_backend_wait_event(backendOf(object), device, stream,
                                reinterpret_cast<EventObject *>(event)->event));
}

static PyObject *destroyStream(PyObject *object, PyObject *args) {
  return callWithHandle(object, args, nereid_backend_destroy_stream);
}

static PyObject *releaseStream(PyObject *object, PyObject *args) {
  return callWithHandle(object, args, nereid_backend_release_stream);
}

static PyObject *importStream(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  const char *kind = "";
  unsigned long long handle = 0;
  if (!PyArg_ParseTuple(args, "O&sO&", convertDevice, &device, &kind,
                        convertSize, &handle))
    return nullptr;
  nereid_stream_t stream = 0;
  nereid_import_t request = {sizeof request, 0, borrow(kind), handle, 0};
  nereid_status_t status = nereid_backend_import_stream(
      backendOf(object), device, &request, &stream);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(stream)
                             : raise(status);
}

static PyObject *event(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  int hasTiming = 1;
  if (!PyArg_ParseTuple(args, "O&|p", convertDevice, &device, &hasTiming))
    return nullptr;
  nereid_event_t *made = nullptr;
  nereid_event_request_t request = {sizeof request,
                                    hasTiming ? 0u : NEREID_EVENT_NO_TIMING};
  if (nereid_status_t status = nereid_backend_create_event(
          backendOf(object), device, &request, &made))
    return raise(status);
  PyObject *wrapped = eventType->tp_alloc(eventType, 0);
  if (!wrapped) {
    (void)nereid_backend_destroy_event(backendOf(object), made);
    return nullptr;
  }
  auto *it = reinterpret_cast<EventObject *>(wrapped);
  it->backend = Ref::borrow(object).release();
  it->event = made;
  return wrapped;
}

PyMethodDef streamMethods[] = {
    {"synchronize", guarded<synchronize>, METH_VARARGS,
     "synchronize(device, stream)"},
    {"synchronize_device", guarded<synchronizeDevice>, METH_O,
     "synchronize_device(device)"},
    {"flush_cache", guarded<flushCache>, METH_VARARGS,
     "flush_cache(device, stream)"},
    {"current_device", guarded<currentDevice>, METH_NOARGS, nullptr},
    {"set_current_device", guarded<setCurrentDevice>, METH_O, nullptr},
    {"current_stream", guarded<currentStream>, METH_O,
     "current_stream(device)"},
    {"set_current_stream", guarded<setCurrentStream>, METH_VARARGS,
     "set_current_stream(device, stream)"},
    {"create_stream", guarded<createStream>, METH_VARARGS,
     "create_stream(device, priority=0) -> stream"},
    {"query_stream", guarded<queryStream>, METH_VARARGS,
     "query_stream(device, stream): whether its work has ended"},
    {"wait_event", guarded<waitEvent>, METH_VARARGS,
     "wait_event(device, stream, event)"},
    {"destroy_stream", guarded<destroyStream>, METH_VARARGS,
     "destroy_stream(device, stream)"},
    {"import_stream", guarded<importStream>, METH_VARARGS,
     "import_stream(device, kind, handle) -> stream"},
    {"release_stream", guarded<releaseStream>, METH_VARARGS,
     "release_stream(device, stream)"},
    {"event", guarded<event>, METH_VARARGS,
     "event(device, timing=True) -> Event"},
    {}};

static PyObject *record(PyObject *object, PyObject *number) {
  auto *it = reinterpret_cast<EventObject *>(object);
  unsigned long long stream = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred())
    return nullptr;
  return noneOrRaise(
      nereid_backend_record_event(backendOf(it->backend), it->event, stream));
}

static PyObject *elapsed(PyObject *object, PyObject *end) {
  if (!Py_IS_TYPE(end, eventType))
    return PyErr_Format(PyExc_TypeError, "expected an event");
  auto *it = reinterpret_cast<EventObject *>(object);
  double nanoseconds = 0;
  nereid_status_t status;
  {
    WithoutGil unlocked; // waits for the end event
    status = nereid_backend_elapsed(backendOf(it->backend), it->event,
                                    reinterpret_cast<EventObject *>(end)->event,
                                    &nanoseconds);
  }
  return status == NEREID_OK ? PyFloat_FromDouble(nanoseconds) : raise(status);
}

static PyObject *query(PyObject *object, PyObject *) {
  auto *it = reinterpret_cast<EventObject *>(object);
  int32_t isDone = 0;
  nereid_status_t status =
      nereid_backend_query_event(backendOf(it->backend), it->event, &isDone);
  return status == NEREID_OK ? PyBool_FromLong(isDone) : raise(status);
}

static PyObject *synchronizeEvent(PyObject *object, PyObject *) {
  auto *it = reinterpret_cast<EventObject *>(object);
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status =
        nereid_backend_synchronize_event(backendOf(it->backend), it->event);
  }
  return noneOrRaise(status);
}

static void dealloc(PyObject *object) {
  auto *it = reinterpret_cast<EventObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  (void)nereid_backend_destroy_event(backendOf(it->backend), it->event);
  Py_DECREF(it->backend);
  type->tp_free(object);
  Py_DECREF(type);
}

bool addEventType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"record", guarded<record>, METH_O, "record(stream)"},
      {"elapsed", guarded<elapsed>, METH_O, "Nanoseconds until another event."},
      {"query", guarded<query>, METH_NOARGS, "Whether it is reached."},
      {"synchronize", guarded<synchronizeEvent>, METH_NOARGS,
       "Waits until it is reached."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char *>("A point in a stream.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.Event", sizeof(EventObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  eventType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return eventType && PyModule_AddType(module, eventType) == 0;
}

} // namespace nereid::python
