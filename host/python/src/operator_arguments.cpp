// operator_arguments.cpp - what a call of an operator is made with.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "operator_state.h"

namespace nereid::python {

static bool failType(const Operator &op, const std::string &name,
                     PyObject *found, const char *expected) {
  if (found == Py_None)
    PyErr_Format(PyExc_TypeError, "%s: %s is None, expected %s",
                 op.name.c_str(), name.c_str(), expected);
  else
    PyErr_Format(PyExc_TypeError, "%s: %s is a %s, expected %s",
                 op.name.c_str(), name.c_str(), Py_TYPE(found)->tp_name,
                 expected);
  return false;
}

static bool addClass(Operator &op, OperatorCall &call, const std::string &name,
                     PyObject *object) {
  if (object == Py_None)
    return failType(op, name, object, "a tensor");
  const TensorClass *from =
      classOf(object, op.classify.get(), op.name.c_str(), name.c_str());
  if (from)
    call.tensors.push_back({object, from, {}});
  return from;
}

bool noteTensors(Operator &op, OperatorCall &call, PyObject *const *args) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const OperatorInput &input = op.inputs[i];
    if (args[i] == Py_None && input.isOptional)
      continue;
    nereid_tensor_argument_t argument = {};
    argument.struct_size = sizeof argument;
    argument.name = borrow(input.name);
    argument.count = 1;
    if (!input.isList) {
      if (!addClass(op, call, input.name, args[i]))
        return false;
    } else {
      Ref items(PySequence_Fast(args[i], ""));
      if (!items) {
        PyErr_Clear();
        return failType(op, input.name, args[i], "a list of tensors");
      }
      Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
      argument.count = static_cast<uint32_t>(count);
      for (Py_ssize_t k = 0; k < count; ++k)
        if (!addClass(op, call, input.name,
                      PySequence_Fast_GET_ITEM(items.get(), k)))
          return false;
      call.kept.push_back(std::move(items));
    }
    call.inputs.push_back(argument);
  }
  call.inputCount = call.tensors.size();

  PyObject *out = args[op.inputs.size() + op.attributes.size()];
  if (out == Py_None)
    return true;
  if (op.outputs.size() == 1 && !PyTuple_Check(out) && !PyList_Check(out)) {
    call.given[0] = out;
  } else {
    if ((!PyTuple_Check(out) && !PyList_Check(out)) ||
        PySequence_Fast_GET_SIZE(out) != Py_ssize_t(op.outputs.size())) {
      PyErr_Format(PyExc_TypeError,
                   "%s: out is not a tuple of %zu tensors, one for each output",
                   op.name.c_str(), op.outputs.size());
      return false;
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      PyObject *each = PySequence_Fast_GET_ITEM(out, Py_ssize_t(i));
      call.given[i] = each == Py_None ? nullptr : each;
    }
  }
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (call.given[i] && !addClass(op, call, op.outputs[i], call.given[i]))
      return false;
  return true;
}

int needsDispatch(const OperatorCall &call) {
  bool hasTorch = false, hasGradient = false;
  for (const OperatorCall::Read &read : call.tensors) {
    if (read.from->kind == TensorClass::TorchClass)
      return 1;
    if (read.from->kind != TensorClass::Torch)
      continue;
    hasTorch = true;
    if (hasGradient)
      continue;
    Ref flag(PyObject_GetAttr(read.object, operatorNames.requiresGrad));
    if (!flag)
      return -1;
    hasGradient = flag.get() == Py_True;
  }
  if (!hasTorch)
    return 0;
  if (hasGradient) {
    Ref isEnabled(PyObject_CallNoArgs(torchFunctions.isGradEnabled));
    if (!isEnabled || isEnabled.get() == Py_True)
      return isEnabled ? 1 : -1;
  }
  Ref modes(PyObject_CallNoArgs(torchFunctions.countModes));
  Ref transform(modes ? PyObject_CallNoArgs(torchFunctions.findTransform)
                      : nullptr);
  if (!transform)
    return -1;
  return transform.get() != Py_None || PyObject_IsTrue(modes.get());
}

