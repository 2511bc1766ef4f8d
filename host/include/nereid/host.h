// nereid/host.h - libnereid for host programs: find plugins, compile, cache,
// load and launch kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The same rules as on the plugin side (nereid/base.h): C11, structs that
// start with their size and grow at the end, thread words on every function.
//
// Errors
//   A function that fails returns a status and leaves its out parameters
//   untouched. nereid_error() then returns the reasons as text, for the calling
//   thread, until its next call that can fail.
//
// Ownership
//   Each object has one destroy function, which accepts NULL. A
//   runtime outlives everything made from it; destroying it first is an error
//   of the program. Strings in info structs live as long as their object.

#ifndef NEREID_HOST_H
#define NEREID_HOST_H

#include "nereid/host/archive.h"
#include "nereid/host/backend.h"
#include "nereid/host/base.h"
#include "nereid/host/cache.h"
#include "nereid/host/compile.h"
#include "nereid/host/conformance.h"
#include "nereid/host/event.h"
#include "nereid/host/function.h"
#include "nereid/host/interop.h"
#include "nereid/host/memory.h"
#include "nereid/host/runtime.h"
#include "nereid/host/stream.h"

#endif // NEREID_HOST_H
