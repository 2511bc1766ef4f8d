// launcher.cpp - what Triton calls to launch a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Triton passes every parameter of the Python function, including constants;
// tuples and descriptors are passed as objects. The signature determines which
// of them are passed to the kernel, and as how many arguments.

#include "launcher.h"

#include <structmember.h>

#include <algorithm>
#include <memory>

namespace nereid::python {

namespace {
/// One parameter, or one item of a tuple.
struct Parameter {
  enum Kind : uint8_t { Constant, Value, Descriptor, Tuple } kind = Constant;
  uint8_t rank = 0;             // of a descriptor
  std::vector<Parameter> items; // of a tuple
};

struct LauncherObject {
  PyObject_HEAD vectorcallfunc call;
  std::vector<Parameter> *parameters;
  size_t pieces;      // arguments of the kernel
  uint32_t flags;     // of each launch
  PyObject *home;     // of tensors, as pack() takes it
  PyObject *allocate; // scratch memory: (kernel, size, alignment, stream)
};

/// One launch: walks parameters and the kernel's slots side by side.
class Packer {
public:
  Packer(const std::vector<Slot> &slots, char *block, PyObject *home)
      : slots(slots), block(block), home(home) {}
  bool add(const Parameter &parameter, PyObject *value);

private:
  bool addDescriptor(PyObject *descriptor, unsigned rank);
  bool addAll(PyObject *sequence, unsigned count);
  bool addTuple(const std::vector<Parameter> &items, PyObject *value);
  bool addOne(PyObject *value) {
    bool good =
        pack(slots[next], value, static_cast<Py_ssize_t>(next), block, home);
    ++next;
    return good;
  }

  const std::vector<Slot> &slots;
  char *block;
  PyObject *home;
  size_t next = 0;
};
} // namespace

static PyTypeObject *launcherType = nullptr;

/// The slots of a descriptor: a pointer, sizes, strides, two flags, and the
/// sizes and strides a second time.
static size_t piecesOfDescriptor(unsigned rank) { return 3 + 4 * size_t(rank); }

static size_t countPieces(const Parameter &parameter) {
  switch (parameter.kind) {
  case Parameter::Constant:
    return 0;
  case Parameter::Value:
    return 1;
  case Parameter::Descriptor:
    return piecesOfDescriptor(parameter.rank);
  case Parameter::Tuple:
    break;
  }
  size_t count = 0;
  for (const Parameter &item : parameter.items)
    count += countPieces(item);
  return count;
}

/// "tensordesc<fp16[64, 32]>" has rank 2.
static bool readRank(std::string_view type, uint8_t &rank) {
  size_t open = type.find('['), close = type.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos ||
      close < open)
    return false;
  std::string_view shape = type.substr(open, close - open);
  rank = static_cast<uint8_t>(std::ranges::count(shape, ',') + 1);
  return true;
}

static bool readParameter(PyObject *type, Parameter &out) {
  if (PyTuple_Check(type) || PyList_Check(type)) {
    out.kind = Parameter::Tuple;
    Ref items(PySequence_Fast(type, ""));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i)
      if (!readParameter(PySequence_Fast_GET_ITEM(items.get(), i),
                         out.items.emplace_back()))
        return false;
    return true;
  }
  std::string_view spelled;
  if (!readBytes(type, spelled))
    return false;
  out.kind = spelled == "constexpr" ? Parameter::Constant : Parameter::Value;
  if (!spelled.starts_with("tensordesc"))
    return true;
  out.kind = Parameter::Descriptor;
  if (readRank(spelled, out.rank))
    return true;
  PyErr_Format(PyExc_ValueError,
               "the descriptor type %R has no shape, expected "
               "tensordesc<dtype[sizes]>",
               type);
  return false;
}

bool Packer::addAll(PyObject *sequence, unsigned count) {
  Ref items(PySequence_Fast(sequence, "a descriptor's shape and strides are "
                                      "sequences"));
  if (!items)
    return false;
  if (PySequence_Fast_GET_SIZE(items.get()) != Py_ssize_t(count)) {
    PyErr_Format(PyExc_ValueError,
                 "a descriptor has %zd sizes or strides, expected %u",
                 PySequence_Fast_GET_SIZE(items.get()), count);
    return false;
  }
  for (unsigned i = 0; i < count; ++i)
    if (!addOne(PySequence_Fast_GET_ITEM(items.get(), i)))
      return false;
  return true;
}

