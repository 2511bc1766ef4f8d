// specialization.h - what Triton's JIT specializes a kernel on.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Triton specializes a kernel on the kind of each argument: the type of a
// tensor's elements and whether its address is a multiple of 16, whether a
// number is 1, a multiple of 16, or needs 64 bits, the value of a constant.
// Two calls whose arguments are equal here have one kernel in Triton; the
// converse need not hold.

#ifndef NEREID_PYTHON_SPECIALIZATION_H
#define NEREID_PYTHON_SPECIALIZATION_H

#include "arguments.h"

namespace nereid::python {

/// One argument of a call, reduced to what Triton specializes on.
struct Argument {
  enum Kind : uint8_t {
    Unknown, // the call goes to Triton
    None,
    Bool,
    One, // an integer
    Int32,
    Int32Times16,
    Int64,
    Int64Times16,
    UInt64,
    UInt64Times16,
    Float,
    Tensor,
    TensorAligned, // to 16 bytes
    Constant,      // compared by value
  };
  Kind kind = Unknown;
  PyObject *object = nullptr;   // borrowed
  PyObject *identity = nullptr; // a tensor's dtype, a constant; borrowed
  uint64_t bits = 0;            // an address, or the low bits of an integer
};

/// The tensors of torch whose addresses a kernel can use.
struct TensorTypes {
  PyObject *tensor, *parameter; // types with a storage of their own
  PyObject *dtypeName;
  PyObject *home; // the name of an attribute that is true for them
};

/// Classifies \p object. \p device: the number that get_device() of a tensor
/// has to return, or -1 if there is one device only. Objects of unknown types,
/// and those that raise an exception, are Unknown: Triton reports what is
/// wrong. Leaves no exception set.
Argument classify(PyObject *object, const TensorTypes &types, long device);

/// \p object as a compile-time constant; Unknown if it may change.
Argument constantOf(PyObject *object);

/// True if Triton would use the same kernel for both.
bool isAlike(const Argument &a, const Argument &b);

/// Equal for arguments for which isAlike() is true.
uint64_t hashOf(const Argument &argument);

/// Packs \p argument as pack() does. Its kind is not Constant.
bool packClassified(const Slot &slot, const Argument &argument,
                    Py_ssize_t index, char *block);

} // namespace nereid::python

#endif // NEREID_PYTHON_SPECIALIZATION_H
