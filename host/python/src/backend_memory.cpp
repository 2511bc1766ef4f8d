// backend_memory.cpp - memory, streams and events of a plugin's devices.
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

/// Host memory that a device copies from and to fastest.
struct HostMemoryObject {
  PyObject_HEAD PyObject *backend;
  uint32_t device;
  void *pointer;
  Py_ssize_t size;
};
} // namespace

static PyTypeObject *eventType = nullptr;
static PyTypeObject *hostMemoryType = nullptr;

static nereid_backend_t *self(PyObject *object) {
  return reinterpret_cast<BackendObject *>(object)->backend;
}

static PyObject *done(nereid_status_t status) {
  if (status != NEREID_OK)
    return raise(status);
  Py_RETURN_NONE;
}

/// An address, a handle or a count, for PyArg_ParseTuple's "O&": unlike "K" it
/// refuses what does not fit.
static int convertSize(PyObject *object, void *out) {
  unsigned long long value = PyLong_AsUnsignedLongLong(object);
  *static_cast<unsigned long long *>(out) = value;
  return value != static_cast<unsigned long long>(-1) || !PyErr_Occurred();
}

static PyObject *allocate(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  unsigned long long size = 0, alignment = 0;
  if (!PyArg_ParseTuple(args, "O&O&|O&", convertDevice, &device, convertSize,
                        &size, convertSize, &alignment))
    return nullptr;
  nereid_address_t address = 0;
  nereid_allocation_t allocation = {sizeof allocation, 0, size, alignment};
  nereid_status_t status =
      nereid_backend_allocate(self(object), device, &allocation, &address);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(address)
                             : raise(status);
}

static PyObject *release(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  unsigned long long address = 0;
  if (!PyArg_ParseTuple(args, "O&O&", convertDevice, &device, convertSize,
                        &address))
    return nullptr;
  return done(nereid_backend_free(self(object), device, address));
}

template <nereid_copy_direction_t direction>
static PyObject *copy(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  unsigned long long stream = 0, destination = 0, source = 0, size = 0;
  if (!PyArg_ParseTuple(args, "O&O&O&O&O&", convertDevice, &device, convertSize,
                        &stream, convertSize, &destination, convertSize,
                        &source, convertSize, &size))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    nereid_copy_t request = {sizeof request, direction, stream,
                             destination,    source,    size};
    status = nereid_backend_copy(self(object), device, &request);
  }
  return done(status);
}

namespace {
/// A contiguous buffer of Python, held as long as this lives.
class Buffer {
public:
  Buffer() = default;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() {
    if (buffer.obj)
      PyBuffer_Release(&buffer);
  }
  bool open(PyObject *object, bool isWritten) {
    int flags = PyBUF_C_CONTIGUOUS | (isWritten ? PyBUF_WRITABLE : 0);
    return PyObject_GetBuffer(object, &buffer, flags) == 0;
  }
  uint64_t address() const { return reinterpret_cast<uintptr_t>(buffer.buf); }
  uint64_t size() const { return static_cast<uint64_t>(buffer.len); }

private:
  Py_buffer buffer = {};
};
} // namespace

/// (device, stream, device address, buffer): copies and waits, because the
/// buffer is let go afterwards.
template <nereid_copy_direction_t direction>
static PyObject *copyBuffer(PyObject *object, PyObject *args) {
  constexpr bool isWritten = direction == NEREID_COPY_DEVICE_TO_HOST;
  uint32_t device = 0;
  unsigned long long stream = 0, address = 0;
  PyObject *host = nullptr;
  Buffer buffer;
  if (!PyArg_ParseTuple(args, "O&O&O&O", convertDevice, &device, convertSize,
                        &stream, convertSize, &address, &host) ||
      !buffer.open(host, isWritten))
    return nullptr;
  nereid_status_t status;
  std::string reason;
  {
    WithoutGil unlocked;
    nereid_copy_t request = {sizeof request,
                             direction,
                             stream,
                             isWritten ? buffer.address() : address,
                             isWritten ? address : buffer.address(),
                             buffer.size()};
    status = nereid_backend_copy(self(object), device, &request);
    if (status != NEREID_OK)
      reason = view(nereid_error());
    nereid_status_t waited =
        nereid_backend_synchronize(self(object), device, stream);
    if (status == NEREID_OK && waited != NEREID_OK) {
      status = waited;
      reason = view(nereid_error());
    }
  }
  return status == NEREID_OK ? Ref::borrow(Py_None).release()
                             : raise(status, reason);
}