bool readTensors(Operator &op, OperatorCall &call) {
  for (size_t i = 0; i < call.tensors.size(); ++i) {
    OperatorCall::Read &read = call.tensors[i];
    if (read.from->kind != TensorClass::Other) {
      // A lazily negated tensor has other bits in memory.
      Ref negative(
          PyObject_CallMethodNoArgs(read.object, operatorNames.isNegative));
      if (!negative)
        return false;
      if (negative.get() == Py_True) {
        PyErr_Format(PyExc_ValueError,
                     "%s: a tensor's negation is not materialized; call "
                     "resolve_neg()",
                     op.name.c_str());
        return false;
      }
    }
    if (!readTensor(read.object, *read.from, i >= call.inputCount, read.tensor,
                    call.kept))
      return false;
  }
  // The structs have their places now.
  for (const OperatorCall::Read &read : call.tensors)
    call.pointers.push_back(&read.tensor);
  const nereid_tensor_t *const *next = call.pointers.data();
  for (nereid_tensor_argument_t &argument : call.inputs) {
    argument.tensors = next;
    next += argument.count;
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!call.given[i])
      continue;
    const nereid_tensor_t *const *tensor = next++;
    if (isExpanded(**tensor)) {
      PyErr_Format(PyExc_ValueError,
                   "%s: several elements of out are in one place of memory",
                   op.name.c_str());
      return false;
    }
    Extent extent = extentOf(**tensor);
    for (size_t k = 0; k < call.inputCount; ++k)
      if (extent.overlaps(extentOf(call.tensors[k].tensor)))
        call.isOverlapping[i] = true;
    if (call.isOverlapping[i])
      continue;
    nereid_tensor_argument_t argument = {};
    argument.struct_size = sizeof argument;
    argument.name = borrow(op.outputs[i]);
    argument.count = 1;
    argument.tensors = tensor;
    call.outputs.push_back(argument);
  }
  return true;
}

static bool readIntegers(PyObject *object, std::vector<int64_t> &out) {
  if (PyIndex_Check(object) && !PyBool_Check(object)) { // dim=1 for dim=[1]
    out.push_back(PyNumber_AsSsize_t(object, PyExc_OverflowError));
    return !PyErr_Occurred();
  }
  Ref items(PySequence_Fast(object, ""));
  if (!items || PyUnicode_Check(object))
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    out.push_back(PyNumber_AsSsize_t(PySequence_Fast_GET_ITEM(items.get(), i),
                                     PyExc_OverflowError));
    if (PyErr_Occurred())
      return false;
  }
  return true;
}

static bool setInteger(PyObject *object, nereid_value_t &value) {
  if (PyBool_Check(object) || !PyIndex_Check(object))
    return false;
  value.type = NEREID_TYPE_I64;
  value.i64 = PyNumber_AsSsize_t(object, PyExc_OverflowError);
  return !PyErr_Occurred();
}

static bool setFloat(PyObject *object, nereid_value_t &value) {
  if (PyUnicode_Check(object) || PyBytes_Check(object))
    return false;
  value.type = NEREID_TYPE_F64;
  value.f64 = PyFloat_AsDouble(object);
  return !PyErr_Occurred();
}

static bool setValue(const OperatorAttribute &attribute, PyObject *object,
                     OperatorCall &call, nereid_value_t &value) {
  const std::string &type = attribute.type;
  if (type == "int")
    return setInteger(object, value);
  if (type == "float")
    return setFloat(object, value);
  if (type == "bool") {
    value.type = NEREID_TYPE_BOOL;
    value.i64 = object == Py_True;
    return PyBool_Check(object);
  }
  if (type == "number") {
    if (PyBool_Check(object)) {
      value.type = NEREID_TYPE_I64;
      value.i64 = object == Py_True;
      return true;
    }
    return PyIndex_Check(object) ? setInteger(object, value)
                                 : setFloat(object, value);
  }
  if (type == "list") {
    std::vector<int64_t> &list = call.lists.emplace_back();
    if (!readIntegers(object, list))
      return false;
    value.type = NEREID_TYPE_I64_LIST;
    value.list = list.data();
    value.list_size = list.size();
    return true;
  }
  std::string_view text;
  if (!PyUnicode_Check(object) || !readBytes(object, text))
    return false;
  value.type = NEREID_TYPE_STRING;
  value.text = borrow(text);
  return true;
}

bool readAttributes(const Operator &op, OperatorCall &call,
                    PyObject *const *args) {
  call.lists.reserve(op.attributes.size());
  for (size_t i = 0; i < op.attributes.size(); ++i) {
    const OperatorAttribute &attribute = op.attributes[i];
    PyObject *object = args[op.inputs.size() + i];
    if (object == Py_None && attribute.isNullable)
      continue;
    nereid_value_t value = {};
    value.name = borrow(attribute.name);
    if (!setValue(attribute, object, call, value)) {
      if (PyErr_ExceptionMatches(PyExc_OverflowError))
        return false;
      PyErr_Clear();
      const std::string &type = attribute.type;
      const char *expected = type == "list"     ? "a list of integers"
                             : type == "string" ? "a str"
                             : type == "dtype"  ? "the name of a type"
                             : type == "number" ? "a number"
                             : type == "int"    ? "an int"
                             : type == "bool"   ? "a bool"
                                                : "a float";
      return failType(op, attribute.name, object, expected);
    }
    call.attributes.push_back(value);
  }
  return true;
}

} // namespace nereid::python
