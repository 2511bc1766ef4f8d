// operator_call.h - an operator as a callable of Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_OPERATOR_CALL_H
#define NEREID_PYTHON_OPERATOR_CALL_H

#include "nereid/ops.h"
#include "object.h"

namespace nereid::python {

/// The packs on one device; never freed, as operators may still be called while
/// the interpreter ends.
struct OpsDeviceObject {
  PyObject_HEAD nereid_ops_device_t *loaded;
  nereid_backend_t *backend;
  uint32_t device;
  bool isSynchronous;
};

extern PyTypeObject *opsDeviceType;
bool addOpsDeviceType(PyObject *module);
bool addOperatorType(PyObject *module);

/// set_torch(is_grad_enabled, count_modes, find_transform, increment_version):
/// torch's functions that calls with its tensors use.
PyObject *setTorch(PyObject *module, PyObject *args);

} // namespace nereid::python

#endif // NEREID_PYTHON_OPERATOR_CALL_H
