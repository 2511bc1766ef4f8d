// dispatch.h - kernel[grid](...) without Triton's JIT, for calls seen before.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_DISPATCH_H
#define NEREID_PYTHON_DISPATCH_H

#include "object.h"

namespace nereid::python {

/// Adds install_dispatcher() and remove_dispatcher() (triton/dispatch.py).
bool addDispatcher(PyObject *module);

} // namespace nereid::python

#endif // NEREID_PYTHON_DISPATCH_H
