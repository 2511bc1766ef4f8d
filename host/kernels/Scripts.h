// Scripts.h - the Python that makes TTIR, as text: a program that runs it is
// one file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_KERNELS_SCRIPTS_H
#define NEREID_HOST_KERNELS_SCRIPTS_H

namespace nereid::kernels {

extern const char *const kernelsScript; // kernels.py
extern const char *const serveScript;   // serve.py
extern const char *const workerScript;  // host/worker/nereid_worker.py

} // namespace nereid::kernels

#endif // NEREID_HOST_KERNELS_SCRIPTS_H
