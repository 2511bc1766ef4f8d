// nereid/ext/ttir.h - extension "nereid.ttir/1" of a host: services for
// Triton's IR, for plugins that do not link MLIR.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin requests it with nereid_host_t.get_extension. The first call loads
// MLIR into the process; a host without it returns NEREID_UNAVAILABLE.

#ifndef NEREID_EXT_TTIR_H
#define NEREID_EXT_TTIR_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_TTIR "nereid.ttir/1"

// A value of a module: the result of an operation or an argument of a block.
typedef struct nereid_ttir_value_t {
  uint32_t struct_size;
  uint32_t id;                       // unique in the walk, from 0
  nereid_string_t type;              // "tensor<1024xf32>", "!tt.ptr<f32>"
  nereid_string_t name;              // in the user's source; empty if unknown
  const nereid_value_t *attributes;  // of a function's argument
  uint64_t attribute_count;
} nereid_ttir_value_t;

// An operation. Attributes are I64, F64, BOOL or STRING; a splat tensor of
// numbers is that number, other tensors of numbers are lists, and everything
// else is the text that MLIR prints. A symbol is its name, "max" for @max; an
// enumeration its keyword, "slt" for a predicate of arith.cmpi.
typedef struct nereid_ttir_op_t {
  uint32_t struct_size;
  uint32_t region_count;
  nereid_string_t name;              // "tt.load"
  const uint32_t *operands;          // ids of values
  uint64_t operand_count;
  const nereid_ttir_value_t *results;
  uint64_t result_count;
  const nereid_value_t *attributes;
  uint64_t attribute_count;
  const uint32_t *successors;        // ids of blocks
  uint64_t successor_count;
  nereid_string_t file;              // of the user's source: the location
  uint32_t line;                     // in messages; that of the module if the
  uint32_t column;                   // source is unknown
} nereid_ttir_op_t;

// A block of a region.
typedef struct nereid_ttir_block_t {
  uint32_t struct_size;
  uint32_t id;                       // unique in the walk, from 0
  const nereid_ttir_value_t *arguments;
  uint64_t argument_count;
} nereid_ttir_block_t;

// Receives a module in the order of its text. Everything is borrowed for the
// call; a status other than NEREID_OK ends the walk, which returns it.
typedef struct nereid_ttir_visitor_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // An operation. Its regions follow, `region_count` of them, each as
  // begin_region, blocks with their operations, end_region. [serial]
  nereid_status_t (*op)(const struct nereid_ttir_visitor_t *visitor,
                        const nereid_ttir_op_t *op);
  // [serial]
  nereid_status_t (*begin_region)(const struct nereid_ttir_visitor_t *visitor);
  // A block: the operations that follow, up to the next block or the region's
  // end, are its. [serial]
  nereid_status_t (*block)(const struct nereid_ttir_visitor_t *visitor,
                           const nereid_ttir_block_t *block);
  // [serial]
  nereid_status_t (*end_region)(const struct nereid_ttir_visitor_t *visitor);
} nereid_ttir_visitor_t;

// Input is TTIR of Triton 3.6 to 3.9, text or MLIR bytecode; `name` names it in
// messages and may be empty. Errors in it are reported to `call` with line and
// column, and are NEREID_INVALID_ARGUMENT.
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

  // Required. Writes a text that identifies this build of the service: equal
  // texts mean equal results. Does not load MLIR. Part of the key of kernels
  // whose plugin requested the extension in `create`. [any-thread]
  nereid_status_t (*identity)(const nereid_writer_t *output,
                              const nereid_call_t *call);

  // Required. Parses and checks `input`, runs `passes` as normalize does, and
  // shows every operation inside the module to `visitor`. [any-thread]
  nereid_status_t (*walk)(nereid_bytes_t input, nereid_string_t name,
                          nereid_string_t passes,
                          const nereid_ttir_visitor_t *visitor,
                          const nereid_call_t *call);
} nereid_ttir_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_TTIR_H
