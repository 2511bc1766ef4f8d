// tensors.cpp - reads tensors without copying them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tensors.h"

#include <deque>

namespace nereid::python {

const TensorClass *classOf(PyObject *object, PyObject *classify, const char *op,
                           const char *name) {
  static std::deque<TensorClass> known; // entries keep their place
  for (const TensorClass &each : known)
    if (each.type == Py_TYPE(object))
      return &each;
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  Ref answer(PyObject_CallOneArg(classify, type));
  if (!answer)
    return nullptr;
  if (answer.get() == Py_None) {
    PyErr_Format(PyExc_TypeError, "%s: %s is a %s, expected a tensor", op, name,
                 Py_TYPE(object)->tp_name);
    return nullptr;
  }
  int kind = 0;
  PyObject *capsule = nullptr;
  if (!PyArg_ParseTuple(answer.get(), "iO", &kind, &capsule))
    return nullptr;
  TensorClass found = {Py_TYPE(object), TensorClass::Kind(kind), nullptr};
  if (capsule != Py_None) {
    found.exchange = static_cast<dlpack::Exchange *>(
        PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
    while (found.exchange && found.exchange->version.major > 1)
      found.exchange = found.exchange->previous;
    if (!found.exchange || !found.exchange->read) {
      PyErr_Format(PyExc_ImportError,
                   "%s exchanges tensors by a version of DLPack that is not "
                   "supported, expected 1",
                   Py_TYPE(object)->tp_name);
      return nullptr;
    }
  }
  Py_INCREF(type); // no other class gets its address
  return &known.emplace_back(found);
}

/// The result of object.__dlpack__(), which old libraries do not let one ask
/// for a version.
static Ref exportCapsule(PyObject *object) {
  static PyObject *method = PyUnicode_InternFromString("__dlpack__");
  static PyObject *keyword = PyUnicode_InternFromString("max_version");
  static PyObject *keywords = PyTuple_Pack(1, keyword);
  static PyObject *version = Py_BuildValue("(ii)", 1, 1);
  PyObject *args[] = {object, version};
  Ref capsule(PyObject_VectorcallMethod(method, args, 1, keywords));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError))
    return capsule;
  PyErr_Clear();
  return Ref(PyObject_CallMethodNoArgs(object, method));
}

bool readTensor(PyObject *object, const TensorClass &from, bool isWritten,
                dlpack::Tensor &out, std::vector<Ref> &kept) {
  if (from.exchange)
    return from.exchange->read(object, &out) == 0;
  Ref capsule = exportCapsule(object);
  if (!capsule)
    return false;
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
    auto *versioned = static_cast<dlpack::Versioned *>(
        PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
    if (versioned->version.major != 1) {
      PyErr_Format(PyExc_BufferError, "%s exports version %u of DLPack, not 1",
                   Py_TYPE(object)->tp_name, versioned->version.major);
      return false;
    }
    if (isWritten && versioned->flags & dlpack::kReadOnly) {
      PyErr_Format(PyExc_ValueError, "the output is read-only");
      return false;
    }
    out = versioned->tensor;
  } else {
    auto *managed = static_cast<dlpack::Managed *>(
        PyCapsule_GetPointer(capsule.get(), "dltensor"));
    if (!managed)
      return false;
    out = managed->tensor;
  }
  kept.push_back(std::move(capsule)); // its destructor releases the tensor
  return true;
}

static void raiseMessage(void *, const char *, const char *message) {
  PyErr_SetString(PyExc_RuntimeError, message);
}

PyObject *makeTensor(const dlpack::Exchange &exchange,
                     const dlpack::Tensor &wanted, void *&outData) {
  dlpack::Tensor prototype = wanted;
  dlpack::Versioned *made = nullptr;
  if (exchange.allocate(&prototype, &made, nullptr, raiseMessage))
    return nullptr;
  outData = static_cast<char *>(made->tensor.data) + made->tensor.byte_offset;
  void *object = nullptr;
  if (exchange.import(made, &object))
    return nullptr;
  return static_cast<PyObject *>(object);
}

Extent extentOf(const dlpack::Tensor &tensor) {
  int64_t low = 0, high = 1, dense = 1;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] == 0)
      return {};
    int64_t stride = tensor.strides ? tensor.strides[i] : dense;
    int64_t reach = (tensor.shape[i] - 1) * stride;
    (reach < 0 ? low : high) += reach;
    dense *= tensor.shape[i];
  }
  int64_t size = (tensor.type_bits * tensor.type_lanes + 7) / 8;
  const char *data =
      static_cast<const char *>(tensor.data) + tensor.byte_offset;
  return {data + low * size, data + high * size};
}

bool isExpanded(const dlpack::Tensor &tensor) {
  for (int32_t i = 0; tensor.strides && i < tensor.ndim; ++i)
    if (tensor.strides[i] == 0 && tensor.shape[i] > 1)
      return true;
  return false;
}

} // namespace nereid::python
