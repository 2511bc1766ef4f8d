// backend_memory.cpp - memory of a plugin's devices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

namespace nereid::python {

namespace {
/// Host memory that a device copies from and to fastest.
struct HostMemoryObject {
  PyObject_HEAD PyObject *backend;
  uint32_t device;
  void *pointer;
  Py_ssize_t size;
};
} // namespace

static PyTypeObject *hostMemoryType = nullptr;

static PyObject *allocate(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  unsigned long long size = 0, alignment = 0;
  if (!PyArg_ParseTuple(args, "O&O&|O&", convertDevice, &device, convertSize,
                        &size, convertSize, &alignment))
    return nullptr;
  nereid_address_t address = 0;
  nereid_allocation_t allocation = {sizeof allocation, 0, size, alignment};
  nereid_status_t status =
      nereid_backend_allocate(backendOf(object), device, &allocation, &address);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(address)
                             : raise(status);
}

static PyObject *release(PyObject *object, PyObject *args) {
  return callWithHandle(object, args, nereid_backend_free);
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
    status = nereid_backend_copy(backendOf(object), device, &request);
  }
  return noneOrRaise(status);
}

namespace {
/// A contiguous Python buffer, held for the lifetime of this object.
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
/// buffer is released afterwards.
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
    status = nereid_backend_copy(backendOf(object), device, &request);
    if (status != NEREID_OK)
      reason = view(nereid_error());
    nereid_status_t waited =
        nereid_backend_synchronize(backendOf(object), device, stream);
    if (status == NEREID_OK && waited != NEREID_OK) {
      status = waited;
      reason = view(nereid_error());
    }
  }
  return status == NEREID_OK ? Ref::borrow(Py_None).release()
                             : raise(status, reason);
}

/// (device, stream, its address, source device, source address, size)
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
    status = nereid_backend_copy_peer(backendOf(object), device, &request);
  }
  return noneOrRaise(status);
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
          backendOf(object), device, &allocation, &pointer))
    return raise(status);
  PyObject *made = hostMemoryType->tp_alloc(hostMemoryType, 0);
  if (!made) {
    (void)nereid_backend_free_host(backendOf(object), device, pointer);
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
          nereid_backend_memory_info(backendOf(object), device, &info))
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
    status = nereid_backend_fill(backendOf(object), device, &request);
  }
  return noneOrRaise(status);
}

static PyObject *releasePointer(PyObject *object, PyObject *args) {
  return callWithHandle(object, args, nereid_backend_release_pointer);
}

static PyObject *importPointer(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  const char *kind = "";
  unsigned long long handle = 0, size = 0;
  if (!PyArg_ParseTuple(args, "O&sO&O&", convertDevice, &device, &kind,
                        convertSize, &handle, convertSize, &size))
    return nullptr;
  nereid_address_t address = 0;
  nereid_import_t request = {sizeof request, 0, borrow(kind), handle, size};
  nereid_status_t status = nereid_backend_import_pointer(
      backendOf(object), device, &request, &address);
  return status == NEREID_OK ? PyLong_FromUnsignedLongLong(address)
                             : raise(status);
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
     "copy_peer(device, stream, address, source device, its address, size)"},
    {"allocate_host", guarded<allocateHost>, METH_VARARGS,
     "allocate_host(device, size) -> HostMemory"},
    {"memory_info", guarded<memoryInfo>, METH_O,
     "memory_info(device) -> (free, total)"},
    {"fill", guarded<fill>, METH_VARARGS,
     "fill(device, stream, address, pattern, count)"},
    {"import_pointer", guarded<importPointer>, METH_VARARGS,
     "import_pointer(device, kind, handle, size) -> address"},
    {"release_pointer", guarded<releasePointer>, METH_VARARGS,
     "release_pointer(device, address)"},
    {}};

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
  (void)nereid_backend_free_host(backendOf(memory->backend), memory->device,
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
