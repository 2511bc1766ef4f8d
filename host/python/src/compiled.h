// compiled.h - the result of a compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_COMPILED_H
#define NEREID_PYTHON_COMPILED_H

#include "object.h"

namespace nereid::python {

struct CompiledObject {
  PyObject_HEAD
  nereid_compiled_t *compiled;
};

extern PyTypeObject *compiledType;
bool addCompiledType(PyObject *module);

/// Takes \p compiled over.
PyObject *wrapCompiled(nereid_compiled_t *compiled);

} // namespace nereid::python

#endif // NEREID_PYTHON_COMPILED_H
