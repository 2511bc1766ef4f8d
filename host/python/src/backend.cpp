// backend.cpp - one loaded plugin: facts, compiling and loading.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#include "artifact.h"
#include "kernel.h"
#include "values.h"

#include <atomic>
#include <vector>

#include <unistd.h>

namespace nereid::python {

PyTypeObject *backendType = nullptr;

PyObject *wrapBackend(nereid_backend_t *backend) {
  PyObject *object = backendType->tp_alloc(backendType, 0);
  if (object)
    reinterpret_cast<BackendObject *>(object)->backend = backend;
  return object;
}

static void dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static bool put(PyObject *dict, const char *key, Ref value) {
  return value && PyDict_SetItemString(dict, key, value.get()) == 0;
}

static PyObject *info(PyObject *object, PyObject *) {
  nereid_backend_info_t info = {};
  info.struct_size = sizeof info;
  if (nereid_status_t status = nereid_backend_info(backendOf(object), &info))
    return raise(status);
  Ref dict(PyDict_New());
  const std::pair<const char *, nereid_string_t> texts[] = {
      {"id", info.id},
      {"device_type", info.device_type},
      {"version", info.version},
      {"build_id", info.build_id},
      {"description", info.description},
      {"vendor_name", info.vendor_name},
      {"device_name", info.device_name},
      {"device_query_command", info.device_query_command},
      {"dispatch_key", info.dispatch_key},
      {"path", info.path},
      {"probe_reason", info.probe_reason},
  };
  for (auto [key, value] : texts)
    if (!dict || !put(dict.get(), key, Ref(toStr(value))))
      return nullptr;
  bool isHostCpu = info.probe_flags & NEREID_PROBE_IS_HOST_CPU;
  bool isByNameOnly = info.probe_flags & NEREID_PROBE_BY_NAME_ONLY;
  if (!put(dict.get(), "has_compiler",
           Ref(PyBool_FromLong(info.has_compiler))) ||
      !put(dict.get(), "has_driver", Ref(PyBool_FromLong(info.has_driver))) ||
      !put(dict.get(), "is_host_cpu", Ref(PyBool_FromLong(isHostCpu))) ||
      !put(dict.get(), "is_by_name_only", Ref(PyBool_FromLong(isByNameOnly))) ||
      !put(dict.get(), "score", Ref(PyLong_FromLong(info.score))) ||
      !put(dict.get(), "device_count", Ref(PyLong_FromLong(info.device_count))))
    return nullptr;
  return dict.release();
}

bool readDevice(PyObject *object, uint32_t &out) {
  int overflow = 0;
  long long device = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (device == -1 && !overflow && PyErr_Occurred())
    return false;
  if (overflow || device < 0 || device > UINT32_MAX) {
    PyErr_Format(PyExc_ValueError,
                 "%R is not the number of a device, expected one from 0",
                 object);
    return false;
  }
  out = static_cast<uint32_t>(device);
  return true;
}

int convertDevice(PyObject *object, void *out) {
  return readDevice(object, *static_cast<uint32_t *>(out));
}

int convertSize(PyObject *object, void *out) {
  unsigned long long value = PyLong_AsUnsignedLongLong(object);
  *static_cast<unsigned long long *>(out) = value;
  return value != static_cast<unsigned long long>(-1) || !PyErr_Occurred();
}

PyObject *noneOrRaise(nereid_status_t status) {
  if (status != NEREID_OK)
    return raise(status);
  Py_RETURN_NONE;
}

PyObject *callWithHandle(PyObject *object, PyObject *args,
                         nereid_status_t (*call)(nereid_backend_t *, uint32_t,
                                                 uint64_t)) {
  uint32_t device = 0;
  unsigned long long handle = 0;
  if (!PyArg_ParseTuple(args, "O&O&", convertDevice, &device, convertSize,
                        &handle))
    return nullptr;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = call(backendOf(object), device, handle);
  }
  return noneOrRaise(status);
}

static PyObject *target(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  if (nereid_status_t status =
          nereid_backend_target(backendOf(object), device, &target))
    return raise(status);
  Ref backend(toStr(target.backend)), arch(toStr(target.arch)),
      features(toStr(target.features));
  if (!backend || !arch || !features)
    return nullptr;
  return Py_BuildValue("(OOOi)", backend.get(), arch.get(), features.get(),
                       target.warp_size);
}

static PyObject *properties(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_buffer_t *json = nullptr;
  nereid_status_t status =
      nereid_backend_properties(backendOf(object), device, &json);
  return takeText(status, json);
}