/// (device, stream, address there, source's device, address there, size)
static PyObject *copyPeer(PyObject *object, PyObject *args) {
  uint32_t device = 0, from = 0;
  unsigned long long stream = 0, destination = 0, source = 0, size = 0;
  if (!PyArg_ParseTuple(args, "O&O&O&O&O&O&", convertDevice, &device,
                        convertSize, &stream, convertSize, &destination,
                        convertDevice, &from, convertSize, &source, convertSize,
                        &size))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    nereid_copy_peer_t request = {sizeof request, from,   stream,
                                  destination,    source, size};
    status = nereid_backend_copy_peer(self(object), device, &request);
  }
  return done(status);
}

static PyObject *allocateHost(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "O&n", convertDevice, &device, &size))
    return nullptr;
  if (size < 0)
    return PyErr_Format(PyExc_ValueError,
                        "the size is %zd, expected at least 0", size);
  nereid_allocation_t allocation = {sizeof allocation, 0,
                                    static_cast<uint64_t>(size), 0};
  void *pointer = nullptr;
  if (nereid_status_t status = nereid_backend_allocate_host(
          self(object), device, &allocation, &pointer))
    return raise(status);
  PyObject *made = hostMemoryType->tp_alloc(hostMemoryType, 0);
  if (!made) {
    (void)nereid_backend_free_host(self(object), device, pointer);
    return nullptr;
  }
  auto *memory = reinterpret_cast<HostMemoryObject *>(made);
  memory->backend = Ref::borrow(object).release();
  memory->device = device;
  memory->pointer = pointer;
  memory->size = size;
  return made;
}

/// (free, total) bytes of a device's memory.
static PyObject *memoryInfo(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_memory_info_t info = {};
  info.struct_size = sizeof info;
  if (nereid_status_t status =
          nereid_backend_memory_info(self(object), device, &info))
    return raise(status);
  return Py_BuildValue("(KK)", static_cast<unsigned long long>(info.free),
                       static_cast<unsigned long long>(info.total));
}

static PyObject *fill(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  unsigned long long stream = 0, destination = 0, count = 0;
  PyObject *bytes = nullptr;
  std::string_view pattern;
  if (!PyArg_ParseTuple(args, "O&O&O&OO&", convertDevice, &device, convertSize,
                        &stream, convertSize, &destination, &bytes, convertSize,
                        &count) ||
      !readBytes(bytes, pattern))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    nereid_fill_t request = {
        sizeof request, static_cast<uint32_t>(pattern.size()),
        stream,         destination,
        pattern.data(), count};
    status = nereid_backend_fill(self(object), device, &request);
  }
  return done(status);
}

/// Runs `action` on a stream: (device, stream).
static PyObject *onStream(PyObject *object, PyObject *args,
                          nereid_status_t (*action)(nereid_backend_t *,
                                                    uint32_t,
                                                    nereid_stream_t)) {
  uint32_t device = 0;
  unsigned long long stream = 0;
  if (!PyArg_ParseTuple(args, "O&O&", convertDevice, &device, convertSize,
                        &stream))
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

static PyObject *synchronizeDevice(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = nereid_backend_synchronize_device(self(object), device);
  }
  return done(status);
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
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  return done(nereid_backend_set_current_device(self(object), device));
}

static PyObject *currentStream(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_stream_t stream = 0;
  nereid_status_t status =
      nereid_backend_get_current_stream(self(object), device, &stream);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(stream)
                             : raise(status);
}

static PyObject *setCurrentStream(PyObject *object, PyObject *args) {
  return onStream(object, args, nereid_backend_set_current_stream);
}

