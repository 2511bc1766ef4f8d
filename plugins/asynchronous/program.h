// program.h - the program of a kernel: the list of operations that the devices
// interpret, and its two forms, text and image.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A program is in SSA form: operation i defines value i. A value has `lanes`
// elements; a scalar has one. The text has one line for each fact:
//   asynchronous 1
//   arch a1
//   warps 4
//   kernel "add_kernel"
//   file "vector_add.py"
//   argument "x" *f32 written
//   %0 = argument ptr x1 #0 @12
//   %5 = addptr ptr x1024 %2 %4 #4 @17
// An operation has operands (_ for one that is omitted), an immediate, a
// message in quotes, and the line of the source. The image has the same
// contents as little-endian numbers after a header with size and checksum.

#ifndef NEREID_ASYNCHRONOUS_PROGRAM_H
#define NEREID_ASYNCHRONOUS_PROGRAM_H

#include "nereid/base.h"

#define PROGRAM_MAX_ARGUMENTS 128u
#define PROGRAM_MAX_OPERATIONS 4096u
#define PROGRAM_MAX_TEXT 1024u             // bytes of a name or message
#define PROGRAM_MAX_TOTAL_LANES (1u << 20) // of all values together
#define PROGRAM_NO_OPERAND UINT32_MAX

enum program_type {
  TYPE_NONE,
  TYPE_I1,
  TYPE_I8,
  TYPE_I16,
  TYPE_I32,
  TYPE_I64,
  TYPE_F32,
  TYPE_F64,
  TYPE_POINTER,
  TYPE_COUNT
};

enum program_op {
  OP_ARGUMENT,
  OP_CONSTANT,
  OP_GET_PROGRAM_ID,
  OP_GET_NUM_PROGRAMS,
  OP_MAKE_RANGE,
  OP_SPLAT,
  OP_ADDPTR,
  OP_LOAD,
  OP_STORE,
  OP_ADDI,
  OP_SUBI,
  OP_MULI,
  OP_DIVSI,
  OP_REMSI,
  OP_ANDI,
  OP_ORI,
  OP_XORI,
  OP_MINSI,
  OP_MAXSI,
  OP_ADDF,
  OP_SUBF,
  OP_MULF,
  OP_DIVF,
  OP_MINNUMF,
  OP_MAXNUMF,
  OP_CMPI,
  OP_CMPF,
  OP_SELECT,
  OP_EXTSI,
  OP_EXTUI,
  OP_TRUNCI,
  OP_SITOFP,
  OP_FPTOSI,
  OP_EXTF,
  OP_TRUNCF,
  OP_PRINT,
  OP_ASSERT,
  OP_RETURN,
  OP_COUNT
};

// Predicates of comparisons: those of cmpi, then those of cmpf.
enum program_predicate {
  CMP_EQ,
  CMP_NE,
  CMP_SLT,
  CMP_SLE,
  CMP_SGT,
  CMP_SGE,
  CMP_ULT,
  CMP_ULE,
  CMP_UGT,
  CMP_UGE,
  CMP_OEQ,
  CMP_OGT,
  CMP_OGE,
  CMP_OLT,
  CMP_OLE,
  CMP_ONE,
  CMP_UNE,
  CMP_COUNT
};

typedef struct operation_t {
  uint32_t op;
  uint32_t type; // of the result; for a store, of the value
  uint32_t lanes;
  uint32_t operands[3];
  // argument: its index; constant: the value, bits of a double for a float;
  // get_*: the axis; make_range: its start; addptr: bytes of an element;
  // cmp*: the predicate.
  uint64_t immediate;
  uint32_t line;        // of the source, 0 if unknown
  nereid_string_t text; // of an assertion or a print
} operation_t;

typedef struct argument_t {
  nereid_string_t name;
  uint32_t is_pointer;
  uint32_t type;    // of a scalar, or the element type of a pointer
  uint32_t written; // the kernel may store through it
} argument_t;

typedef struct program_t {
  uint32_t arch; // number of the device
  uint32_t warps;
  nereid_string_t name;
  nereid_string_t file; // of the source
  uint32_t argument_count;
  uint32_t count;
  uint32_t capacity;
  argument_t arguments[PROGRAM_MAX_ARGUMENTS];
  operation_t *operations;
  char *texts[256]; // owned; names and messages point to them
  uint32_t text_count;
} program_t;

// Each sets `*out_program`, which the caller destroys. A program that breaks a
// rule is reported and is NEREID_INVALID_ARGUMENT.
nereid_status_t program_parse(nereid_string_t text, program_t **out_program,
                              const nereid_call_t *call);
nereid_status_t program_read(nereid_bytes_t image, program_t **out_program,
                             const nereid_call_t *call);
void program_destroy(program_t *program); // accepts NULL

nereid_status_t program_print(const program_t *program,
                              const nereid_writer_t *output);
nereid_status_t program_write(const program_t *program,
                              const nereid_writer_t *output,
                              const nereid_call_t *call);

// For the compiler, which builds a program. NULL if out of memory.
program_t *program_create(void);
operation_t *program_append(program_t *program);
// Sets `*to` to a copy of `text` that the program owns; 0 if out of memory.
int32_t program_keep(program_t *program, nereid_string_t text,
                     nereid_string_t *to);
// Checks all rules of the list, so that only its accesses to memory need a
// check while it runs.
nereid_status_t program_check(const program_t *program,
                              const nereid_call_t *call);
// The end of reading a program: checks it if `status` is NEREID_OK, and sets
// `*out_program`. Destroys it on failure.
nereid_status_t program_finish(program_t *program, nereid_status_t status,
                               program_t **out_program,
                               const nereid_call_t *call);

// Tables of names; a search returns the COUNT of its kind for an unknown one.
uint32_t program_find_op(nereid_string_t name);
uint32_t program_find_type(nereid_string_t name);
uint32_t program_find_predicate(uint32_t op, nereid_string_t name);
const char *program_op_name(uint32_t op);
const char *program_predicate_name(uint64_t predicate);
const char *program_type_name(uint32_t type);
uint32_t program_type_size(uint32_t type); // bytes in memory

// The offset of an argument in the argument block: the next multiple of its
// size. For `argument_count`, the size of the block: a multiple of 8.
uint32_t program_argument_offset(const program_t *program, uint32_t index);

#endif // NEREID_ASYNCHRONOUS_PROGRAM_H
