// nereid/ops.h - operators for host programs: packs of kernels, and which
// kernel a call takes. In libnereid-ops, over nereid/host.h.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of nereid/host.h hold here too: C11, structs that start with their
// size and grow at the end, thread words on every function, nereid_error() for
// the reasons of a failure. docs/operators.md describes packs and expressions.

#ifndef NEREID_OPS_H
#define NEREID_OPS_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The operator packs that were found.
typedef struct nereid_ops_t nereid_ops_t;

// Flags of nereid_ops_options_t.
enum {
  NEREID_OPS_IGNORE_ENVIRONMENT = 1u,  // nor the user's own pack
  NEREID_OPS_NO_INSTALLED = 2u,        // not the packs beside the library
  NEREID_OPS_ALLOW_WRITABLE = 4u       // accept packs that others can write
};

// Where packs are looked for. Zero is the default of every field.
typedef struct nereid_ops_options_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_string_t pack_dirs;  // like NEREID_PACK_DIRS, which it replaces
  nereid_string_t user_dir;   // in place of the user's own pack
} nereid_ops_options_t;

// Finds and reads packs. What is wrong with a pack or an operator is not an
// error: it is left out, and is in the report. `options` may be NULL.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_create(const nereid_ops_options_t *options, nereid_ops_t **out_ops);
// [exclusive]
NEREID_EXPORT void nereid_ops_destroy(nereid_ops_t *ops);

// The load report: {"packs": [{"vendor", "directory", "targets", "operators",
// "configurations", "layers"}], "problems": [{"file", "line", "column",
// "text"}]}. A problem of a whole file has line 0. [any-thread]
NEREID_EXPORT nereid_status_t nereid_ops_report(const nereid_ops_t *ops,
                                                nereid_buffer_t **out_json);

// What operators are chosen for.
typedef struct nereid_ops_target_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t device_type;  // "cuda"
  nereid_string_t arch;         // as in nereid_target_t
  nereid_string_t compiler;     // "triton-3.6.0"; may be empty
  // The driver's properties as a JSON object (nereid_backend_properties), which
  // expressions see as `device`; may be empty.
  nereid_string_t properties;
} nereid_ops_target_t;

// The operators for `target`, or all if it is NULL: [{"operator", "layers",
// "variants", "disabled"}], the layer that is looked at first first; "disabled"
// is a reason or null. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_list(const nereid_ops_t *ops, const nereid_ops_target_t *target,
                nereid_buffer_t **out_json);
// {"operator", "schema", "backward", "aten", "layers": [{"layer", "file",
// "variants": [{"name", "line", "when", "kernels", "tune"}]}]}. The error for
// an unknown name suggests similar ones. [any-thread]
NEREID_EXPORT nereid_status_t nereid_ops_show(const nereid_ops_t *ops,
                                              nereid_string_t name,
                                              nereid_buffer_t **out_json);
// What a call of `name` launches on `target`, and why. `call` is a JSON object:
// {"inputs": {"x": {"shape": [4, 8], "dtype": "f16", "stride": [8, 1], "align":
// 16}}, "outputs": {...}, "attributes": {"dim": -1}, "configuration":
// {"constants": {...}, "options": {...}}}; an input that is a list of tensors is
// a list. Stride and align, and all but the inputs, may be missing.
// docs/operators.md describes the answer. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_explain(const nereid_ops_t *ops, const nereid_ops_target_t *target,
                   nereid_string_t name, nereid_string_t call,
                   nereid_buffer_t **out_json);

// An expression of an operator pack, parsed.
typedef struct nereid_expression_t nereid_expression_t;

// Parses `text`; the error names the column. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_expression_parse(nereid_string_t text,
                        nereid_expression_t **out_expression);
// [any-thread]
NEREID_EXPORT void
nereid_expression_destroy(nereid_expression_t *expression);
// Evaluates it over `values`, a JSON object with the value of each name; an
// object in it is something with attributes, like a tensor. The result is
// written as Python's repr() writes it: "[1, 2.5, 'a', None]". [any-thread]
NEREID_EXPORT nereid_status_t
nereid_expression_evaluate(const nereid_expression_t *expression,
                           nereid_string_t values,
                           nereid_buffer_t **out_text);

#ifdef __cplusplus
}
#endif
#endif // NEREID_OPS_H
