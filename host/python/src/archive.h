// archive.h - archives of kernels in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_ARCHIVE_H
#define NEREID_PYTHON_ARCHIVE_H

#include "object.h"

namespace nereid::python {

bool addArchiveTypes(PyObject *module);

/// open_archive(path)
PyObject *openArchive(PyObject *module, PyObject *path);

} // namespace nereid::python

#endif // NEREID_PYTHON_ARCHIVE_H
