// artifact.h - the result of a compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_ARTIFACT_H
#define NEREID_PYTHON_ARTIFACT_H

#include "object.h"

namespace nereid::python {

struct ArtifactObject {
  PyObject_HEAD nereid_artifact_t *artifact;
};

extern PyTypeObject *compiledType;
bool addCompiledType(PyObject *module);

/// Takes ownership of \p compiled.
PyObject *wrapArtifact(nereid_artifact_t *artifact);

} // namespace nereid::python

#endif // NEREID_PYTHON_ARTIFACT_H
