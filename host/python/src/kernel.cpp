// kernel.cpp - a loaded kernel and its launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel.h"

#include <chrono>

namespace nereid::python {

PyTypeObject *kernelType = nullptr;

// Releasing the GIL and acquiring it again costs up to a switch interval (5 ms)
// if other threads wait for it: not worth it for shorter kernels.
static constexpr double kWorthReleasing = 20000; // nanoseconds

static KernelObject *self(PyObject *object) {
  return reinterpret_cast<KernelObject *>(object);
}

PyObject *loadKernel(PyObject *backendObject, nereid_backend_t *backend,
                     uint32_t device, const nereid_artifact_t *artifact) {
  Ref object(kernelType->tp_alloc(kernelType, 0));
  if (!object)
    return nullptr;
  KernelObject *kernel = self(object.get());
  kernel->slots = new std::vector<Slot>;
  kernel->backend = Ref::borrow(backendObject).release();
  kernel->device = device;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = nereid_function_load(backend, device, artifact, &kernel->function);
  }
  if (status != NEREID_OK)
    return raise(status);
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  (void)nereid_function_info(kernel->function, &info);
  kernel->blockSize = info.arguments_size;
  kernel->scratchSize = info.scratch_size;
  kernel->scratchAlignment = info.scratch_alignment;
  return readSlots(kernel->function, *kernel->slots) ? object.release()
                                                     : nullptr;
}

static void dealloc(PyObject *object) {
  KernelObject *kernel = self(object);
  PyTypeObject *type = Py_TYPE(object);
  nereid_function_destroy(kernel->function);
  delete kernel->slots;
  Py_XDECREF(kernel->backend);
  type->tp_free(object);
  Py_DECREF(type);
}

bool readGridSize(PyObject *object, uint32_t &out) {
  long long size = 0;
  if (PyLong_Check(object)) [[likely]]
    size = PyLong_AsLongLong(object);
  else if (Ref number{PyNumber_Index(object)})
    size = PyLong_AsLongLong(number.get());
  if (PyErr_Occurred())
    return false;
  if (size > INT32_MAX) {
    PyErr_Format(PyExc_OverflowError,
                 "the grid has %lld programs along one axis, expected at most "
                 "2^31 - 1",
                 size);
    return false;
  }
  out = size > 0 ? static_cast<uint32_t>(size) : 0;
  return true;
}

bool readScratchSize(const KernelObject *kernel, Grid grid, uint64_t &out) {
  out = kernel->scratchSize;
  for (uint32_t programs : {grid.x, grid.y, grid.z})
    if (__builtin_mul_overflow(out, uint64_t(programs), &out)) {
      PyErr_Format(PyExc_OverflowError,
                   "%llu bytes of scratch memory for each of %u x %u x %u "
                   "programs are more than 2^64",
                   static_cast<unsigned long long>(kernel->scratchSize), grid.x,
                   grid.y, grid.z);
      return false;
    }
  return true;
}

nereid_launch_t requestOf(const Launch &launch, uint64_t blockSize) {
  nereid_launch_t request = {};
  request.struct_size = sizeof request;
  request.grid[0] = launch.grid.x;
  request.grid[1] = launch.grid.y;
  request.grid[2] = launch.grid.z;
  request.stream = launch.stream;
  request.arguments = launch.block;
  request.arguments_size = blockSize;
  request.flags = launch.flags;
  request.scratch = launch.scratch;
  request.scratch_size = launch.scratchSize;
  return request;
}

static nereid_status_t launchTimed(KernelObject *kernel, const Launch &launch) {
  using Clock = std::chrono::steady_clock;
  Grid grid = launch.grid;
  nereid_launch_t request = requestOf(launch, kernel->blockSize);
  Clock::time_point start = Clock::now();
  nereid_status_t status = nereid_function_launch(kernel->function, &request);
  std::chrono::duration<double, std::nano> took = Clock::now() - start;
  kernel->programTime.store(took.count() / (double(grid.x) * grid.y * grid.z),
                            std::memory_order_relaxed);
  return status;
}

bool launch(KernelObject *kernel, const Launch &launch) {
  Grid grid = launch.grid;
  double programs = double(grid.x) * grid.y * grid.z;
  if (programs == 0)
    return true;
  double expected =
      kernel->programTime.load(std::memory_order_relaxed) * programs;
  nereid_status_t status;
  if (expected > 0 && expected < kWorthReleasing) {
    status = launchTimed(kernel, launch);
  } else {
    Ref alive = Ref::borrow(reinterpret_cast<PyObject *>(kernel));
    WithoutGil unlocked;
    status = launchTimed(kernel, launch);
  }
  if (status == NEREID_OK) [[likely]]
    return true;
  kernel->programTime.store(0, std::memory_order_relaxed);
  raise(status);
  return false;
}

