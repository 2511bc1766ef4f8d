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
