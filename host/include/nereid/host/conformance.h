// nereid/host/conformance.h - the checks that a plugin should pass.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_CONFORMANCE_H
#define NEREID_INCLUDE_HOST_CONFORMANCE_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs the conformance checks on the plugin at `path`, each in its own child
// process, and returns a JSON list of {"check", "result": "pass"|"fail"|"skip",
// "detail"}. The status reports whether they could run. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_validate_plugin(nereid_string_t path, nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_CONFORMANCE_H
