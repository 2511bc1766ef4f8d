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

// What to check. Borrowed for the call.
typedef struct nereid_validate_request_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t path;      // of the plugin
  nereid_string_t compiler;  // the path of another plugin, which compiles for a
                             // plugin without a compiler; may be empty
  // What to compile for where no device of the plugin says it; NULL: the
  // plugin's device type.
  const nereid_target_t *target;
} nereid_validate_request_t;

// Runs the conformance checks, each in a process of the program nereid-probe
// that is installed with libnereid, and gives a JSON list of {"check", "about",
// "result": "pass"|"fail"|"skip", "detail"}. The status tells whether they
// could be run. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_validate_plugin(const nereid_validate_request_t *request,
                       nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_CONFORMANCE_H
