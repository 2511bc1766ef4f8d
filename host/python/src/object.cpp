// object.cpp - Nereid's texts and errors in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "object.h"

namespace nereid::python {

PyObject *errorType = nullptr;

PyObject *toStr(std::string_view from) {
  return PyUnicode_DecodeUTF8(from.data(), static_cast<Py_ssize_t>(from.size()),
                              "backslashreplace");
}

bool readBytes(PyObject *object, std::string_view &out) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(object)) {
    const char *data = PyUnicode_AsUTF8AndSize(object, &size);
    if (!data)
      return false;
    out = {data, static_cast<size_t>(size)};
    return true;
  }
  if (PyBytes_Check(object)) {
    out = {PyBytes_AS_STRING(object),
           static_cast<size_t>(PyBytes_GET_SIZE(object))};
    return true;
  }
  PyErr_Format(PyExc_TypeError, "expected str or bytes, not %s",
               Py_TYPE(object)->tp_name);
  return false;
}

/// "error: a\nnote: b" without the first word, which an exception implies.
static std::string_view withoutPrefix(std::string_view reason) {
  constexpr std::string_view kPrefix = "error: ";
  if (reason.substr(0, kPrefix.size()) == kPrefix)
    reason.remove_prefix(kPrefix.size());
  while (!reason.empty() && reason.back() == '\n')
    reason.remove_suffix(1);
  return reason;
}

PyObject *raise(nereid_status_t status, std::string_view reason) {
  std::string text(withoutPrefix(reason));
  // The text by which Triton's users and tests recognize a failed assertion,
  // which a launch or what waits for one reports. They also look for it where
  // the driver of a GPU writes it.
  if (status == NEREID_DEVICE_FAULT) {
    text = "device-side assert triggered: " + text;
    PySys_FormatStderr("%s\n", text.c_str());
  }
  Ref message(toStr(text));
  Ref name(toStr(nereid_status_name(status)));
  if (!message || !name)
    return nullptr;
  Ref error(PyObject_CallOneArg(errorType, message.get()));
  if (error && PyObject_SetAttrString(error.get(), "status", name.get()) == 0)
    PyErr_SetObject(errorType, error.get());
  return nullptr;
}

PyObject *raise(nereid_status_t status) {
  return raise(status, view(nereid_error()));
}

PyObject *takeText(nereid_status_t status, nereid_buffer_t *buffer) {
  if (status != NEREID_OK)
    return raise(status);
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  PyObject *result = toStr(std::string_view(
      static_cast<const char *>(bytes.data), static_cast<size_t>(bytes.size)));
  nereid_buffer_destroy(buffer);
  return result;
}

PyObject *takeBytes(nereid_status_t status, nereid_buffer_t *buffer) {
  if (status != NEREID_OK)
    return raise(status);
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  PyObject *result =
      PyBytes_FromStringAndSize(static_cast<const char *>(bytes.data),
                                static_cast<Py_ssize_t>(bytes.size));
  nereid_buffer_destroy(buffer);
  return result;
}

bool addErrorType(PyObject *module) {
  errorType = PyErr_NewExceptionWithDoc(
      "nereid.Error",
      "What libnereid or a plugin refused. `status` is the name of its code, "
      "\"invalid-argument\" for instance.",
      PyExc_RuntimeError, nullptr);
  return errorType && PyModule_AddObjectRef(module, "Error", errorType) == 0;
}

} // namespace nereid::python
