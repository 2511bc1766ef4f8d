// launcher.h - what Triton calls to launch a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_LAUNCHER_H
#define NEREID_PYTHON_LAUNCHER_H

#include "kernel.h"

namespace nereid::python {

bool addLauncherType(PyObject *module);

/// Launches \p kernel with the flags and the scratch memory that \p launcher, a
/// Launcher, was made with; raises and false on failure.
bool launchBy(PyObject *launcher, KernelObject *kernel, Grid grid,
              nereid_stream_t stream, const char *block);

/// True for a launcher each of whose parameters is one argument of \p kernel or
/// none; \p reaches is true for those that are.
bool isPlainLauncher(PyObject *launcher, const KernelObject *kernel,
                     std::vector<bool> &reaches);

} // namespace nereid::python

#endif // NEREID_PYTHON_LAUNCHER_H