/// 1 if the attribute exists and is true; -1 with an error set.
static int flagOf(PyObject *object, PyObject *name) {
  Ref value(PyObject_GetAttr(object, name));
  if (value)
    return PyObject_IsTrue(value.get());
  if (!PyErr_ExceptionMatches(PyExc_AttributeError))
    return -1;
  PyErr_Clear(); // Triton 3.6 does not have this flag
  return 0;
}

bool Packer::addDescriptor(PyObject *descriptor, unsigned rank) {
  Ref base(PyObject_GetAttr(descriptor, names.base));
  Ref shape(base ? PyObject_GetAttr(descriptor, names.shape) : nullptr);
  Ref strides(shape ? PyObject_GetAttr(descriptor, names.strides) : nullptr);
  Ref padding(strides ? PyObject_GetAttr(descriptor, names.padding) : nullptr);
  if (!padding)
    return false;
  bool isNan = PyUnicode_Check(padding.get()) &&
               PyUnicode_CompareWithASCIIString(padding.get(), "nan") == 0;
  int round = flagOf(descriptor, names.roundToTf32);
  if (round < 0 || !addOne(base.get()) || !addAll(shape.get(), rank) ||
      !addAll(strides.get(), rank))
    return false;
  packInteger(slots[next++], isNan, block);
  packInteger(slots[next++], round, block);
  return addAll(shape.get(), rank) && addAll(strides.get(), rank);
}

