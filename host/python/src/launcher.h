// launcher.h - what Triton calls to launch a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_LAUNCHER_H
#define NEREID_PYTHON_LAUNCHER_H

#include "kernel.h"

namespace nereid::python {

bool addLauncherType(PyObject *module);

} // namespace nereid::python

#endif // NEREID_PYTHON_LAUNCHER_H
