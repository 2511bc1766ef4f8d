// dispatch.cpp - kernel[grid](...) without Triton's JIT, for calls seen before.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A call is forwarded to Triton's JIT unless an earlier call that is equal in
// everything that Triton specializes on was forwarded, and its compiled kernel
// recorded here. Everything unusual (hooks, debugging, another driver, unknown
// kinds of arguments) is forwarded, too: Triton's JIT is the specification.

#include "dispatch.h"
#include "devices.h"
#include "known_calls.h"
#include "launcher.h"

#include <structmember.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace nereid::python {

namespace {
/// A setting that makes calls go to Triton unless it has its usual value. It is
/// stored in `values` if the program set it, else in the class.
struct Setting {
  Ref values, name;
  Ref calls; // the class's list of hooks; null: the class's value is false
};

/// The arguments of install_dispatcher(), common to all functions.
struct Configuration {
  Ref driverState, activeName, driver; // driverState[activeName] is driver
  Devices devices;
  Ref describe;                // callable: JITFunction -> parameters
  Ref tensor, parameter, home; // of `types`
  TensorTypes types;
  std::vector<Setting> settings;
};

/// A JITFunction; removed when it is destroyed.
struct Function {
  Ref weak;
  KnownCalls calls;
};

struct BoundObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject *function, *grid;
};
} // namespace

// Never destroyed: the interpreter ends before the globals of this library.
static auto &configuration = *new std::unique_ptr<Configuration>;
static auto &functions = *new std::unordered_map<PyObject *, Function>;
static PyTypeObject *boundType = nullptr;
static struct {
  PyObject *run, *grid, *warmup, *debug, *calls, *dtype, *usedGlobals,
      *preRunHooks;
} words;

// ----------------------------------------------------------- usual settings

/// True for false values and for empty lists of hooks.
static bool isUsual(PyObject *value) {
  Ref calls(PyObject_GetAttr(value, words.calls));
  if (!calls)
    PyErr_Clear();
  int truth = PyObject_IsTrue(calls ? calls.get() : value);
  if (truth < 0)
    PyErr_Clear();
  return truth == 0;
}

static bool isUsual(const Setting &setting) {
  if (PyObject *own =
          PyDict_GetItemWithError(setting.values.get(), setting.name.get()))
    return isUsual(own);
  return !setting.calls || PyList_GET_SIZE(setting.calls.get()) == 0;
}

static bool isUsual(const Configuration &config) {
  PyObject *active = PyDict_GetItemWithError(config.driverState.get(),
                                             config.activeName.get());
  if (active != config.driver.get())
    return false;
  for (const Setting &setting : config.settings)
    if (!isUsual(setting))
      return false;
  return true;
}

/// Whether the globals that the kernel was compiled with are unchanged.
static bool hasOldGlobals(PyObject *function) {
  Ref used(PyObject_GetAttr(function, words.usedGlobals));
  if (!used || !PyDict_Check(used.get()))
    return false;
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (PyDict_Next(used.get(), &at, &key, &value)) {
    PyObject *now = PyDict_GetItemWithError(PyTuple_GET_ITEM(value, 1),
                                            PyTuple_GET_ITEM(key, 0));
    PyObject *then = PyTuple_GET_ITEM(value, 0);
    if (now != then &&
        (!now || PyObject_RichCompareBool(now, then, Py_EQ) != 1))
      return false;
  }
  return true;
}

static bool isUsual(PyObject *function, PyObject *attribute) {
  Ref value(PyObject_GetAttr(function, attribute));
  return value && PyObject_IsTrue(value.get()) == 0;
}

/// Whether the function has no debugging and no hooks, and its globals are
/// unchanged.
static bool isUsualFunction(PyObject *function) {
  bool usual = isUsual(function, words.debug) &&
               isUsual(function, words.preRunHooks) && hasOldGlobals(function);
  if (!usual)
    PyErr_Clear();
  return usual;
}

// ---------------------------------------------------------------- launching

/// The sizes of the grid. A grid function is called with a dict of all
/// parameters.
static Ref gridOf(const KnownCalls &calls, const Call &call) {
  if (!PyCallable_Check(call.grid))
    return Ref::borrow(call.grid);
  Ref bound(PyDict_New());
  for (size_t i = 0; bound && i < call.arguments.size(); ++i)
    if (PyDict_SetItem(bound.get(), calls.parameters()[i].name.get(),
                       call.arguments[i].object) < 0)
      return Ref();
  return bound ? Ref(PyObject_CallOneArg(call.grid, bound.get())) : Ref();
}

