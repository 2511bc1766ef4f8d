// operator_type.cpp - the type of callable operators.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "operator_state.h"

#include <structmember.h>

namespace nereid::python {

static PyTypeObject *operatorType = nullptr;
OperatorNames operatorNames;
TorchFunctions torchFunctions;

static bool readNames(PyObject *list, Operator &op) {
  Ref items(PySequence_Fast(list, "expected a list of names"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get());
       ++i) {
    std::string_view name;
    if (!readBytes(PySequence_Fast_GET_ITEM(items.get(), i), name))
      return false;
    op.outputs.emplace_back(name);
  }
  return bool(items);
}

static bool readInputs(PyObject *list, Operator &op) {
  Ref items(PySequence_Fast(list, "expected a list of inputs"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get());
       ++i) {
    const char *name = nullptr;
    int isOptional = 0, isList = 0;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "spp",
                          &name, &isOptional, &isList))
      return false;
    op.inputs.push_back({name, isOptional != 0, isList != 0});
  }
  return bool(items);
}

static bool readAttributes(PyObject *list, Operator &op) {
  Ref items(PySequence_Fast(list, "expected a list of attributes"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get());
       ++i) {
    const char *name = nullptr, *type = nullptr;
    int isNullable = 0;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "ssp",
                          &name, &type, &isNullable))
      return false;
    op.attributes.push_back({name, type, isNullable != 0});
  }
  return bool(items);
}

/// Operator(name, inputs, attributes, outputs, hooks)
static PyObject *newOperator(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *name = nullptr;
  PyObject *inputs = nullptr, *attributes = nullptr, *outputs = nullptr,
           *hooks = nullptr;
  if (!PyArg_ParseTuple(args, "sOOOO", &name, &inputs, &attributes, &outputs,
                        &hooks))
    return nullptr;
  auto op = std::make_unique<Operator>();
  op->name = name;
  if (!readInputs(inputs, *op) || !readAttributes(attributes, *op) ||
      !readNames(outputs, *op))
    return nullptr;
  op->hooks = Ref::borrow(hooks);
  op->classify = Ref(PyObject_GetAttrString(hooks, "classify"));
  PyObject *object = op->classify ? type->tp_alloc(type, 0) : nullptr;
  if (!object)
    return nullptr;
  auto *made = reinterpret_cast<OperatorObject *>(object);
  made->call = guarded<callOperator>;
  made->op = op.release();
  return object;
}

static void freeOperator(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<OperatorObject *>(object)->op;
  type->tp_free(object);
  Py_DECREF(type);
}

static bool makeNames() {
  const std::pair<PyObject **, const char *> all[] = {
      {&operatorNames.requiresGrad, "requires_grad"},
      {&operatorNames.isNegative, "is_neg"},
      {&operatorNames.dispatch, "dispatch"},
      {&operatorNames.findDevice, "find_device"},
      {&operatorNames.allocate, "allocate"},
      {&operatorNames.copy, "copy"},
      {&operatorNames.importStream, "import_stream"}};
  for (auto [name, text] : all)
    if (!(*name = PyUnicode_InternFromString(text)))
      return false;
  return true;
}

bool addOperatorType(PyObject *module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(OperatorObject, call), READONLY,
                                   nullptr},
                                  {}};
  static PyMethodDef methods[] = {
      {"run", method(guarded<runOperator>), METH_FASTCALL,
       "Calls it without torch's dispatch."},
      {"explain", method(guarded<explainOperator>), METH_FASTCALL,
       "What the call launches and why, as JSON."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(guarded<newOperator>)},
      {Py_tp_dealloc, reinterpret_cast<void *>(freeOperator)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {Py_tp_doc,
       const_cast<char *>("Operator(name, inputs, attributes, outputs, hooks): "
                          "called with all inputs, attributes and out.")},
      {}};
  static PyType_Spec spec = {
      "nereid._operators.Operator", sizeof(OperatorObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  operatorType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return makeNames() && operatorType &&
         PyModule_AddType(module, operatorType) == 0;
}

PyObject *setTorch(PyObject *, PyObject *args) {
  TorchFunctions given = {};
  if (!PyArg_ParseTuple(args, "OOOO", &given.isGradEnabled, &given.countModes,
                        &given.findTransform, &given.incrementVersion))
    return nullptr;
  for (PyObject *each : {given.isGradEnabled, given.countModes,
                         given.findTransform, given.incrementVersion})
    Py_INCREF(each);
  torchFunctions = given; // set once
  Py_RETURN_NONE;
}

} // namespace nereid::python
