// arguments.cpp - packs Python values into the argument block of a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "arguments.h"

#include <bit>
#include <cstring>

#if PY_VERSION_HEX < 0x030B0000
#define PyFloat_Pack2(value, at, little)                                       \
  _PyFloat_Pack2(value, reinterpret_cast<unsigned char *>(at), little)
#endif

namespace nereid::python {

Names names = {};

bool makeNames() {
  const std::pair<PyObject **, const char *> all[] = {
      {&names.dataPtr, "data_ptr"},
      {&names.isCpu, "is_cpu"},
      {&names.device, "device"},
      {&names.getDevice, "get_device"},
      {&names.base, "base"},
      {&names.shape, "shape"},
      {&names.strides, "strides"},
      {&names.padding, "padding"},
      {&names.roundToTf32, "round_f32_to_tf32"},
      {&names.cacheKey, "cache_key"},
  };
  for (auto [name, spelling] : all) {
    *name = PyUnicode_InternFromString(spelling);
    if (!*name)
      return false;
  }
  return true;
}

static bool conversionOf(std::string_view type, Conversion &out) {
  if (type.starts_with('*'))
    out = Conversion::Pointer;
  else if (type == "i1")
    out = Conversion::Bool;
  else if (type.starts_with('i') || type.starts_with('u'))
    out = Conversion::Integer;
  else if (type == "f16")
    out = Conversion::F16;
  else if (type == "bf16")
    out = Conversion::BF16;
  else if (type == "f32")
    out = Conversion::F32;
  else if (type == "f64")
    out = Conversion::F64;
  else
    return false;
  return true;
}

bool appendArgument(PyObject *list, const nereid_argument_t &argument) {
  Ref name(toStr(argument.name)), type(toStr(argument.type));
  if (!name || !type)
    return false;
  Ref item(Py_BuildValue("(OOII)", name.get(), type.get(), argument.offset,
                         argument.size));
  return item && PyList_Append(list, item.get()) == 0;
}

bool addSlot(const nereid_argument_t &argument, std::vector<Slot> &out) {
  Slot slot = {};
  if (!conversionOf(view(argument.type), slot.conversion) ||
      argument.size > 8) {
    Ref type(toStr(argument.type));
    PyErr_Format(PyExc_TypeError,
                 "argument %zu of the kernel has type %R, for which Python "
                 "has no value",
                 out.size(), type.get());
    return false;
  }
  slot.size = static_cast<uint8_t>(argument.size);
  slot.offset = argument.offset;
  out.push_back(slot);
  return true;
}

bool readSlots(const nereid_function_t *function, std::vector<Slot> &out) {
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  (void)nereid_function_info(function, &info);
  for (uint32_t i = 0; i < info.argument_count; ++i) {
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    (void)nereid_function_argument(function, i, &argument);
    if (!addSlot(argument, out))
      return false;
  }
  return true;
}

void packInteger(const Slot &slot, int64_t value, char *block) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(block + slot.offset, &value, slot.size);
}

template <typename T> static bool put(const Slot &slot, T value, char *block) {
  std::memcpy(block + slot.offset, &value, sizeof value);
  return !PyErr_Occurred();
}