static PyObject *createStream(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  int priority = 0;
  if (!PyArg_ParseTuple(args, "O&|i", convertDevice, &device, &priority))
    return nullptr;
  nereid_stream_t stream = 0;
  nereid_stream_request_t request = {sizeof request, 0, priority, 0};
  nereid_status_t status =
      nereid_backend_create_stream(self(object), device, &request, &stream);
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
    WithoutGil unlocked; // a driver without streams waits
    status = nereid_backend_query_stream(self(object), device, stream, &isDone);
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
  return done(
      nereid_backend_wait_event(self(object), device, stream,
                                reinterpret_cast<EventObject *>(event)->event));
}

/// Runs `end` on what was made for a device: (device, handle).
static PyObject *endOf(PyObject *object, PyObject *args,
                       nereid_status_t (*end)(nereid_backend_t *, uint32_t,
                                              uint64_t)) {
  uint32_t device = 0;
  unsigned long long handle = 0;
  if (!PyArg_ParseTuple(args, "O&O&", convertDevice, &device, convertSize,
                        &handle))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = end(self(object), device, handle);
  }
  return done(status);
}

static PyObject *destroyStream(PyObject *object, PyObject *args) {
  return endOf(object, args, nereid_backend_destroy_stream);
}

static PyObject *releaseStream(PyObject *object, PyObject *args) {
  return endOf(object, args, nereid_backend_release_stream);
}

static PyObject *releasePointer(PyObject *object, PyObject *args) {
  return endOf(object, args, nereid_backend_release_pointer);
}

static PyObject *importStream(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  const char *kind = "";
  unsigned long long handle = 0;
  if (!PyArg_ParseTuple(args, "O&sO&", convertDevice, &device, &kind,
                        convertSize, &handle))
    return nullptr;
  nereid_stream_t stream = 0;
  nereid_import_t request = {sizeof request, 0, text(kind), handle, 0};
  nereid_status_t status =
      nereid_backend_import_stream(self(object), device, &request, &stream);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(stream)
                             : raise(status);
}

static PyObject *importPointer(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  const char *kind = "";
  unsigned long long handle = 0, size = 0;
  if (!PyArg_ParseTuple(args, "O&sO&O&", convertDevice, &device, &kind,
                        convertSize, &handle, convertSize, &size))
    return nullptr;
  nereid_address_t address = 0;
  nereid_import_t request = {sizeof request, 0, text(kind), handle, size};
  nereid_status_t status =
      nereid_backend_import_pointer(self(object), device, &request, &address);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(address)
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
  if (nereid_status_t status =
          nereid_backend_create_event(self(object), device, &request, &made))
    return raise(status);
  PyObject *wrapped = eventType->tp_alloc(eventType, 0);
  if (!wrapped) {
    (void)nereid_backend_destroy_event(self(object), made);
    return nullptr;
  }
  auto *it = reinterpret_cast<EventObject *>(wrapped);
  it->backend = Ref::borrow(object).release();
  it->event = made;
  return wrapped;
}

PyMethodDef memoryMethods[] = {
    {"allocate", guarded<allocate>, METH_VARARGS,
     "allocate(device, size, alignment=0) -> address"},
    {"free", guarded<release>, METH_VARARGS, "free(device, address)"},
    {"copy_in", guarded<copy<NEREID_COPY_HOST_TO_DEVICE>>, METH_VARARGS,
     "copy_in(device, stream, device address, host address, size)"},
    {"copy_out", guarded<copy<NEREID_COPY_DEVICE_TO_HOST>>, METH_VARARGS,
     "copy_out(device, stream, host address, device address, size)"},
    {"copy_within", guarded<copy<NEREID_COPY_DEVICE_TO_DEVICE>>, METH_VARARGS,
     "copy_within(device, stream, address, address, size)"},
    {"copy_in_buffer", guarded<copyBuffer<NEREID_COPY_HOST_TO_DEVICE>>,
     METH_VARARGS, "copy_in_buffer(device, stream, address, buffer)"},
    {"copy_out_buffer", guarded<copyBuffer<NEREID_COPY_DEVICE_TO_HOST>>,
     METH_VARARGS, "copy_out_buffer(device, stream, address, buffer)"},
    {"copy_peer", guarded<copyPeer>, METH_VARARGS,
     "copy_peer(device, stream, address, source's device, its address, size)"},
    {"allocate_host", guarded<allocateHost>, METH_VARARGS,
     "allocate_host(device, size) -> HostMemory"},
    {"memory_info", guarded<memoryInfo>, METH_O,
     "memory_info(device) -> (free, total)"},
    {"fill", guarded<fill>, METH_VARARGS,
     "fill(device, stream, address, pattern, count)"},
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
    {"import_pointer", guarded<importPointer>, METH_VARARGS,
     "import_pointer(device, kind, handle, size) -> address"},
    {"release_pointer", guarded<releasePointer>, METH_VARARGS,
     "release_pointer(device, address)"},
    {"event", guarded<event>, METH_VARARGS,
     "event(device, timing=True) -> Event"},
    {}};

