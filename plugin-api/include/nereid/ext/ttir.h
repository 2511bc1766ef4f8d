// nereid/ext/ttir.h - extension "nereid.ttir/1" of a host: what it knows of
// Triton's IR, for plugins that do not want to carry MLIR.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin asks for it with nereid_host_t.get_extension. The first call loads
// MLIR into the process; a host without it answers NEREID_UNAVAILABLE.

#ifndef NEREID_EXT_TTIR_H
#define NEREID_EXT_TTIR_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_TTIR "nereid.ttir/1"

// Input is TTIR of Triton 3.6 to 3.9, text or MLIR bytecode; `name` stands for
// it in messages and may be empty. What is wrong with it is reported to `call`,
// with line and column, and is NEREID_INVALID_ARGUMENT.
typedef struct nereid_ttir_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Parses and checks `input`, runs `passes` and writes the module
  // as text with its locations. `passes` is a pipeline as MLIR writes them,
  // "inline,canonicalize"; null data means the passes that Triton runs, and an
  // empty text means none. [any-thread]
  nereid_status_t (*normalize)(nereid_bytes_t input, nereid_string_t name,
                               nereid_string_t passes,
                               const nereid_writer_t *output,
                               const nereid_call_t *call);

  // Required. Parses and checks `input` and writes its public functions as
  // JSON: {"functions": [{"name": "k", "attributes": {"noinline": false},
  // "arguments": [{"name": "x_ptr", "type": "!tt.ptr<f32>", "attributes":
  // {"tt.divisibility": 16}, "written": true}]}]}. A pointer or a descriptor
  // has "written": false only if the kernel never stores through it, atomically
  // or not; an address that escapes (to a call that is not inlined, an integer,
  // memory, inline assembly) counts as written. [any-thread]
  nereid_status_t (*describe)(nereid_bytes_t input, nereid_string_t name,
                              const nereid_writer_t *output,
                              const nereid_call_t *call);
} nereid_ttir_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_TTIR_H
