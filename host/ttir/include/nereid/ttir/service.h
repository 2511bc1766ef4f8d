// service.h: what libnereid asks of MLIR, behind one symbol.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// libnereid-ttir.so is loaded when something must be known of a kernel's text,
// and never to launch one: it brings MLIR and LLVM with it. Load it with
// RTLD_NOW | RTLD_LOCAL and keep it: LLVM does not survive being unloaded.

#ifndef NEREID_TTIR_SERVICE_H
#define NEREID_TTIR_SERVICE_H

#include <nereid/ext/ttir.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_TTIR_SERVICE_SYMBOL "nereid_ttir_service_1"

// Functions of the service. All diagnostics go to `call`, and all inputs are
// borrowed for the call. `input` is Triton IR of 3.6 to 3.9, text or MLIR
// bytecode; `name` stands for it in messages and may be empty.
typedef struct nereid_ttir_service_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Parses `input`, checks it, runs `passes` and writes the module as text with
  // its locations. `passes` is a pass pipeline as MLIR writes them, for example
  // "inline,canonicalize"; with null data the standard pipeline runs, with an
  // empty one none does. Fails with NEREID_INVALID_ARGUMENT. [any-thread]
  nereid_status_t (*normalize)(const nereid_call_t *call, nereid_string_t name,
                               nereid_bytes_t input, nereid_string_t passes,
                               const nereid_writer_t *output);

  // Parses `input`, checks it and writes its public functions as JSON:
  //   {"functions": [{"name": "k", "attributes": {"noinline": false},
  //     "arguments": [{"name": "x_ptr", "type": "!tt.ptr<f32>",
  //                    "attributes": {"tt.divisibility": 16},
  //                    "written": true}]}]}
  // A pointer or a descriptor has "written": false only if the kernel never
  // stores through it, atomically or not. An address that escapes (to a call
  // that is not inlined, an integer, memory, inline assembly) is written.
  // An argument without a name in the source has "" for one. Attributes that
  // JSON cannot say are text. Fails with NEREID_INVALID_ARGUMENT. [any-thread]
  nereid_status_t (*describe)(const nereid_call_t *call, nereid_string_t name,
                              nereid_bytes_t input,
                              const nereid_writer_t *output);

  // Parses `input`, checks it, runs `passes` as normalize does, and shows its
  // operations to `visitor` (nereid/ext/ttir.h). Fails with
  // NEREID_INVALID_ARGUMENT, or with what the visitor returns. [any-thread]
  nereid_status_t (*walk)(const nereid_call_t *call, nereid_string_t name,
                          nereid_bytes_t input, nereid_string_t passes,
                          const nereid_ttir_visitor_t *visitor);
} nereid_ttir_service_t;

// Fills `*out_service`, whose `struct_size` the caller has set, as far as that
// size reaches. Never fails. [any-thread]
void nereid_ttir_service_1(nereid_ttir_service_t *out_service);

#ifdef __cplusplus
}
#endif
#endif // NEREID_TTIR_SERVICE_H
