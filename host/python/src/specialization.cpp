// specialization.cpp - what Triton's JIT specializes a kernel on.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "specialization.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace nereid::python {

static Argument::Kind withAlignment(Argument::Kind kind, uint64_t bits) {
  return bits % 16 == 0 ? Argument::Kind(kind + 1) : kind;
}

static Argument classifyInteger(PyObject *object) {
  Argument out{.object = object};
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow < 0)
    return out; // Triton reports what is wrong
  if (overflow > 0) {
    out.bits = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return out;
    }
    out.kind = withAlignment(Argument::UInt64, out.bits);
    return out;
  }
  out.bits = static_cast<uint64_t>(value);
  if (value == 1)
    out.kind = Argument::One;
  else if (value >= INT32_MIN && value <= INT32_MAX)
    out.kind = withAlignment(Argument::Int32, out.bits);
  else
    out.kind = withAlignment(Argument::Int64, out.bits);
  return out;
}

static Argument classifyTensor(PyObject *object, const TensorTypes &types,
                               long device) {
  Argument out{.object = object};
  Ref isHome(PyObject_GetAttr(object, types.home));
  Ref dtype(PyObject_GetAttr(object, types.dtypeName));
  Ref address(PyObject_CallMethodNoArgs(object, names.dataPtr));
  if (!isHome || !dtype || !address) {
    PyErr_Clear();
    return out;
  }
  if (isHome.get() != Py_True)
    return out;
  if (device >= 0) {
    Ref number(PyObject_CallMethodNoArgs(object, names.getDevice));
    bool isThere = number && PyLong_AsLong(number.get()) == device;
    PyErr_Clear();
    if (!isThere)
      return out;
  }
  out.bits = PyLong_AsUnsignedLongLongMask(address.get());
  out.identity = dtype.get(); // dtypes live as long as torch
  out.kind = withAlignment(Argument::Tensor, out.bits);
  return out;
}

Argument classify(PyObject *object, const TensorTypes &types, long device) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  if (type == types.tensor || type == types.parameter)
    return classifyTensor(object, types, device);
  if (PyLong_CheckExact(object))
    return classifyInteger(object);
  if (PyFloat_CheckExact(object))
    return {Argument::Float, object};
  if (PyBool_Check(object))
    return {Argument::Bool, object, nullptr, object == Py_True};
  if (object == Py_None)
    return {Argument::None, object};
  return {.object = object};
}

/// Triton functions, alone or in a tuple: a constant that is the same object is
/// different when the source of a function that it calls has changed.
static bool mayChange(PyObject *object) {
  if (PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
      if (mayChange(PyTuple_GET_ITEM(object, i)))
        return true;
    return false;
  }
  return !PyLong_Check(object) && !PyUnicode_Check(object) &&
         !PyFloat_Check(object) && object != Py_None &&
         PyObject_HasAttr(reinterpret_cast<PyObject *>(Py_TYPE(object)),
                          names.cacheKey);
}

Argument constantOf(PyObject *object) {
  if (mayChange(object))
    return {.object = object};
  return {Argument::Constant, object, object};
}

/// Triton compares values of these types by their repr().
static bool isValue(PyObject *object) {
  return PyLong_CheckExact(object) || PyUnicode_CheckExact(object);
}

bool isAlike(const Argument &a, const Argument &b) {
  if (a.kind != b.kind || a.kind == Argument::Unknown)
    return false;
  if (a.identity == b.identity)
    return true;
  if (a.kind != Argument::Constant ||
      Py_TYPE(a.identity) != Py_TYPE(b.identity))
    return false;
  if (PyFloat_CheckExact(a.identity)) {
    double x = PyFloat_AS_DOUBLE(a.identity), y = PyFloat_AS_DOUBLE(b.identity);
    return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  }
  return isValue(a.identity) &&
         PyObject_RichCompareBool(a.identity, b.identity, Py_EQ) == 1;
}

uint64_t hashOf(const Argument &argument) {
  uint64_t hash = argument.kind;
  if (argument.identity) {
    if (argument.kind != Argument::Constant || !isValue(argument.identity)) {
      // Equal floats are seldom one object: only their type is compared.
      hash ^= PyFloat_CheckExact(argument.identity)
                  ? 1
                  : reinterpret_cast<uintptr_t>(argument.identity) >> 4;
    } else {
      hash ^= static_cast<uint64_t>(PyObject_Hash(argument.identity)) << 8;
    }
  }
  return hash * 0x9e3779b97f4a7c15;
}

/// Bytes that hold any integer of the kind.
static unsigned widthOf(const Argument &argument) {
  return argument.kind >= Argument::Int64 ? 8 : 4;
}

bool packClassified(const Slot &slot, const Argument &argument,
                    Py_ssize_t index, char *block) {
  switch (argument.kind) {
  case Argument::Tensor:
  case Argument::TensorAligned:
    if (slot.conversion != Conversion::Pointer)
      break;
    std::memcpy(block + slot.offset, &argument.bits, sizeof argument.bits);
    return true;
  case Argument::One:
    if (slot.conversion != Conversion::Integer)
      break;
    packInteger(slot, 1, block);
    return true;
  case Argument::Int32:
  case Argument::Int32Times16:
  case Argument::Int64:
  case Argument::Int64Times16:
    // An annotated argument may be narrower than its value: pack() checks.
    if (slot.conversion != Conversion::Integer || slot.size < widthOf(argument))
      break;
    packInteger(slot, static_cast<int64_t>(argument.bits), block);
    return true;
  default:
    break;
  }
  return pack(slot, argument.object, index, block);
}

} // namespace nereid::python