/// The target of a device, or null for a backend without devices.
class DeviceTarget {
public:
  nereid_status_t read(nereid_backend_t *backend, uint32_t device) {
    nereid_backend_info_t info = {};
    info.struct_size = sizeof info;
    if (nereid_status_t status = nereid_backend_info(backend, &info))
      return status;
    hasTarget = info.has_driver && info.device_count;
    target.struct_size = sizeof target;
    return hasTarget ? nereid_backend_target(backend, device, &target)
                     : NEREID_OK;
  }
  const nereid_target_t *get() const { return hasTarget ? &target : nullptr; }

private:
  nereid_target_t target = {};
  bool hasTarget = false;
};

static PyObject *options(PyObject *object, PyObject *args) {
  uint32_t device = 0;
  if (!PyArg_ParseTuple(args, "|O&", convertDevice, &device))
    return nullptr;
  DeviceTarget target;
  if (nereid_status_t status = target.read(backendOf(object), device))
    return raise(status);
  nereid_buffer_t *json = nullptr;
  nereid_status_t status =
      nereid_backend_options(backendOf(object), target.get(), &json);
  return takeText(status, json);
}

/// Facts about the target of a device, as JSON.
static PyObject *factsOf(PyObject *object, PyObject *number,
                         nereid_status_t (*read)(const nereid_backend_t *,
                                                 const nereid_target_t *,
                                                 nereid_buffer_t **)) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  DeviceTarget target;
  if (nereid_status_t status = target.read(backendOf(object), device))
    return raise(status);
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = read(backendOf(object), target.get(), &json);
  return takeText(status, json);
}

static PyObject *frontend(PyObject *object, PyObject *number) {
  return factsOf(object, number, nereid_backend_frontend);
}

static PyObject *libdevice(PyObject *object, PyObject *number) {
  return factsOf(object, number, nereid_backend_libdevice);
}

static PyObject *stages(PyObject *object, PyObject *args) {
  PyObject *given = nullptr;
  uint32_t device = 0;
  Values values;
  if (!PyArg_ParseTuple(args, "O|O&", &given, convertDevice, &device) ||
      !values.read(given))
    return nullptr;
  DeviceTarget target;
  if (nereid_status_t status = target.read(backendOf(object), device))
    return raise(status);
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_backend_stages(
      backendOf(object), target.get(), values.data(), values.size(), &json);
  return takeText(status, json);
}

/// The backend that compiles for a device of this one.
static PyObject *compiler(PyObject *object, PyObject *number) {
  uint32_t device = 0;
  if (!readDevice(number, device))
    return nullptr;
  nereid_backend_t *found = nullptr;
  nereid_status_t status =
      nereid_backend_compiler(backendOf(object), device, &found);
  return status == NEREID_OK ? wrapBackend(found) : raise(status);
}

namespace {
/// The parameters of compile() and key(). Everything borrows from `args`.
class Request {
public:
  bool read(PyObject *args, PyObject *keywords);
  const nereid_compile_request_t *get() const { return &request; }
  const nereid_compile_request_t *get(int32_t (*cancelled)(void *),
                                      void *user) {
    request.cancelled = cancelled;
    request.cancelled_user = user;
    return &request;
  }

private:
  bool readReplacements(PyObject *dict);

  nereid_compile_request_t request = {};
  Values options;
  std::vector<nereid_replacement_t> replacements;
};
} // namespace

bool Request::readReplacements(PyObject *dict) {
  PyObject *stage = nullptr, *bytes = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &stage, &bytes);) {
    std::string_view name, content;
    if (!readBytes(stage, name) || !readBytes(bytes, content))
      return false;
    nereid_replacement_t replacement = {};
    replacement.struct_size = sizeof replacement;
    replacement.stage = borrow(name);
    replacement.replacement = {content.data(), content.size()};
    replacements.push_back(replacement);
  }
  request.replacements = replacements.data();
  request.replacement_count = replacements.size();
  return true;
}

bool Request::read(PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {
      "source",   "name",       "options",      "device",   "flags",
      "start_at", "stop_after", "replacements", "dump_dir", nullptr};
  PyObject *source = nullptr, *given = nullptr, *replaced = nullptr;
  const char *name = "", *start = "", *stop = "", *dump = "";
  uint32_t device = 0;
  unsigned flags = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, keywords, "O|sO!O&IssO!s", const_cast<char **>(kNames), &source,
          &name, &PyDict_Type, &given, convertDevice, &device, &flags, &start,
          &stop, &PyDict_Type, &replaced, &dump))
    return false;
  std::string_view content;
  if (!readBytes(source, content) || (given && !options.read(given)) ||
      (replaced && !readReplacements(replaced)))
    return false;
  request.struct_size = sizeof request;
  request.flags = flags;
  request.source = {content.data(), content.size()};
  request.source_name = borrow(name);
  request.device = device;
  request.options = options.data();
  request.option_count = options.size();
  request.start_at = borrow(start);
  request.stop_after = borrow(stop);
  request.dump_dir = borrow(dump);
  return true;
}

