// nereid/ext/frontend.h - extension "nereid.frontend/1" of a plugin: what
// kernels for a target may use.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A frontend (Triton's Python language) queries this before it makes TTIR, so
// that unsupported operations are rejected with their source line. For absent
// facts the frontend assumes the most restrictive value.

#ifndef NEREID_EXT_FRONTEND_H
#define NEREID_EXT_FRONTEND_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_FRONTEND "nereid.frontend/1"

typedef struct nereid_frontend_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Adds facts about `target`. Known names:
  //   fp8_types               STRING_LIST  of "fp8e4nv", "fp8e4b8", "fp8e4b15",
  //                                        "fp8e5", "fp8e5b16"
  //   dot_fp8_types           STRING_LIST  that tl.dot takes without a warning;
  //                                        as fp8_types if absent
  //   dot_precisions          STRING_LIST  of "tf32", "tf32x3", "ieee",
  //                                        "bf16x3", "bf16x6"
  //   default_dot_precision   STRING
  //   min_dot_size            I64_LIST     smallest m, n, k of tl.dot
  //   max_num_imprecise_acc   I64          default of tl.dot for fp8
  //   max_tensor_elements     I64          of one tensor of a program
  // [any-thread]
  nereid_status_t (*visit_facts)(nereid_state_t *state,
                                 const nereid_target_t *target,
                                 const nereid_value_sink_t *sink,
                                 const nereid_call_t *call);
} nereid_frontend_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_FRONTEND_H
