// archive.cpp - an archive, its state on a device, and its kernels there. Each
// keeps the one before alive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive.h"

#include "backend.h"
#include "kernel.h"

#include <vector>

namespace nereid::python {

namespace {
struct ArchiveObject {
  PyObject_HEAD nereid_archive_t *archive;
};

struct DeviceObject {
  PyObject_HEAD nereid_archive_device_t *loaded;
  PyObject *archive, *backend; // kept alive
  uint32_t device;
};

struct ArchivedObject {
  PyObject_HEAD DeviceObject *device; // kept alive
  std::vector<Slot> *slots;
  uint64_t blockSize;
  uint32_t number;
};
} // namespace

static PyTypeObject *archiveType = nullptr, *deviceType = nullptr,
                    *archivedType = nullptr;

static nereid_archive_t *archiveOf(PyObject *object) {
  return reinterpret_cast<ArchiveObject *>(object)->archive;
}
static DeviceObject *deviceOf(PyObject *object) {
  return reinterpret_cast<DeviceObject *>(object);
}
static ArchivedObject *kernelOf(PyObject *object) {
  return reinterpret_cast<ArchivedObject *>(object);
}
static nereid_archive_t *archiveOf(const ArchivedObject *kernel) {
  return archiveOf(kernel->device->archive);
}

static void freeObject(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// ---- Archive

PyObject *openArchive(PyObject *, PyObject *path) {
  std::string_view wanted;
  if (!readBytes(path, wanted))
    return nullptr;
  Ref object(archiveType->tp_alloc(archiveType, 0));
  if (!object)
    return nullptr;
  nereid_archive_open_t request = {};
  request.struct_size = sizeof request;
  request.path = borrow(wanted);
  if (wanted.empty())
    return raise(NEREID_INVALID_ARGUMENT, "error: the path is empty");
  nereid_status_t status = nereid_archive_open(
      &request, &reinterpret_cast<ArchiveObject *>(object.get())->archive);
  return status == NEREID_OK ? object.release() : raise(status);
}

static void freeArchive(PyObject *object) {
  nereid_archive_destroy(archiveOf(object));
  freeObject(object);
}

static PyObject *kernelNames(PyObject *object, void *) {
  nereid_archive_info_t info = {};
  info.struct_size = sizeof info;
  (void)nereid_archive_info(archiveOf(object), &info);
  Ref list(PyList_New(0));
  for (uint32_t i = 0; list && i < info.kernel_count; ++i) {
    nereid_archive_kernel_t kernel = {};
    kernel.struct_size = sizeof kernel;
    if (nereid_status_t status =
            nereid_archive_kernel(archiveOf(object), i, &kernel))
      return raise(status);
    Ref name(toStr(kernel.name));
    if (!name || PyList_Append(list.get(), name.get()) < 0)
      return nullptr;
  }
  return list.release();
}

static PyObject *find(PyObject *object, PyObject *name) {
  std::string_view wanted;
  uint32_t kernel = 0;
  if (!readBytes(name, wanted))
    return nullptr;
  if (nereid_status_t status =
          nereid_archive_find(archiveOf(object), borrow(wanted), &kernel))
    return raise(status);
  return PyLong_FromUnsignedLong(kernel);
}

static PyObject *group(PyObject *object, PyObject *name) {
  std::string_view wanted;
  const uint32_t *kernels = nullptr;
  uint64_t count = 0;
  if (!readBytes(name, wanted))
    return nullptr;
  if (nereid_status_t status = nereid_archive_group(
          archiveOf(object), borrow(wanted), &kernels, &count))
    return raise(status);
  Ref list(PyList_New(0));
  for (uint64_t i = 0; list && i < count; ++i) {
    Ref number(PyLong_FromUnsignedLong(kernels[i]));
    if (!number || PyList_Append(list.get(), number.get()) < 0)
      return nullptr;
  }
  return list.release();
}

static PyObject *describe(PyObject *object, PyObject *args) {
  PyObject *number = Py_None;
  if (!PyArg_ParseTuple(args, "|O", &number))
    return nullptr;
  nereid_buffer_t *json = nullptr;
  nereid_status_t status;
  if (number == Py_None) {
    status = nereid_archive_describe(archiveOf(object), &json);
  } else {
    uint32_t kernel = 0;
    if (!readDevice(number, kernel))
      return nullptr;
    status = nereid_archive_describe_kernel(archiveOf(object), kernel, &json);
  }
  return takeText(status, json);
}

static PyObject *verify(PyObject *object, PyObject *) {
  nereid_status_t status;
  std::string reason;
  {
    WithoutGil unlocked;
    status = nereid_archive_verify(archiveOf(object));
    if (status != NEREID_OK)
      reason = view(nereid_error());
  }
  if (status != NEREID_OK)
    return raise(status, reason);
  Py_RETURN_NONE;
}

static PyObject *load(PyObject *object, PyObject *args) {
  PyObject *backend = nullptr;
  uint32_t device = 0;
  unsigned int flags = 0;
  if (!PyArg_ParseTuple(args, "O!O&I", backendType, &backend, convertDevice,
                        &device, &flags))
    return nullptr;
  Ref made(deviceType->tp_alloc(deviceType, 0));
  if (!made)
    return nullptr;
  DeviceObject *loaded = deviceOf(made.get());
  loaded->archive = Ref::borrow(object).release();
  loaded->backend = Ref::borrow(backend).release();
  loaded->device = device;
  nereid_status_t status = nereid_archive_load(
      archiveOf(object), backendOf(backend), device, flags, &loaded->loaded);
  return status == NEREID_OK ? made.release() : raise(status);
}

// ---- ArchiveDevice

static void freeDevice(PyObject *object) {
  DeviceObject *device = deviceOf(object);
  nereid_archive_device_destroy(device->loaded);
  Py_XDECREF(device->backend);
  Py_XDECREF(device->archive);
  freeObject(object);
}

static PyObject *getKernel(PyObject *object, PyObject *number) {
  uint32_t place = 0;
  if (!readDevice(number, place))
    return nullptr;
  Ref made(archivedType->tp_alloc(archivedType, 0));
  if (!made)
    return nullptr;
  ArchivedObject *kernel = kernelOf(made.get());
  kernel->slots = new std::vector<Slot>;
  kernel->device = deviceOf(Ref::borrow(object).release());
  kernel->number = place;
  nereid_archive_kernel_t info = {};
  info.struct_size = sizeof info;
  nereid_status_t status =
      nereid_archive_kernel(archiveOf(kernel), place, &info);
  for (uint32_t i = 0; status == NEREID_OK && i < info.argument_count; ++i) {
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    status = nereid_archive_argument(archiveOf(kernel), place, i, &argument);
    if (status == NEREID_OK && !addSlot(argument, *kernel->slots))
      return nullptr;
  }
  kernel->blockSize = info.arguments_size;
  return status == NEREID_OK ? made.release() : raise(status);
}

// ---- ArchiveKernel

static void freeKernel(PyObject *object) {
  ArchivedObject *kernel = kernelOf(object);
  delete kernel->slots;
  Py_XDECREF(reinterpret_cast<PyObject *>(kernel->device));
  freeObject(object);
}

static PyObject *kernelName(PyObject *object, void *) {
  nereid_archive_kernel_t info = {};
  info.struct_size = sizeof info;
  ArchivedObject *kernel = kernelOf(object);
  (void)nereid_archive_kernel(archiveOf(kernel), kernel->number, &info);
  return toStr(info.name);
}

/// [(name, type, offset, size), ...]
static PyObject *kernelArguments(PyObject *object, void *) {
  ArchivedObject *kernel = kernelOf(object);
  Ref list(PyList_New(0));
  for (uint32_t i = 0; list && i < kernel->slots->size(); ++i) {
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    (void)nereid_archive_argument(archiveOf(kernel), kernel->number, i,
                                  &argument);
    if (!appendArgument(list.get(), argument))
      return nullptr;
  }
  return list.release();
}

static PyObject *kernelBackend(PyObject *object, void *) {
  return Ref::borrow(kernelOf(object)->device->backend).release();
}

static PyObject *kernelDevice(PyObject *object, void *) {
  return PyLong_FromUnsignedLong(kernelOf(object)->device->device);
}

/// What a launch takes from the caller: libnereid allocates scratch memory, and
/// the rest depends on the variant.
static PyObject *kernelResources(PyObject *, void *) {
  return Py_BuildValue("{s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "registers", -1,
                       "spills", -1, "max_threads", -1, "shared", -1,
                       "resident_programs", 0, "scratch_size", 0,
                       "scratch_alignment", 0);
}

static PyObject *prepare(PyObject *object, PyObject *) {
  ArchivedObject *kernel = kernelOf(object);
  nereid_status_t status;
  std::string reason;
  {
    WithoutGil unlocked;
    status = nereid_archive_prepare(kernel->device->loaded, kernel->number);
    if (status != NEREID_OK)
      reason = view(nereid_error());
  }
  if (status != NEREID_OK)
    return raise(status, reason);
  Py_RETURN_NONE;
}

static PyObject *explain(PyObject *object, PyObject *) {
  ArchivedObject *kernel = kernelOf(object);
  nereid_buffer_t *json = nullptr;
  nereid_status_t status =
      nereid_archive_explain(kernel->device->loaded, kernel->number, &json);
  return takeText(status, json);
}

/// launch(grid, stream, scratch, *arguments), as of Kernel.
static PyObject *launchKernel(PyObject *object, PyObject *const *args,
                              Py_ssize_t count) {
  ArchivedObject *kernel = kernelOf(object);
  Block block(kernel->blockSize);
  Launch read;
  if (!readLaunch(args, count, *kernel->slots, block, read))
    return nullptr;
  nereid_launch_t request = requestOf(read, kernel->blockSize);
  nereid_status_t status;
  std::string reason;
  {
    // The first launch reads an image.
    WithoutGil unlocked;
    status =
        nereid_archive_launch(kernel->device->loaded, kernel->number, &request);
    if (status != NEREID_OK)
      reason = view(nereid_error());
  }
  if (status != NEREID_OK)
    return raise(status, reason);
  Py_RETURN_NONE;
}

static PyTypeObject *addType(PyObject *module, PyType_Spec &spec) {
  auto *type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return type && PyModule_AddType(module, type) == 0 ? type : nullptr;
}

static bool addArchiveType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"find", guarded<find>, METH_O, "The number of a kernel."},
      {"group", guarded<group>, METH_O, "The numbers of a group's kernels."},
      {"describe", guarded<describe>, METH_VARARGS,
       "describe([kernel]): the archive or a kernel as JSON."},
      {"verify", guarded<verify>, METH_NOARGS, "Reads and checks every byte."},
      {"load", guarded<load>, METH_VARARGS, "load(backend, device, flags)"},
      {}};
  static PyGetSetDef getters[] = {{"names", guarded<kernelNames>, nullptr,
                                   "The names of its kernels.", nullptr},
                                  {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeArchive)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_tp_doc, const_cast<char *>("Kernels compiled ahead of time.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.Archive", sizeof(ArchiveObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return (archiveType = addType(module, spec));
}

static bool addDeviceType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"kernel", guarded<getKernel>, METH_O, "The kernel of a number."}, {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeDevice)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char *>("An archive on one device.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.ArchiveDevice", sizeof(DeviceObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return (deviceType = addType(module, spec));
}

static bool addKernelOfArchiveType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"prepare", guarded<prepare>, METH_NOARGS, "Loads its images now."},
      {"explain", guarded<explain>, METH_NOARGS,
       "Which images it uses and why, as JSON."},
      {"launch", method(guarded<launchKernel>), METH_FASTCALL,
       "launch(grid, stream, scratch, *arguments)"},
      {}};
  static PyGetSetDef getters[] = {
      {"name", guarded<kernelName>, nullptr, nullptr, nullptr},
      {"arguments", guarded<kernelArguments>, nullptr,
       "A list of (name, type, offset, size).", nullptr},
      {"backend", guarded<kernelBackend>, nullptr, nullptr, nullptr},
      {"device", guarded<kernelDevice>, nullptr, nullptr, nullptr},
      {"resources", guarded<kernelResources>, nullptr, nullptr, nullptr},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeKernel)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_tp_doc, const_cast<char *>("A kernel of an archive on a device.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.ArchiveKernel", sizeof(ArchivedObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return (archivedType = addType(module, spec));
}

bool addArchiveTypes(PyObject *module) {
  return addArchiveType(module) && addDeviceType(module) &&
         addKernelOfArchiveType(module);
}

} // namespace nereid::python
