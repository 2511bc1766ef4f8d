// backend.h - one loaded plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_BACKEND_H
#define NEREID_PYTHON_BACKEND_H

#include "object.h"

namespace nereid::python {

/// The runtime outlives the interpreter, so the handle stays valid.
struct BackendObject {
  PyObject_HEAD nereid_backend_t *backend;
};

extern PyTypeObject *backendType;
bool addBackendType(PyObject *module);

PyObject *wrapBackend(nereid_backend_t *backend);
inline nereid_backend_t *backendOf(PyObject *object) {
  return reinterpret_cast<BackendObject *>(object)->backend;
}

/// The number of a device; false with a ValueError set for any other object.
bool readDevice(PyObject *object, uint32_t &out);
/// The same for PyArg_ParseTuple's "O&": \p out is a uint32_t.
int convertDevice(PyObject *object, void *out);

/// An address, a handle or a count, for PyArg_ParseTuple's "O&": unlike "K" it
/// refuses numbers that do not fit. \p out is an unsigned long long.
int convertSize(PyObject *object, void *out);

/// None, or null with nereid.Error raised.
PyObject *noneOrRaise(nereid_status_t status);

/// A method with the arguments (device, address or handle): runs \p call
/// without the GIL.
PyObject *callWithHandle(PyObject *object, PyObject *args,
                         nereid_status_t (*call)(nereid_backend_t *, uint32_t,
                                                 uint64_t));

/// Methods for memory (backend_memory.cpp).
extern PyMethodDef memoryMethods[];
bool addHostMemoryType(PyObject *module);

/// Methods for streams and events (backend_streams.cpp).
extern PyMethodDef streamMethods[];
bool addEventType(PyObject *module);

} // namespace nereid::python

#endif // NEREID_PYTHON_BACKEND_H