static bool readGrid(PyObject *object, Grid &out) {
  Ref items(PySequence_Fast(
      object, "the grid is not a sequence, expected 1 to 3 sizes"));
  if (!items)
    return false;
  Py_ssize_t rank = PySequence_Fast_GET_SIZE(items.get());
  if (rank < 1) {
    PyErr_SetString(PyExc_IndexError,
                    "the grid is empty, expected 1 to 3 sizes");
    return false;
  }
  out = {1, 1, 1};
  uint32_t *sizes[] = {&out.x, &out.y, &out.z};
  for (Py_ssize_t i = 0; i < std::min<Py_ssize_t>(rank, 3); ++i)
    if (!readGridSize(PySequence_Fast_GET_ITEM(items.get(), i), *sizes[i]))
      return false;
  return true;
}

/// See InstalledDevices.
static Devices *installedDevices() {
  return configuration ? &configuration->devices : nullptr;
}

static PyObject *launchKnown(const KnownCalls &calls, const KnownCall &known,
                             const Call &call, Ref result) {
  // A grid function, or another thread while the kernel runs, may change the
  // known calls.
  Ref alive = Ref::borrow(known.loaded.get());
  Ref launcher = Ref::borrow(known.launcher.get());
  auto *loaded = reinterpret_cast<KernelObject *>(alive.get());
  Block block(loaded->blockSize);
  if (!block.get())
    return PyErr_NoMemory();
  size_t next = 0;
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (known.reaches[i]) {
      const Slot &slot = (*loaded->slots)[next];
      if (!packClassified(slot, call.arguments[i],
                          static_cast<Py_ssize_t>(next), block.get()))
        return nullptr;
      ++next;
    }
  Ref sizes = gridOf(calls, call);
  Grid grid;
  if (!sizes || !readGrid(sizes.get(), grid))
    return nullptr;
  nereid_stream_t stream = 0;
  if (!findStream(installedDevices, loaded, stream))
    return nullptr;
  return launchBy(launcher.get(), loaded, grid, stream, block.get())
             ? result.release()
             : nullptr;
}

/// function.run(*args, grid=grid, warmup=False, **named)
static Ref callTriton(const Call &call) {
  Py_ssize_t named = call.names ? PyTuple_GET_SIZE(call.names) : 0;
  std::vector<PyObject *> args = {call.function};
  args.insert(args.end(), call.args, call.args + call.count + named);
  args.push_back(call.grid);
  args.push_back(Py_False);
  Ref names(PyTuple_New(named + 2));
  if (!names)
    return Ref();
  for (Py_ssize_t i = 0; i < named; ++i)
    PyTuple_SET_ITEM(names.get(), i,
                     Ref::borrow(PyTuple_GET_ITEM(call.names, i)).release());
  PyTuple_SET_ITEM(names.get(), named, Ref::borrow(words.grid).release());
  PyTuple_SET_ITEM(names.get(), named + 1, Ref::borrow(words.warmup).release());
  return Ref(PyObject_VectorcallMethod(words.run, args.data(),
                                       static_cast<size_t>(call.count) + 1,
                                       names.get()));
}

// --------------------------------------------------------------- functions

/// Called with the address of a JITFunction that was destroyed.
static PyObject *forget(PyObject *address, PyObject *) {
  functions.erase(static_cast<PyObject *>(PyLong_AsVoidPtr(address)));
  Py_RETURN_NONE;
}

/// The known calls of \p function; null with an error set.
static KnownCalls *callsOf(PyObject *function) {
  auto known = functions.find(function);
  if (known != functions.end())
    return &known->second.calls;
  static PyMethodDef method = {"forget", forget, METH_O, nullptr};
  Ref address(PyLong_FromVoidPtr(function));
  Ref callback(address ? PyCFunction_New(&method, address.get()) : nullptr);
  Ref weak(callback ? PyWeakref_NewRef(function, callback.get()) : nullptr);
  Ref parameters(
      weak ? PyObject_CallOneArg(configuration->describe.get(), function)
           : nullptr);
  if (!parameters)
    return nullptr;
  Function made = {std::move(weak), KnownCalls(parameters.get())};
  return &functions.emplace(function, std::move(made)).first->second.calls;
}

// ------------------------------------------------------------ kernel[grid]

/// The known calls of \p function; null if a setting is unusual.
static KnownCalls *usualCallsOf(PyObject *function) {
  if (!configuration || !isUsual(*configuration) || !isUsualFunction(function))
    return nullptr;
  KnownCalls *calls = callsOf(function);
  if (!calls)
    PyErr_Clear();
  return calls;
}

static PyObject *callBound(PyObject *object, PyObject *const *args,
                           size_t flags, PyObject *names) {
  auto *bound = reinterpret_cast<BoundObject *>(object);
  Call call = {.function = bound->function,
               .grid = bound->grid,
               .args = args,
               .count = PyVectorcall_NARGS(flags),
               .names = names};
  KnownCalls *calls = usualCallsOf(call.function);
  bool isRead = calls && findDevice(installedDevices, call) &&
                calls->read(call, configuration->types);
  if (isRead) {
    Ref found;
    if (const KnownCall *known = calls->find(call, found))
      return launchKnown(*calls, *known, call, std::move(found));
  }
  Ref device = Ref::borrow(call.device); // the call may install another driver
  Ref compiled = callTriton(call);
  if (compiled && isRead)
    if (KnownCalls *now = usualCallsOf(call.function))
      now->learn(call, compiled.get());
  return compiled.release();
}

