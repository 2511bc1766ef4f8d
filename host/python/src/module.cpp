// module.cpp - the module nereid._nereid: libnereid's C interface in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The process has one runtime, created by the first function that needs it. It
// is never destroyed: kernels may still be freed while the interpreter ends.

#include "archive.h"
#include "artifact.h"
#include "backend.h"
#include "dispatch.h"
#include "kernel.h"
#include "launcher.h"
#include "tuning.h"

namespace nereid::python {

static nereid_runtime_t *theRuntime = nullptr;

/// The runtime; null with an error set.
static nereid_runtime_t *runtime() {
  if (theRuntime)
    return theRuntime;
  nereid_runtime_options_t options = {};
  options.struct_size = sizeof options;
  options.host_name = borrow("python");
  if (nereid_status_t status = nereid_runtime_create(&options, &theRuntime))
    raise(status);
  return theRuntime;
}

/// For nereid._operators, which uses the same runtime.
static PyObject *runtimeCapsule(PyObject *, PyObject *) {
  return runtime() ? PyCapsule_New(theRuntime, "nereid.runtime", nullptr)
                   : nullptr;
}

static PyObject *version(PyObject *, PyObject *) {
  return toStr(nereid_version());
}

static PyObject *report(PyObject *, PyObject *) {
  if (!runtime())
    return nullptr;
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_runtime_report(theRuntime, &json);
  return takeText(status, json);
}

static PyObject *explain(PyObject *, PyObject *name) {
  std::string_view wanted;
  if (!runtime() || !readBytes(name, wanted))
    return nullptr;
  nereid_buffer_t *json = nullptr;
  nereid_status_t status =
      nereid_runtime_explain(theRuntime, borrow(wanted), &json);
  return takeText(status, json);
}

static PyObject *backends(PyObject *, PyObject *) {
  if (!runtime())
    return nullptr;
  Ref list(PyList_New(0));
  uint64_t count = nereid_runtime_backend_count(theRuntime);
  for (uint64_t i = 0; list && i < count; ++i)
    if (nereid_backend_t *backend = nereid_runtime_backend_at(theRuntime, i)) {
      Ref item(wrapBackend(backend));
      if (!item || PyList_Append(list.get(), item.get()) < 0)
        return nullptr;
    }
  return list.release();
}

static PyObject *choose(PyObject *, PyObject *name) {
  std::string_view wanted;
  if (!runtime() || !readBytes(name, wanted))
    return nullptr;
  nereid_backend_t *backend = nullptr;
  uint32_t device = 0;
  if (nereid_status_t status =
          nereid_runtime_choose(theRuntime, borrow(wanted), &backend, &device))
    return raise(status);
  Ref object(wrapBackend(backend));
  return object ? Py_BuildValue("(OI)", object.get(), device) : nullptr;
}

static PyObject *backend(PyObject *, PyObject *name) {
  std::string_view wanted;
  if (!runtime() || !readBytes(name, wanted))
    return nullptr;
  nereid_backend_t *found = nullptr;
  nereid_status_t status =
      nereid_runtime_backend(theRuntime, borrow(wanted), &found);
  return status == NEREID_OK ? wrapBackend(found) : raise(status);
}

static PyObject *load(PyObject *, PyObject *path) {
  std::string_view wanted;
  if (!runtime() || !readBytes(path, wanted))
    return nullptr;
  nereid_backend_t *loaded = nullptr;
  nereid_status_t status =
      nereid_runtime_load(theRuntime, borrow(wanted), &loaded);
  return status == NEREID_OK ? wrapBackend(loaded) : raise(status);
}

static PyObject *open(PyObject *, PyObject *args) {
  PyObject *file = nullptr, *name = nullptr;
  std::string_view bytes, label;
  if (!PyArg_ParseTuple(args, "OO", &file, &name) || !readBytes(file, bytes) ||
      !readBytes(name, label) || !runtime())
    return nullptr;
  nereid_artifact_t *artifact = nullptr;
  nereid_status_t status = nereid_artifact_open(
      theRuntime, {bytes.data(), bytes.size()}, borrow(label), &artifact);
  return status == NEREID_OK ? wrapArtifact(artifact) : raise(status);
}

static PyObject *describeTtir(PyObject *, PyObject *args) {
  PyObject *source = nullptr, *name = nullptr;
  std::string_view bytes, label;
  if (!PyArg_ParseTuple(args, "OO", &source, &name) ||
      !readBytes(source, bytes) || !readBytes(name, label) || !runtime())
    return nullptr;
  nereid_buffer_t *json = nullptr;
  nereid_status_t status;
  std::string reason;
  {
    WithoutGil unlocked; // the first call loads MLIR
    status = nereid_runtime_describe_ttir(
        theRuntime, {bytes.data(), bytes.size()}, borrow(label), &json);
    if (status != NEREID_OK)
      reason = view(nereid_error());
  }
  return status == NEREID_OK ? takeText(status, json) : raise(status, reason);
}

static PyMethodDef functions[] = {
    {"version", guarded<version>, METH_NOARGS, "The version of libnereid."},
    {"runtime", guarded<runtimeCapsule>, METH_NOARGS,
     "The runtime, for nereid._operators."},
    {"report", guarded<report>, METH_NOARGS, "The load report as JSON."},
    {"explain", guarded<explain>, METH_O, "Why a backend is chosen, as JSON."},
    {"backends", guarded<backends>, METH_NOARGS, "The loaded plugins."},
    {"backend", guarded<backend>, METH_O, "A plugin by id or device type."},
    {"choose", guarded<choose>, METH_O, "(plugin, device) that a name means."},
    {"load", guarded<load>, METH_O, "Loads the plugin at a path."},
    {"open", guarded<open>, METH_VARARGS,
     "open(bytes, name): a saved Artifact."},
    {"open_archive", guarded<openArchive>, METH_O,
     "open_archive(path): an Archive."},
    {"describe_ttir", guarded<describeTtir>, METH_VARARGS,
     "describe_ttir(source, name): the public functions of TTIR as JSON."},
    {"open_tuned", guarded<openTuned>, METH_O,
     "open_tuned(path): a store of tuned results; \"\" is the user's own."},
    {"origin", guarded<originOf>, METH_VARARGS,
     "origin(backend, device): what results of a device are labelled with, as "
     "JSON."},
    {}};

static bool addFlags(PyObject *module) {
  const std::pair<const char *, long> flags[] = {
      {"NO_CACHE", NEREID_COMPILE_NO_CACHE},
      {"REFRESH", NEREID_COMPILE_REFRESH},
      {"NEVER", NEREID_COMPILE_NEVER},
      {"KEEP_STAGES", NEREID_COMPILE_KEEP_STAGES},
      {"ARCHIVE_COMPILE", NEREID_ARCHIVE_COMPILE},
      {"LAUNCH_COOPERATIVE", NEREID_LAUNCH_COOPERATIVE},
      {"LAUNCH_PROGRAMMATIC", NEREID_LAUNCH_PROGRAMMATIC}};
  for (auto [name, value] : flags)
    if (PyModule_AddIntConstant(module, name, value) < 0)
      return false;
  return true;
}

} // namespace nereid::python

// Python requires this name: PyInit_ and the name of the module.
PyMODINIT_FUNC PyInit__nereid(void) { // NOLINT(bugprone-reserved-identifier)
  using namespace nereid::python;
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "nereid._nereid",
                                   "libnereid's C interface.",
                                   -1,
                                   functions,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  Ref module(PyModule_Create(&definition));
  if (!module || !makeNames() || !addErrorType(module.get()) ||
      !addFlags(module.get()) || !addKernelType(module.get()) ||
      !addLauncherType(module.get()) || !addCompiledType(module.get()) ||
      !addArchiveTypes(module.get()) || !addEventType(module.get()) ||
      !addHostMemoryType(module.get()) || !addBackendType(module.get()) ||
      !addTunedType(module.get()) || !addDispatcher(module.get()))
    return nullptr;
  return module.release();
}