/// Rounds to nearest, ties to even.
static uint16_t toBf16(double value) {
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Triton's text, which programs match, followed by the reason.
static bool refuseTensor(PyObject *tensor, Py_ssize_t index, bool isHost) {
  Ref device(PyObject_GetAttr(tensor, names.device));
  if (device)
    PyErr_Format(PyExc_ValueError,
                 "Pointer argument (at %zd) cannot be accessed from Triton "
                 "(cpu tensor?): it is on %S, expected memory of the %s",
                 index, device.get(), isHost ? "host" : "device");
  return false;
}

static bool packPointer(const Slot &slot, PyObject *value, Py_ssize_t index,
                        char *block, PyObject *home) {
  if (value == Py_None)
    return put(slot, uint64_t(0), block);
  if (PyLong_Check(value))
    return put(slot, uint64_t(PyLong_AsUnsignedLongLong(value)), block);
  Ref isHome(PyObject_GetAttr(value, home ? home : names.isCpu));
  if (!isHome)
    PyErr_Clear(); // not a torch tensor: use its address unchecked
  else if (isHome.get() == Py_False)
    return refuseTensor(value, index, !home);
  Ref address(PyObject_CallMethodNoArgs(value, names.dataPtr));
  if (address && PyLong_Check(address.get()))
    return put(slot, uint64_t(PyLong_AsUnsignedLongLong(address.get())), block);
  if (address)
    PyErr_Format(PyExc_TypeError,
                 "data_ptr() of argument %zd gave a %s, expected int", index,
                 Py_TYPE(address.get())->tp_name);
  else if (PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Format(PyExc_TypeError,
                 "argument %zd is a %s, expected a tensor, an object with "
                 "data_ptr(), an address or None",
                 index, Py_TYPE(value)->tp_name);
  return false;
}

/// Names the argument in the error that Python raised for its type.
static bool refuseType(PyObject *value, Py_ssize_t index,
                       const char *expected) {
  if (PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Format(PyExc_TypeError, "argument %zd is a %s, expected %s", index,
                 Py_TYPE(value)->tp_name, expected);
  return false;
}

/// Whether \p value fits in \p size bytes, signed or unsigned: TTIR integers
/// are signless.
static bool fits(long long value, unsigned size) {
  if (size >= 8)
    return true;
  unsigned bits = 8 * size;
  return value >= -(1LL << (bits - 1)) && value < 1LL << bits;
}

static bool packLong(const Slot &slot, PyObject *value, Py_ssize_t index,
                     char *block) {
  Ref number(PyNumber_Index(value));
  if (!number)
    return refuseType(value, index, "an integer");
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (!overflow && fits(small, slot.size)) [[likely]] {
    packInteger(slot, small, block);
    return true;
  }
  if (overflow > 0 && slot.size == 8) {
    unsigned long long large = PyLong_AsUnsignedLongLong(number.get());
    if (!PyErr_Occurred()) {
      packInteger(slot, static_cast<int64_t>(large), block);
      return true;
    }
    PyErr_Clear();
  }
  PyErr_Format(PyExc_OverflowError,
               "argument %zd does not fit the kernel's integer of %d bits",
               index, 8 * slot.size);
  return false;
}

/// A truth value: a bool, also one of numpy, which is not an integer in Python,
/// or an integer of one bit. Triton keeps the lowest bit of larger ones; even
/// ones, which would be false, are refused.
static bool packBool(const Slot &slot, PyObject *value, Py_ssize_t index,
                     char *block) {
  bool isTruth =
      PyBool_Check(value) ||
      std::string_view(Py_TYPE(value)->tp_name).starts_with("numpy.bool");
  if (isTruth) {
    int truth = PyObject_IsTrue(value);
    return truth >= 0 && put(slot, uint8_t(truth), block);
  }
  Ref number(PyNumber_Index(value));
  if (!number)
    return refuseType(value, index, "a truth value");
  int overflow = 0;
  long long bit = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (!overflow && (bit == 0 || bit % 2 != 0))
    return put(slot, uint8_t(bit != 0), block);
  PyErr_Format(PyExc_OverflowError,
               "argument %zd does not fit the kernel's integer of 1 bit",
               index);
  return false;
}

static bool packFloat(const Slot &slot, PyObject *value, Py_ssize_t index,
                      char *block) {
  double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred())
    return refuseType(value, index, "a number");
  switch (slot.conversion) {
  case Conversion::F16:
    return PyFloat_Pack2(number, block + slot.offset, 1) == 0;
  case Conversion::BF16:
    return put(slot, toBf16(number), block);
  case Conversion::F32:
    return put(slot, static_cast<float>(number), block);
  default:
    return put(slot, number, block);
  }
}

bool pack(const Slot &slot, PyObject *value, Py_ssize_t index, char *block,
          PyObject *home) {
  switch (slot.conversion) {
  case Conversion::Pointer:
    return packPointer(slot, value, index, block, home);
  case Conversion::Bool:
    return packBool(slot, value, index, block);
  case Conversion::Integer:
    return packLong(slot, value, index, block);
  case Conversion::F16:
  case Conversion::BF16:
  case Conversion::F32:
  case Conversion::F64:
    return packFloat(slot, value, index, block);
  }
  return false;
}

} // namespace nereid::python
