// operators.cpp - the module nereid._operators: libnereid-ops' C interface. It
// is loaded by the first use of nereid.ops, into the runtime of nereid._nereid.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend.h"
#include "operator_call.h"

namespace nereid::python {

PyTypeObject *backendType = nullptr; // that of nereid._nereid

namespace {
/// Never freed, like the runtime.
struct PacksObject {
  PyObject_HEAD nereid_ops_t *ops;
};
} // namespace

static nereid_runtime_t *runtime = nullptr;

static nereid_ops_t *packsOf(PyObject *object) {
  return reinterpret_cast<PacksObject *>(object)->ops;
}

/// Packs(directories=""): those, or those of the environment.
static PyObject *newPacks(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *directories = "";
  if (!PyArg_ParseTuple(args, "|s", &directories))
    return nullptr;
  nereid_ops_options_t options = {};
  options.struct_size = sizeof options;
  options.pack_dirs = borrow(directories);
  PyObject *object = type->tp_alloc(type, 0);
  if (!object)
    return nullptr;
  if (nereid_status_t status = nereid_ops_create(
          &options, &reinterpret_cast<PacksObject *>(object)->ops)) {
    Py_DECREF(object);
    return raise(status);
  }
  return object;
}

static PyObject *report(PyObject *object, PyObject *) {
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_ops_report(packsOf(object), &json);
  return takeText(status, json);
}

static PyObject *list(PyObject *object, PyObject *) {
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_ops_list(packsOf(object), nullptr, &json);
  return takeText(status, json);
}

static PyObject *show(PyObject *object, PyObject *name) {
  std::string_view wanted;
  if (!readBytes(name, wanted))
    return nullptr;
  nereid_buffer_t *json = nullptr;
  nereid_status_t status =
      nereid_ops_show(packsOf(object), borrow(wanted), &json);
  return takeText(status, json);
}

/// explain((device_type, arch, compiler, properties), name, call)
static PyObject *explainCall(PyObject *object, PyObject *args) {
  const char *type = nullptr, *arch = nullptr, *compiler = nullptr,
             *properties = nullptr, *name = nullptr, *call = nullptr;
  if (!PyArg_ParseTuple(args, "(ssss)ss", &type, &arch, &compiler, &properties,
                        &name, &call))
    return nullptr;
  nereid_ops_target_t target = {};
  target.struct_size = sizeof target;
  target.device_type = borrow(type);
  target.arch = borrow(arch);
  target.compiler = borrow(compiler);
  target.properties = borrow(properties);
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_ops_explain(
      packsOf(object), &target, borrow(name), borrow(call), &json);
  return takeText(status, json);
}

/// load(backend, device, is_synchronous): the packs on a device.
static PyObject *load(PyObject *object, PyObject *args) {
  PyObject *backend = nullptr;
  unsigned device = 0;
  int isSynchronous = 0;
  if (!PyArg_ParseTuple(args, "O!Ip", backendType, &backend, &device,
                        &isSynchronous))
    return nullptr;
  nereid_ops_load_t request = {};
  request.struct_size = sizeof request;
  request.runtime = runtime;
  request.backend = backendOf(backend);
  request.device = device;
  PyObject *made = opsDeviceType->tp_alloc(opsDeviceType, 0);
  if (!made)
    return nullptr;
  auto *loaded = reinterpret_cast<OpsDeviceObject *>(made);
  loaded->backend = request.backend;
  loaded->device = device;
  loaded->isSynchronous = isSynchronous != 0;
  if (nereid_status_t status =
          nereid_ops_load(packsOf(object), &request, &loaded->loaded)) {
    Py_DECREF(made);
    return raise(status);
  }
  return made;
}

/// evaluate(expression, values): the value's repr(); values is JSON.
static PyObject *evaluate(PyObject *, PyObject *args) {
  const char *text = nullptr, *values = nullptr;
  if (!PyArg_ParseTuple(args, "ss", &text, &values))
    return nullptr;
  nereid_expression_t *expression = nullptr;
  if (nereid_status_t status =
          nereid_expression_parse(borrow(text), &expression))
    return raise(status);
  nereid_buffer_t *result = nullptr;
  nereid_status_t status =
      nereid_expression_evaluate(expression, borrow(values), &result);
  PyObject *value = takeText(status, result);
  nereid_expression_destroy(expression);
  return value;
}

static PyMethodDef functions[] = {
    {"evaluate", guarded<evaluate>, METH_VARARGS,
     "evaluate(expression, values): the repr() of the value."},
    {"set_torch", guarded<setTorch>, METH_VARARGS,
     "set_torch(is_grad_enabled, count_modes, find_transform, "
     "increment_version)"},
    {}};

static bool addPacksType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"report", guarded<report>, METH_NOARGS, "The load report as JSON."},
      {"list", guarded<list>, METH_NOARGS, "All operators as JSON."},
      {"show", guarded<show>, METH_O, "An operator as JSON."},
      {"explain", guarded<explainCall>, METH_VARARGS,
       "explain(target, name, call): what a call launches, as JSON."},
      {"load", guarded<load>, METH_VARARGS,
       "load(backend, device, is_synchronous): a Device."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(guarded<newPacks>)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char *>("Packs(directories=\"\")")},
      {}};
  static PyType_Spec spec = {"nereid._operators.Packs", sizeof(PacksObject), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddType(
                     module, reinterpret_cast<PyTypeObject *>(type.get())) == 0;
}

/// The error, the plugins and the runtime of nereid._nereid.
static bool importBase() {
  Ref base(PyImport_ImportModule("nereid._nereid"));
  if (!base)
    return false;
  errorType = PyObject_GetAttrString(base.get(), "Error");
  backendType = reinterpret_cast<PyTypeObject *>(
      PyObject_GetAttrString(base.get(), "Backend"));
  Ref capsule(PyObject_CallMethod(base.get(), "runtime", nullptr));
  if (!errorType || !backendType || !capsule)
    return false;
  runtime = static_cast<nereid_runtime_t *>(
      PyCapsule_GetPointer(capsule.get(), "nereid.runtime"));
  return runtime;
}

} // namespace nereid::python

// Python requires this name: PyInit_ and the name of the module.
PyMODINIT_FUNC PyInit__operators(void) { // NOLINT(bugprone-reserved-identifier)
  using namespace nereid::python;
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "nereid._operators",
                                   "libnereid-ops' C interface.",
                                   -1,
                                   functions,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  Ref module(PyModule_Create(&definition));
  if (!module || !importBase() || !addPacksType(module.get()) ||
      !addOpsDeviceType(module.get()) || !addOperatorType(module.get()))
    return nullptr;
  return module.release();
}
