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

/// Methods for memory, streams and events (backend_memory.cpp).
extern PyMethodDef memoryMethods[];
bool addEventType(PyObject *module);

} // namespace nereid::python

#endif // NEREID_PYTHON_BACKEND_H