static PyObject *record(PyObject *object, PyObject *number) {
  auto *it = reinterpret_cast<EventObject *>(object);
  unsigned long long stream = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred())
    return nullptr;
  return done(
      nereid_backend_record_event(self(it->backend), it->event, stream));
}

static PyObject *elapsed(PyObject *object, PyObject *end) {
  if (!Py_IS_TYPE(end, eventType))
    return PyErr_Format(PyExc_TypeError, "expected an event");
  auto *it = reinterpret_cast<EventObject *>(object);
  double nanoseconds = 0;
  nereid_status_t status;
  {
    WithoutGil unlocked; // it waits for the end
    status = nereid_backend_elapsed(self(it->backend), it->event,
                                    reinterpret_cast<EventObject *>(end)->event,
                                    &nanoseconds);
  }
  return status == NEREID_OK ? PyFloat_FromDouble(nanoseconds) : raise(status);
}

static PyObject *query(PyObject *object, PyObject *) {
  auto *it = reinterpret_cast<EventObject *>(object);
  int32_t isDone = 0;
  nereid_status_t status =
      nereid_backend_query_event(self(it->backend), it->event, &isDone);
  return status == NEREID_OK ? PyBool_FromLong(isDone) : raise(status);
}

static PyObject *synchronizeEvent(PyObject *object, PyObject *) {
  auto *it = reinterpret_cast<EventObject *>(object);
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = nereid_backend_synchronize_event(self(it->backend), it->event);
  }
  return done(status);
}

static void dealloc(PyObject *object) {
  auto *it = reinterpret_cast<EventObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  (void)nereid_backend_destroy_event(self(it->backend), it->event);
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

static int getBuffer(PyObject *object, Py_buffer *view, int flags) {
  auto *memory = reinterpret_cast<HostMemoryObject *>(object);
  return PyBuffer_FillInfo(view, object, memory->pointer, memory->size, 0,
                           flags);
}

static Py_ssize_t sizeOf(PyObject *object) {
  return reinterpret_cast<HostMemoryObject *>(object)->size;
}

static PyObject *addressOf(PyObject *object, void *) {
  return PyLong_FromVoidPtr(
      reinterpret_cast<HostMemoryObject *>(object)->pointer);
}

static void deallocHostMemory(PyObject *object) {
  auto *memory = reinterpret_cast<HostMemoryObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  (void)nereid_backend_free_host(self(memory->backend), memory->device,
                                 memory->pointer);
  Py_DECREF(memory->backend);
  type->tp_free(object);
  Py_DECREF(type);
}

bool addHostMemoryType(PyObject *module) {
  static PyGetSetDef getters[] = {
      {"address", addressOf, nullptr, "A pointer of the host.", nullptr}, {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocHostMemory)},
      {Py_tp_getset, getters},
      {Py_sq_length, reinterpret_cast<void *>(sizeOf)},
      {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
      {Py_tp_doc,
       const_cast<char *>(
           "Host memory that a device copies from and to fastest: a writable "
           "buffer of bytes, freed with the last reference to it or a view of "
           "it.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.HostMemory", sizeof(HostMemoryObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  hostMemoryType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return hostMemoryType && PyModule_AddType(module, hostMemoryType) == 0;
}

} // namespace nereid::python