bool readGridSizes(PyObject *object, Grid &out) {
  out = {1, 1, 1};
  uint32_t *sizes[] = {&out.x, &out.y, &out.z};
  Ref items(PySequence_Fast(
      object, "the grid is not a sequence, expected 1 to 3 sizes"));
  if (!items)
    return false;
  Py_ssize_t rank = PySequence_Fast_GET_SIZE(items.get());
  if (rank < 1 || rank > 3) {
    PyErr_Format(PyExc_ValueError, "the grid has %zd numbers, expected 1 to 3",
                 rank);
    return false;
  }
  for (Py_ssize_t i = 0; i < rank; ++i)
    if (!readGridSize(PySequence_Fast_GET_ITEM(items.get(), i), *sizes[i]))
      return false;
  return true;
}

bool readLaunch(PyObject *const *args, Py_ssize_t count,
                const std::vector<Slot> &slots, Block &block, Launch &out) {
  constexpr Py_ssize_t kFirst = 3;
  if (count != static_cast<Py_ssize_t>(slots.size()) + kFirst) {
    PyErr_Format(PyExc_TypeError,
                 "the kernel takes %zu arguments, %zd were given", slots.size(),
                 count - kFirst);
    return false;
  }
  if (!readGridSizes(args[0], out.grid))
    return false;
  out.stream = PyLong_AsUnsignedLongLong(args[1]);
  if (PyErr_Occurred())
    return false;
  unsigned long long scratch = 0, scratchSize = 0;
  if (args[2] != Py_None &&
      !PyArg_ParseTuple(args[2], "KK", &scratch, &scratchSize))
    return false;
  out.scratch = scratch;
  out.scratchSize = scratchSize;
  if (!block.get()) {
    PyErr_NoMemory();
    return false;
  }
  for (size_t i = 0; i < slots.size(); ++i)
    if (!pack(slots[i], args[i + kFirst], static_cast<Py_ssize_t>(i),
              block.get()))
      return false;
  out.block = block.get();
  return true;
}

static PyObject *launchMethod(PyObject *object, PyObject *const *args,
                              Py_ssize_t count) {
  KernelObject *kernel = self(object);
  Block block(kernel->blockSize);
  Launch request;
  if (!readLaunch(args, count, *kernel->slots, block, request) ||
      !launch(kernel, request))
    return nullptr;
  Py_RETURN_NONE;
}

/// [(name, type, offset, size), ...]
static PyObject *arguments(PyObject *object, void *) {
  const nereid_function_t *function = self(object)->function;
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  (void)nereid_function_info(function, &info);
  Ref list(PyList_New(0));
  for (uint32_t i = 0; list && i < info.argument_count; ++i) {
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    (void)nereid_function_argument(function, i, &argument);
    if (!appendArgument(list.get(), argument))
      return nullptr;
  }
  return list.release();
}

static PyObject *name(PyObject *object, void *) {
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  (void)nereid_function_info(self(object)->function, &info);
  return toStr(info.name);
}

static PyObject *backend(PyObject *object, void *) {
  return Ref::borrow(self(object)->backend).release();
}

static PyObject *device(PyObject *object, void *) {
  return PyLong_FromUnsignedLong(self(object)->device);
}

/// {"registers", "spills", "max_threads", "shared"}, of which -1 is unknown,
/// "resident_programs", of which 0 is unknown, and "scratch_size" of each
/// program and its "scratch_alignment".
static PyObject *resources(PyObject *object, void *) {
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  (void)nereid_function_info(self(object)->function, &info);
  return Py_BuildValue(
      "{s:i,s:i,s:i,s:L,s:I,s:K,s:K}", "registers", info.resources->registers,
      "spills", info.resources->spills, "max_threads",
      info.resources->max_threads, "shared",
      static_cast<long long>(info.resources->shared), "resident_programs",
      info.resources->resident_programs, "scratch_size",
      static_cast<unsigned long long>(info.scratch_size), "scratch_alignment",
      static_cast<unsigned long long>(info.scratch_alignment));
}

bool addKernelType(PyObject *module) {
  static PyMethodDef methods[] = {{"launch", method(guarded<launchMethod>),
                                   METH_FASTCALL,
                                   "launch(grid, stream, scratch, *arguments)"},
                                  {}};
  static PyGetSetDef getters[] = {
      {"name", name, nullptr, nullptr, nullptr},
      {"arguments", guarded<arguments>, nullptr,
       "A list of (name, type, offset, size).", nullptr},
      {"backend", backend, nullptr, "The plugin that it was loaded by.",
       nullptr},
      {"device", device, nullptr, "The number of its device.", nullptr},
      {"resources", resources, nullptr, nullptr, nullptr},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_tp_doc, const_cast<char *>("A kernel that is ready to launch.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.Kernel", sizeof(KernelObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  kernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return kernelType && PyModule_AddType(module, kernelType) == 0;
}

} // namespace nereid::python
