// tuning.cpp - the store of tuned results: opening, looking up, recording.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tuning.h"

#include "backend.h"
#include "nereid/tune.h"

namespace nereid::python {

namespace {
struct TunedObject {
  PyObject_HEAD nereid_tune_store_t *store;
};

/// The texts that a Python function was called with: they refer to its
/// arguments.
struct Text {
  const char *data = nullptr;
  Py_ssize_t size = 0;

  nereid_string_t get() const { return {data, static_cast<size_t>(size)}; }
};

/// An origin as `origin` returns it.
struct Origin {
  Text plugin, release, build, dependencies, name, architecture, driver;
  unsigned units = 0;

  bool read(PyObject *tuple) {
    return PyArg_ParseTuple(tuple, "s#s#s#s#s#s#Is#;an origin has eight items",
                            &plugin.data, &plugin.size, &release.data,
                            &release.size, &build.data, &build.size,
                            &dependencies.data, &dependencies.size, &name.data,
                            &name.size, &architecture.data, &architecture.size,
                            &units, &driver.data, &driver.size);
  }
  nereid_tune_origin_t get() const {
    nereid_tune_origin_t origin = {};
    origin.struct_size = sizeof origin;
    origin.device_units = units;
    origin.compiler_plugin = plugin.get();
    origin.compiler_release = release.get();
    origin.compiler_build = build.get();
    origin.compiler_dependencies = dependencies.get();
    origin.device_name = name.get();
    origin.device_architecture = architecture.get();
    origin.device_driver = driver.get();
    return origin;
  }
};
} // namespace

static PyTypeObject *tunedType = nullptr;

static nereid_tune_store_t *storeOf(PyObject *object) {
  return reinterpret_cast<TunedObject *>(object)->store;
}

static void dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  nereid_tune_close(storeOf(object));
  type->tp_free(object);
  Py_DECREF(type);
}

// Runs `call` without the GIL: it may wait for another process.
template <typename Call> static PyObject *textWithoutGil(Call call) {
  nereid_buffer_t *json = nullptr;
  nereid_status_t status;
  std::string reason;
  {
    WithoutGil unlocked;
    status = call(&json);
    if (status != NEREID_OK)
      reason = view(nereid_error());
  }
  return status == NEREID_OK ? takeText(status, json) : raise(status, reason);
}

PyObject *openTuned(PyObject *, PyObject *path) {
  std::string_view wanted;
  if (!readBytes(path, wanted))
    return nullptr;
  nereid_tune_open_t request = {};
  request.struct_size = sizeof request;
  request.flags = NEREID_TUNE_OPTIONAL;
  request.path = borrow(wanted);
  nereid_tune_store_t *store = nullptr;
  if (nereid_status_t status = nereid_tune_open(&request, &store))
    return raise(status);
  PyObject *object = tunedType->tp_alloc(tunedType, 0);
  if (object)
    reinterpret_cast<TunedObject *>(object)->store = store;
  else
    nereid_tune_close(store);
  return object;
}

PyObject *originOf(PyObject *, PyObject *args) {
  PyObject *backend = nullptr;
  uint32_t device = 0;
  if (!PyArg_ParseTuple(args, "O!O&", backendType, &backend, convertDevice,
                        &device))
    return nullptr;
  return textWithoutGil([&](nereid_buffer_t **json) {
    return nereid_tune_origin(backendOf(backend), device, json);
  });
}

static PyObject *info(PyObject *object, PyObject *) {
  return textWithoutGil([&](nereid_buffer_t **json) {
    return nereid_tune_info(storeOf(object), json);
  });
}

static PyObject *lookup(PyObject *object, PyObject *args) {
  PyObject *tuple = nullptr;
  Text name, key, variant, protocol;
  double reach = 0;
  Origin origin;
  if (!PyArg_ParseTuple(args, "O!s#s#s#s#d", &PyTuple_Type, &tuple, &name.data,
                        &name.size, &key.data, &key.size, &variant.data,
                        &variant.size, &protocol.data, &protocol.size,
                        &reach) ||
      !origin.read(tuple))
    return nullptr;
  nereid_tune_origin_t from = origin.get();
  nereid_tune_query_t query = {};
  query.struct_size = sizeof query;
  query.operator_name = name.get();
  query.key = key.get();
  query.variant = variant.get();
  query.protocol = protocol.get();
  query.reach = reach;
  query.origin = &from;
  return textWithoutGil([&](nereid_buffer_t **json) {
    nereid_status_t status = nereid_tune_refresh(storeOf(object));
    return status == NEREID_OK
               ? nereid_tune_lookup(storeOf(object), &query, json)
               : status;
  });
}

static PyObject *record(PyObject *object, PyObject *args, PyObject *keywords) {
  static const char *names[] = {
      "origin", "operator", "key",    "variant", "configuration",
      "status", "protocol", "source", "note",    "median",
      "spread", "samples",  nullptr};
  PyObject *tuple = nullptr;
  Text name, key, variant, configuration, status, protocol, source, note;
  double median = 0, spread = 0;
  unsigned long long samples = 0;
  Origin origin;
  if (!PyArg_ParseTupleAndKeywords(
          args, keywords, "O!s#s#s#s#s#s#|$s#s#ddO&",
          const_cast<char **>(names), &PyTuple_Type, &tuple, &name.data,
          &name.size, &key.data, &key.size, &variant.data, &variant.size,
          &configuration.data, &configuration.size, &status.data, &status.size,
          &protocol.data, &protocol.size, &source.data, &source.size,
          &note.data, &note.size, &median, &spread, convertSize, &samples) ||
      !origin.read(tuple))
    return nullptr;
  nereid_tune_origin_t from = origin.get();
  nereid_tune_result_t result = {};
  result.struct_size = sizeof result;
  result.operator_name = name.get();
  result.key = key.get();
  result.variant = variant.get();
  result.configuration = configuration.get();
  result.status = status.get();
  result.protocol = protocol.get();
  result.source = source.get();
  result.note = note.get();
  result.median = median;
  result.spread = spread;
  result.samples = samples;
  result.origin = &from;
  nereid_status_t done;
  std::string reason;
  {
    WithoutGil unlocked; // it may wait for another process
    done = nereid_tune_record(storeOf(object), &result, 1);
    if (done != NEREID_OK)
      reason = view(nereid_error());
  }
  if (done != NEREID_OK)
    return raise(done, reason);
  Py_RETURN_NONE;
}

bool addTunedType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"info", guarded<info>, METH_NOARGS, "Facts about the store as JSON."},
      {"lookup", guarded<lookup>, METH_VARARGS,
       "lookup(origin, operator, key, variant, protocol, reach): what to use, "
       "as JSON."},
      {"record", method(guarded<record>), METH_VARARGS | METH_KEYWORDS,
       "Records a measurement or a failure."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char *>("A store of tuned results.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.Tuned", sizeof(TunedObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  tunedType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return tunedType && PyModule_AddType(module, tunedType) == 0;
}

} // namespace nereid::python
