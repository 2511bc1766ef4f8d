// tuning.h - the store of tuned results in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_TUNING_H
#define NEREID_PYTHON_TUNING_H

#include "object.h"

namespace nereid::python {

bool addTunedType(PyObject *module);

/// open_tuned(path)
PyObject *openTuned(PyObject *module, PyObject *path);

/// origin(backend, device)
PyObject *originOf(PyObject *module, PyObject *args);

} // namespace nereid::python

#endif // NEREID_PYTHON_TUNING_H
