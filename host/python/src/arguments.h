// arguments.h - packs Python values into the argument block of a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_ARGUMENTS_H
#define NEREID_PYTHON_ARGUMENTS_H

#include "object.h"

#include <vector>

namespace nereid::python {

/// How a Python object is converted to an argument.
enum class Conversion : uint8_t {
  Pointer, // an address, or an object with data_ptr()
  Bool,
  Integer, // of any size, signed or not: the low bits
  F16,
  BF16,
  F32,
  F64,
};

/// The location and the type of an argument in the block.
struct Slot {
  Conversion conversion;
  uint8_t size;
  uint32_t offset;
};

/// Reads the layout of \p function; false with an error set if it has a type
/// that no Python value can be converted to.
bool readSlots(const nereid_function_t *function, std::vector<Slot> &out);

/// Adds the slot of \p argument, the next one; false with an error set as
/// above.
bool addSlot(const nereid_argument_t &argument, std::vector<Slot> &out);

/// Appends (name, type, offset, size) of \p argument to \p list; false with an
/// error set.
bool appendArgument(PyObject *list, const nereid_argument_t &argument);

/// Converts \p value for \p slot of \p block; false with an error set if it
/// does not fit. The message has \p index, the number of the argument. \p home:
/// the attribute, such as "is_cuda", that is true for tensors whose address the
/// kernel can use; null for those of the host.
bool pack(const Slot &slot, PyObject *value, Py_ssize_t index, char *block,
          PyObject *home = nullptr);

/// Writes an integer to a slot of an integer or a bool.
void packInteger(const Slot &slot, int64_t value, char *block);

/// Names of attributes that a launch reads; created with the module.
struct Names {
  PyObject *dataPtr, *isCpu, *device, *getDevice, *base, *shape, *strides,
      *padding, *roundToTf32, *cacheKey;
};
extern Names names;
bool makeNames();

} // namespace nereid::python

#endif // NEREID_PYTHON_ARGUMENTS_H
