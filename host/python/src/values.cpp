// values.cpp - converts Python options to Nereid values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "values.h"

namespace nereid::python {

static bool readIntegers(PyObject *object, std::vector<int64_t> &out) {
  Ref items(PySequence_Fast(object, "expected a sequence"));
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    out.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items.get(), i)));
    if (PyErr_Occurred())
      return false;
  }
  return true;
}

bool Values::add(PyObject *name, PyObject *object) {
  nereid_value_t value = {};
  std::string_view bytes;
  if (!readBytes(name, bytes))
    return false;
  value.name = borrow(bytes);
  if (PyBool_Check(object)) {
    value.type = NEREID_TYPE_BOOL;
    value.i64 = object == Py_True;
  } else if (PyLong_Check(object)) {
    value.type = NEREID_TYPE_I64;
    value.i64 = PyLong_AsLongLong(object);
  } else if (PyFloat_Check(object)) {
    value.type = NEREID_TYPE_F64;
    value.f64 = PyFloat_AS_DOUBLE(object);
  } else if (PyUnicode_Check(object) && readBytes(object, bytes)) {
    value.type = NEREID_TYPE_STRING;
    value.text = borrow(bytes);
  } else if (PyList_Check(object) || PyTuple_Check(object)) {
    std::vector<int64_t> &list = lists.emplace_back();
    if (!readIntegers(object, list))
      return false;
    value.type = NEREID_TYPE_I64_LIST;
    value.list = list.data();
    value.list_size = list.size();
  } else if (!PyErr_Occurred()) {
    PyErr_Format(PyExc_TypeError,
                 "option %R is a %s, expected bool, int, float, str or a list "
                 "of int",
                 name, Py_TYPE(object)->tp_name);
  }
  if (PyErr_Occurred())
    return false;
  values.push_back(value);
  return true;
}

bool Values::read(PyObject *dict) {
  if (!PyDict_Check(dict)) {
    PyErr_Format(PyExc_TypeError, "options are a %s, expected a dict",
                 Py_TYPE(dict)->tp_name);
    return false;
  }
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &name, &value);)
    if (!add(name, value))
      return false;
  return true;
}

} // namespace nereid::python