bool Packer::addTuple(const std::vector<Parameter> &items, PyObject *value) {
  Ref given(PySequence_Fast(value, "expected a tuple, as in the signature"));
  if (!given)
    return false;
  if (PySequence_Fast_GET_SIZE(given.get()) != Py_ssize_t(items.size())) {
    PyErr_Format(PyExc_TypeError, "a tuple has %zd items, expected %zu",
                 PySequence_Fast_GET_SIZE(given.get()), items.size());
    return false;
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (!add(items[i], PySequence_Fast_GET_ITEM(given.get(), Py_ssize_t(i))))
      return false;
  return true;
}

bool Packer::add(const Parameter &parameter, PyObject *value) {
  switch (parameter.kind) {
  case Parameter::Constant:
    return true;
  case Parameter::Value:
    return addOne(value);
  case Parameter::Descriptor:
    return addDescriptor(value, parameter.rank);
  case Parameter::Tuple:
    return addTuple(parameter.items, value);
  }
  return false;
}

static bool callHook(PyObject *hook, PyObject *metadata) {
  if (hook == Py_None)
    return true;
  return bool(Ref(PyObject_CallOneArg(hook, metadata)));
}

static bool checkCount(const LauncherObject *launcher,
                       const KernelObject *kernel, Py_ssize_t given) {
  if (given != Py_ssize_t(launcher->parameters->size())) {
    PyErr_Format(PyExc_TypeError,
                 "%zd arguments were given, expected all %zu parameters of the "
                 "kernel, constants included",
                 given, launcher->parameters->size());
    return false;
  }
  if (launcher->pieces != kernel->slots->size()) {
    PyErr_Format(PyExc_TypeError,
                 "the signature has %zu arguments, the compiled kernel %zu",
                 launcher->pieces, kernel->slots->size());
    return false;
  }
  return true;
}

/// The address of \p buffer, which Triton's allocator returned.
static bool readAddress(PyObject *buffer, nereid_address_t &out) {
  Ref address(PyObject_CallMethodNoArgs(buffer, names.dataPtr));
  if (!address)
    return false;
  out = PyLong_AsUnsignedLongLong(address.get());
  return !PyErr_Occurred();
}

bool launchBy(PyObject *object, KernelObject *kernel, Grid grid,
              nereid_stream_t stream, const char *block) {
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  Launch request = {grid, stream, block, launcher->flags};
  if (!kernel->scratchSize) [[likely]]
    return launch(kernel, request);
  if (!readScratchSize(kernel, grid, request.scratchSize))
    return false;
  if (!request.scratchSize) // the launch has no programs
    return launch(kernel, request);
  Ref buffer(PyObject_CallFunction(
      launcher->allocate, "OKKK", reinterpret_cast<PyObject *>(kernel),
      static_cast<unsigned long long>(request.scratchSize),
      static_cast<unsigned long long>(kernel->scratchAlignment),
      static_cast<unsigned long long>(stream)));
  return buffer && readAddress(buffer.get(), request.scratch) &&
         launch(kernel, request);
}

/// launcher(grid_x, grid_y, grid_z, stream, kernel, packed_metadata,
///          launch_metadata, enter_hook, exit_hook, *arguments)
static PyObject *callLauncher(PyObject *object, PyObject *const *args,
                              size_t flags, PyObject *keywords) {
  constexpr Py_ssize_t kFirst = 9;
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (count < kFirst || keywords)
    return PyErr_Format(PyExc_TypeError,
                        "a launcher takes the grid, the stream, the kernel, "
                        "metadata, hooks and the kernel's arguments");
  if (!Py_IS_TYPE(args[4], kernelType))
    return PyErr_Format(PyExc_TypeError, "expected a kernel of Nereid, not %s",
                        Py_TYPE(args[4])->tp_name);
  auto *kernel = reinterpret_cast<KernelObject *>(args[4]);
  Grid grid;
  if (!checkCount(launcher, kernel, count - kFirst) ||
      !readGridSize(args[0], grid.x) || !readGridSize(args[1], grid.y) ||
      !readGridSize(args[2], grid.z))
    return nullptr;
  nereid_stream_t stream = PyLong_AsUnsignedLongLong(args[3]);
  if (PyErr_Occurred())
    return nullptr;
  Block block(kernel->blockSize);
  if (!block.get())
    return PyErr_NoMemory();
  Packer packer(*kernel->slots, block.get(), launcher->home);
  for (size_t i = 0; i < launcher->parameters->size(); ++i)
    if (!packer.add((*launcher->parameters)[i], args[kFirst + Py_ssize_t(i)]))
      return nullptr;
  if (!callHook(args[7], args[6]) ||
      !launchBy(object, kernel, grid, stream, block.get()) ||
      !callHook(args[8], args[6]))
    return nullptr;
  Py_RETURN_NONE;
}

bool isPlainLauncher(PyObject *object, const KernelObject *kernel,
                     std::vector<bool> &reaches) {
  if (!Py_IS_TYPE(object, launcherType))
    return false;
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  for (const Parameter &parameter : *launcher->parameters) {
    if (parameter.kind > Parameter::Value)
      return false;
    reaches.push_back(parameter.kind == Parameter::Value);
  }
  return launcher->pieces == kernel->slots->size();
}

/// Launcher(types, flags, allocate, home=None): one type or tuple of types for
/// each parameter; `allocate` makes scratch memory; `home` is the attribute
/// that is true for tensors in the memory of kernels, "is_cpu" if None.
static PyObject *newLauncher(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *types = nullptr, *allocate = nullptr, *home = Py_None;
  unsigned flags = 0;
  if (!PyArg_ParseTuple(args, "O!IO|O", &PyTuple_Type, &types, &flags,
                        &allocate, &home))
    return nullptr;
  auto parameters = std::make_unique<std::vector<Parameter>>();
  size_t pieces = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(types); ++i) {
    Parameter &parameter = parameters->emplace_back();
    if (!readParameter(PyTuple_GET_ITEM(types, i), parameter))
      return nullptr;
    pieces += countPieces(parameter);
  }
  PyObject *object = type->tp_alloc(type, 0);
  if (!object)
    return nullptr;
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  launcher->call = guarded<callLauncher>;
  launcher->parameters = parameters.release();
  launcher->pieces = pieces;
  launcher->flags = flags;
  launcher->allocate = Ref::borrow(allocate).release();
  launcher->home = home == Py_None ? nullptr : Ref::borrow(home).release();
  return object;
}

static void dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<LauncherObject *>(object)->parameters;
  Py_DECREF(reinterpret_cast<LauncherObject *>(object)->allocate);
  Py_XDECREF(reinterpret_cast<LauncherObject *>(object)->home);
  type->tp_free(object);
  Py_DECREF(type);
}

bool addLauncherType(PyObject *module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(LauncherObject, call), READONLY,
                                   nullptr},
                                  {}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(guarded<newLauncher>)},
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_doc,
       const_cast<char *>(
           "Launcher(types, flags, allocate, home=None): launches kernels of "
           "one signature, as Triton calls it.")},
      {}};
  static PyType_Spec spec = {"nereid._nereid.Launcher", sizeof(LauncherObject),
                             0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
                             slots};
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return launcherType && PyModule_AddType(module, launcherType) == 0;
}

} // namespace nereid::python
