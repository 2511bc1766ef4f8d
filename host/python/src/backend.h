// backend.h - one loaded plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_BACKEND_H
#define NEREID_PYTHON_BACKEND_H

#include "object.h"

namespace nereid::python {

/// The runtime outlives the interpreter, so a backend's handle stays good.
struct BackendObject {
  PyObject_HEAD
  nereid_backend_t *backend;
};

extern PyTypeObject *backendType;
bool addBackendType(PyObject *module);

PyObject *wrapBackend(nereid_backend_t *backend);

/// The number of a device; false with a ValueError set for any other object.
bool readDevice(PyObject *object, uint32_t &out);
/// The same for PyArg_ParseTuple's "O&": \p out is a uint32_t.
int convertDevice(PyObject *object, void *out);

/// Methods for memory, streams and events (backend_memory.cpp).
extern PyMethodDef memoryMethods[];
bool addEventType(PyObject *module);
bool addHostMemoryType(PyObject *module);

} // namespace nereid::python

#endif // NEREID_PYTHON_BACKEND_H
