// specialization.h - what Triton compiles a kernel anew for.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Triton specializes a kernel on the kind of each argument: the type of a
// tensor's elements and whether its address is a multiple of 16, whether a
// number is 1, a multiple of 16, or needs 64 bits, the value of a constant.
// Two calls whose arguments are alike here are alike for Triton; the converse
// need not hold.

#ifndef NEREID_PYTHON_SPECIALIZATION_H
#define NEREID_PYTHON_SPECIALIZATION_H

#include "arguments.h"

namespace nereid::python {

/// One argument of a call, and what Triton would tell it from others by.
struct Argument {
  enum Kind : uint8_t {
    Unknown, // Triton has to look at it
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
    Constant,      // told apart by value
  };
  Kind kind = Unknown;
  PyObject *object = nullptr;   // borrowed
  PyObject *identity = nullptr; // a tensor's dtype, a constant; borrowed
  uint64_t bits = 0;            // an address, or the low bits of an integer
};

/// Types of torch's that are tensors on memory of their own.
struct TensorTypes {
  PyObject *tensor, *parameter, *dtypeName;
};

/// Reads \p object as an argument. What it does not know is Unknown, and what
/// is wrong with it is for Triton to say; no Python error is left.
Argument classify(PyObject *object, const TensorTypes &types);

/// \p object as a compile-time constant; Unknown if it may change.
Argument constantOf(PyObject *object);

/// True when Triton takes both for the same.
bool isAlike(const Argument &a, const Argument &b);

/// Equal for arguments that are alike.
uint64_t hashOf(const Argument &argument);

/// Packs \p argument, whose kind is no constant's, as pack() does.
bool packClassified(const Slot &slot, const Argument &argument,
                    Py_ssize_t index, char *block);

} // namespace nereid::python

#endif // NEREID_PYTHON_SPECIALIZATION_H
