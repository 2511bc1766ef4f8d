// ttir.h - what is known of a kernel's TTIR.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_TTIR_H
#define NEREID_PYTHON_TTIR_H

#include "object.h"

namespace nereid::python {

/// describe_ttir(source, name) -> JSON; see describe in nereid/ext/ttir.h. The
/// first call loads MLIR.
PyObject *describeTtir(PyObject *module, PyObject *args);

} // namespace nereid::python

#endif // NEREID_PYTHON_TTIR_H