/// JITFunction.__getitem__(grid)
static PyObject *getItem(PyObject *function, PyObject *grid) {
  PyObject *object = boundType->tp_alloc(boundType, 0);
  if (!object)
    return nullptr;
  auto *bound = reinterpret_cast<BoundObject *>(object);
  bound->call = guarded<callBound>;
  bound->function = Ref::borrow(function).release();
  bound->grid = Ref::borrow(grid).release();
  return object;
}

static int traverse(PyObject *object, visitproc visit, void *arg) {
  auto *bound = reinterpret_cast<BoundObject *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(bound->function);
  Py_VISIT(bound->grid);
  return 0;
}

static int clear(PyObject *object) {
  auto *bound = reinterpret_cast<BoundObject *>(object);
  Py_CLEAR(bound->function);
  Py_CLEAR(bound->grid);
  return 0;
}

static void dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// ------------------------------------------------------------ installation

static bool readSettings(PyObject *list, std::vector<Setting> &out) {
  Ref items(PySequence_Fast(list, "expected a list of settings"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get());
       ++i) {
    PyObject *values, *name, *calls;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "O!OO",
                          &PyDict_Type, &values, &name, &calls))
      return false;
    out.push_back({Ref::borrow(values), Ref::borrow(name),
                   PyList_Check(calls) ? Ref::borrow(calls) : Ref()});
  }
  return bool(items);
}

/// install_dispatcher(jit_class, driver_state, active_name, driver,
///                    (devices, current_device, torch_stream, import_stream),
///                    describe, (tensor, parameter, home), settings)
static PyObject *install(PyObject *, PyObject *args) {
  static PyMethodDef method = {"__getitem__", getItem, METH_O,
                               "kernel[grid], which launches when called."};
  PyObject *jit, *state, *name, *driver, *devices, *current, *torchStream,
      *importStream, *describe, *tensor, *parameter, *home, *settings;
  if (!PyArg_ParseTuple(args, "O!O!UO(O!OOO)O(OOU)O", &PyType_Type, &jit,
                        &PyDict_Type, &state, &name, &driver, &PyTuple_Type,
                        &devices, &current, &torchStream, &importStream,
                        &describe, &tensor, &parameter, &home, &settings))
    return nullptr;
  auto next = std::make_unique<Configuration>();
  if (!readSettings(settings, next->settings) ||
      !next->devices.set(devices, current, torchStream, importStream))
    return nullptr;
  next->driverState = Ref::borrow(state);
  next->activeName = Ref::borrow(name);
  next->driver = Ref::borrow(driver);
  next->describe = Ref::borrow(describe);
  next->tensor = Ref::borrow(tensor);
  next->parameter = Ref::borrow(parameter);
  next->home = Ref::borrow(home);
  Ref descriptor(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(jit), &method));
  if (!descriptor ||
      PyObject_SetAttrString(jit, method.ml_name, descriptor.get()) < 0)
    return nullptr;
  next->types = {tensor, parameter, words.dtype, home};
  functions.clear();
  configuration = std::move(next);
  Py_RETURN_NONE;
}

/// remove_dispatcher(): from then on every call goes to Triton.
static PyObject *remove(PyObject *, PyObject *) {
  functions.clear();
  configuration.reset();
  Py_RETURN_NONE;
}

static bool addWords() {
  const std::pair<PyObject **, const char *> all[] = {
      {&words.run, "run"},
      {&words.grid, "grid"},
      {&words.warmup, "warmup"},
      {&words.debug, "debug"},
      {&words.calls, "calls"},
      {&words.dtype, "dtype"},
      {&words.usedGlobals, "used_global_vals"},
      {&words.preRunHooks, "pre_run_hooks"}};
  for (auto [word, spelling] : all) {
    *word = PyUnicode_InternFromString(spelling);
    if (!*word)
      return false;
  }
  return true;
}

bool addDispatcher(PyObject *module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(BoundObject, call), READONLY,
                                   nullptr},
                                  {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_clear, reinterpret_cast<void *>(clear)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char *>("A kernel and the grid to launch it on.")},
      {}};
  static PyType_Spec spec = {"nereid._nereid.Bound", sizeof(BoundObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                 Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  static PyMethodDef methods[] = {
      {"install_dispatcher", guarded<install>, METH_VARARGS,
       "Puts the dispatcher in front of Triton's JITFunction."},
      {"remove_dispatcher", remove, METH_NOARGS, "Takes it away again."},
      {}};
  boundType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return boundType && addWords() && makeCallNames() &&
         PyModule_AddFunctions(module, methods) == 0;
}

} // namespace nereid::python