namespace {
/// Releases the GIL for a compilation, which ends when the handler of a signal
/// raises: KeyboardInterrupt, for Ctrl-C.
class Interruptible {
public:
  Interruptible() : isMain(gettid() == getpid()), state(PyEval_SaveThread()) {}
  ~Interruptible() {
    PyEval_RestoreThread(state);
    if (isRaised)
      PyErr_Restore(type, value, trace);
  }
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

  /// nereid_compile_request_t.cancelled. Python runs handlers on its main
  /// thread alone, so that no other one takes the GIL here.
  static int32_t isCancelled(void *user) {
    auto &self = *static_cast<Interruptible *>(user);
    if (!self.isRaised && self.isMain && gettid() == getpid())
      self.runHandlers();
    return self.isRaised;
  }

private:
  void runHandlers() {
    PyEval_RestoreThread(state);
    // Kept until the end: other code of Python may run on this thread before.
    if (PyErr_CheckSignals() < 0) {
      PyErr_Fetch(&type, &value, &trace);
      isRaised = true;
    }
    state = PyEval_SaveThread();
  }

  const bool isMain;
  PyThreadState *state;
  std::atomic<bool> isRaised = false;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
};
} // namespace

static PyObject *compile(PyObject *object, PyObject *args, PyObject *keywords) {
  Request request;
  if (!request.read(args, keywords))
    return nullptr;
  nereid_artifact_t *artifact = nullptr;
  nereid_status_t status;
  {
    Interruptible unlocked;
    status = nereid_compile(backendOf(object),
                            request.get(Interruptible::isCancelled, &unlocked),
                            &artifact);
  }
  if (PyErr_Occurred()) {
    nereid_artifact_destroy(artifact);
    return nullptr;
  }
  return status == NEREID_OK ? wrapArtifact(artifact) : raise(status);
}

static PyObject *key(PyObject *object, PyObject *args, PyObject *keywords) {
  Request request;
  if (!request.read(args, keywords))
    return nullptr;
  nereid_buffer_t *json = nullptr;
  nereid_status_t status =
      nereid_compile_key(backendOf(object), request.get(), &json);
  return takeText(status, json);
}

static PyObject *load(PyObject *object, PyObject *args) {
  PyObject *artifact = nullptr;
  uint32_t device = 0;
  if (!PyArg_ParseTuple(args, "O!|O&", compiledType, &artifact, convertDevice,
                        &device))
    return nullptr;
  return loadKernel(object, backendOf(object), device,
                    reinterpret_cast<ArtifactObject *>(artifact)->artifact);
}

bool addBackendType(PyObject *module) {
  static const PyMethodDef own[] = {
      {"info", guarded<info>, METH_NOARGS, "Facts about the plugin as a dict."},
      {"target", guarded<target>, METH_O,
       "(backend, arch, features, warp size) of a device."},
      {"properties", guarded<properties>, METH_O,
       "Facts about a device as JSON."},
      {"options", guarded<options>, METH_VARARGS,
       "options(device=0): the option schema as JSON."},
      {"stages", guarded<stages>, METH_VARARGS,
       "stages(options, device=0): the stages as JSON."},
      {"compiler", guarded<compiler>, METH_O,
       "The backend that compiles for a device."},
      {"compile", method(guarded<compile>), METH_VARARGS | METH_KEYWORDS,
       "Compiles, or takes from the cache."},
      {"key", method(guarded<key>), METH_VARARGS | METH_KEYWORDS,
       "What a compilation depends on, as JSON; compiles nothing."},
      {"load", guarded<load>, METH_VARARGS,
       "load(compiled, device=0) -> Kernel"},
      {"libdevice", guarded<libdevice>, METH_O,
       "Functions that kernels for a device may call, as JSON."},
      {"frontend", guarded<frontend>, METH_O,
       "What kernels for a device may use, as JSON."},
  };
  static std::vector<PyMethodDef> methods(std::begin(own), std::end(own));
  for (const PyMethodDef *more : {memoryMethods, streamMethods})
    for (; more->ml_name; ++more)
      methods.push_back(*more);
  methods.push_back({});
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_methods, methods.data()},
      {Py_tp_doc, const_cast<char *>("One loaded plugin.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.Backend", sizeof(BackendObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  backendType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return backendType && PyModule_AddType(module, backendType) == 0;
}

} // namespace nereid::python
