// arguments.h - Python's values in the packed block of a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_ARGUMENTS_H
#define NEREID_PYTHON_ARGUMENTS_H

#include "object.h"

#include <vector>

namespace nereid::python {

/// How the bytes of an argument come from a Python object.
enum class Conversion : uint8_t {
  Pointer, // an address, or an object with data_ptr()
  Bool,
  Integer, // of any size, signed or not: the low bits
  F16,
  BF16,
  F32,
  F64,
};

/// Where an argument lies in the block and what it is.
struct Slot {
  Conversion conversion;
  uint8_t size;
  uint32_t offset;
};

/// Reads the layout of \p function; with an error set and false where it has
/// a type that Python's values do not fit.
bool readSlots(const nereid_function_t *function, std::vector<Slot> &out);

/// Converts \p value for \p slot of \p block. With an error set and false if it
/// does not fit; \p index names the argument then.
bool pack(const Slot &slot, PyObject *value, Py_ssize_t index, char *block);

/// Writes an integer to an integer's or a bool's slot.
void packInteger(const Slot &slot, int64_t value, char *block);

/// Names of attributes that a launch asks for; made with the module.
struct Names {
  PyObject *dataPtr, *isCpu, *device, *base, *shape, *strides, *padding,
      *roundToTf32, *cacheKey;
};
extern Names names;
bool makeNames();

} // namespace nereid::python

#endif // NEREID_PYTHON_ARGUMENTS_H
