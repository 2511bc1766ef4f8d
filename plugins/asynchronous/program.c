// program.c - the program of a kernel: its operations and their rules.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "program.h"
#include "asynchronous.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- names
// [ops]
// The classes of the result and the operands of each operation. Result: i any
// integer, f any float, b an i1, d an i32, p a pointer, v any value, n none.
// Operands: the same, and = of the result's type, ~ of the first operand's
// type, s a scalar of the result's type, c an i1 that may be a scalar. A ?
// follows an optional operand.
static const struct {
  const char *name;
  char result;
  const char *operands;
} ops[OP_COUNT] = {
    [OP_ARGUMENT] = {"argument", 'v', ""},
    [OP_CONSTANT] = {"constant", 'v', ""},
    [OP_GET_PROGRAM_ID] = {"get_program_id", 'd', ""},
    [OP_GET_NUM_PROGRAMS] = {"get_num_programs", 'd', ""},
    [OP_MAKE_RANGE] = {"make_range", 'd', ""},
    [OP_SPLAT] = {"splat", 'v', "s"},
    [OP_ADDPTR] = {"addptr", 'p', "=i"},
    [OP_LOAD] = {"load", 'v', "pb?=?"},
    [OP_STORE] = {"store", 'v', "p=b?"},
    // [/ops]
    [OP_ADDI] = {"addi", 'i', "=="},
    [OP_SUBI] = {"subi", 'i', "=="},
    [OP_MULI] = {"muli", 'i', "=="},
    [OP_DIVSI] = {"divsi", 'i', "=="},
    [OP_REMSI] = {"remsi", 'i', "=="},
    [OP_ANDI] = {"andi", 'i', "=="},
    [OP_ORI] = {"ori", 'i', "=="},
    [OP_XORI] = {"xori", 'i', "=="},
    [OP_MINSI] = {"minsi", 'i', "=="},
    [OP_MAXSI] = {"maxsi", 'i', "=="},
    [OP_ADDF] = {"addf", 'f', "=="},
    [OP_SUBF] = {"subf", 'f', "=="},
    [OP_MULF] = {"mulf", 'f', "=="},
    [OP_DIVF] = {"divf", 'f', "=="},
    [OP_MINNUMF] = {"minnumf", 'f', "=="},
    [OP_MAXNUMF] = {"maxnumf", 'f', "=="},
    [OP_CMPI] = {"cmpi", 'b', "i~"},
    [OP_CMPF] = {"cmpf", 'b', "f~"},
    [OP_SELECT] = {"select", 'v', "c=="},
    [OP_EXTSI] = {"extsi", 'i', "i"},
    [OP_EXTUI] = {"extui", 'i', "i"},
    [OP_TRUNCI] = {"trunci", 'i', "i"},
    [OP_SITOFP] = {"sitofp", 'f', "i"},
    [OP_FPTOSI] = {"fptosi", 'i', "f"},
    [OP_EXTF] = {"extf", 'f', "f"},
    [OP_TRUNCF] = {"truncf", 'f', "f"},
    [OP_PRINT] = {"print", 'n', "v?"},
    [OP_ASSERT] = {"assert", 'n', "b"},
    [OP_RETURN] = {"return", 'n', ""},
};

static const struct {
  const char *name;
  uint32_t size;
} types[TYPE_COUNT] = {
    [TYPE_NONE] = {"none", 0},   [TYPE_I1] = {"i1", 1},
    [TYPE_I8] = {"i8", 1},       [TYPE_I16] = {"i16", 2},
    [TYPE_I32] = {"i32", 4},     [TYPE_I64] = {"i64", 8},
    [TYPE_F32] = {"f32", 4},     [TYPE_F64] = {"f64", 8},
    [TYPE_POINTER] = {"ptr", 8},
};

static const char *const predicates[CMP_COUNT] = {
    "eq",  "ne",  "slt", "sle", "sgt", "sge", "ult", "ule", "ugt",
    "uge", "oeq", "ogt", "oge", "olt", "ole", "one", "une"};

uint32_t program_find_op(nereid_string_t name) {
  uint32_t i = 0;
  while (i < OP_COUNT && !is_equal(name, ops[i].name))
    ++i;
  return i;
}

uint32_t program_find_type(nereid_string_t name) {
  uint32_t i = 0;
  while (i < TYPE_COUNT && !is_equal(name, types[i].name))
    ++i;
  return i;
}

uint32_t program_find_predicate(uint32_t op, nereid_string_t name) {
  uint32_t i = op == OP_CMPI ? CMP_EQ : CMP_OEQ;
  uint32_t end = op == OP_CMPI ? CMP_OEQ : CMP_COUNT;
  while (i < end && !is_equal(name, predicates[i]))
    ++i;
  return i < end ? i : CMP_COUNT;
}

const char *program_op_name(uint32_t op) { return ops[op].name; }
const char *program_predicate_name(uint64_t predicate) {
  return predicates[predicate];
}
const char *program_type_name(uint32_t type) { return types[type].name; }
uint32_t program_type_size(uint32_t type) { return types[type].size; }

// ---------------------------------------------------------------- build
program_t *program_create(void) { return calloc(1, sizeof(program_t)); }

void program_destroy(program_t *program) {
  for (uint32_t i = 0; program && i < program->text_count; ++i)
    free(program->texts[i]);
  if (program)
    free(program->operations);
  free(program);
}

operation_t *program_append(program_t *program) {
  if (program->count == PROGRAM_MAX_OPERATIONS)
    return NULL;
  if (program->count == program->capacity) {
    uint32_t capacity = program->capacity ? program->capacity * 2 : 64;
    operation_t *operations =
        realloc(program->operations, capacity * sizeof(operation_t));
    if (!operations)
      return NULL;
    program->operations = operations;
    program->capacity = capacity;
  }
  operation_t *added = &program->operations[program->count++];
  memset(added, 0, sizeof(*added));
  for (uint32_t i = 0; i < 3; ++i)
    added->operands[i] = PROGRAM_NO_OPERAND;
  return added;
}

int32_t program_keep(program_t *program, nereid_string_t text,
                     nereid_string_t *to) {
  *to = (nereid_string_t){NULL, 0};
  if (!text.size)
    return 1;
  if (text.size > PROGRAM_MAX_TEXT ||
      program->text_count == sizeof(program->texts) / sizeof(char *))
    return 0;
  char *kept = malloc(text.size);
  if (!kept)
    return 0;
  memcpy(kept, text.data, text.size);
  program->texts[program->text_count++] = kept;
  *to = (nereid_string_t){kept, text.size};
  return 1;
}

uint32_t program_argument_offset(const program_t *program, uint32_t index) {
  uint32_t end = 0;
  for (uint32_t i = 0; i <= program->argument_count; ++i) {
    uint32_t size = 8; // the block ends at a multiple of 8
    if (i < program->argument_count && !program->arguments[i].is_pointer)
      size = types[program->arguments[i].type].size;
    uint32_t offset = (end + size - 1) & ~(size - 1);
    if (i == index)
      return offset;
    end = offset + size;
  }
  return end;
}

// ---------------------------------------------------------------- check
static int32_t is_class(char class, uint32_t type) {
  switch (class) {
  case 'i':
    return type >= TYPE_I1 && type <= TYPE_I64;
  case 'f':
    return type == TYPE_F32 || type == TYPE_F64;
  case 'b':
    return type == TYPE_I1;
  case 'd':
    return type == TYPE_I32;
  case 'p':
    return type == TYPE_POINTER;
  case 'v':
    return type > TYPE_NONE && type < TYPE_COUNT;
  default:
    return type == TYPE_NONE;
  }
}

// Whether an operand is of the class `letter`.
static int32_t fits(const program_t *program, uint32_t index, char letter,
                    uint32_t operand) {
  const operation_t *op = &program->operations[index];
  if (operand >= index)
    return 0;
  const operation_t *value = &program->operations[operand];
  if (value->op == OP_STORE || value->type == TYPE_NONE)
    return 0; // has no result
  switch (letter) {
  case 's':
    return value->lanes == 1 && value->type == op->type;
  case 'c':
    return value->type == TYPE_I1 &&
           (value->lanes == 1 || value->lanes == op->lanes);
  case '=':
    return value->lanes == op->lanes && value->type == op->type;
  case '~':
    return value->lanes == op->lanes &&
           value->type == program->operations[op->operands[0]].type;
  default:
    return value->lanes == op->lanes && is_class(letter, value->type);
  }
}

static const char *check_immediate(const program_t *program,
                                   const operation_t *op) {
  uint64_t value = op->immediate;
  switch (op->op) {
  case OP_ARGUMENT:
    if (value >= program->argument_count || op->lanes != 1)
      return "has no such argument";
    if (op->type != (program->arguments[value].is_pointer
                         ? (uint32_t)TYPE_POINTER
                         : program->arguments[value].type))
      return "does not have the type of the argument";
    return NULL;
  case OP_GET_PROGRAM_ID:
  case OP_GET_NUM_PROGRAMS:
    return value < 3 && op->lanes == 1 ? NULL : "has no such axis";
  case OP_ADDPTR:
    return value == 1 || value == 2 || value == 4 || value == 8
               ? NULL
               : "has elements of an unknown size";
  case OP_CMPI:
    return value < CMP_OEQ ? NULL : "has no such predicate";
  case OP_CMPF:
    return value >= CMP_OEQ && value < CMP_COUNT ? NULL
                                                 : "has no such predicate";
  default:
    return NULL;
  }
}

// [check]
static const char *check_operation(const program_t *program, uint32_t index) {
  const operation_t *op = &program->operations[index];
  const device_traits_t *traits = &device_traits[program->arch];
  if (op->op >= OP_COUNT || op->type >= TYPE_COUNT)
    return "is unknown";
  if (!is_class(ops[op->op].result, op->type))
    return "has a result of the wrong type";
  if (op->type == TYPE_F64 && !traits->has_f64)
    return "is of type f64, which the device does not have";
  if (!op->lanes || op->lanes > traits->max_lanes)
    return "has more lanes than the device, or none";
  const char *letter = ops[op->op].operands;
  for (uint32_t i = 0; i < 3; ++i) {
    char class = *letter ? *letter++ : 0;
    int32_t optional = *letter == '?';
    letter += optional;
    if (op->operands[i] == PROGRAM_NO_OPERAND) {
      if (class && !optional)
        return "lacks an operand";
    } else if (!class || !fits(program, index, class, op->operands[i])) {
      return "has an operand of the wrong type";
    }
  }
  if ((op->op == OP_RETURN) != (index + 1 == program->count))
    return "is misplaced: a return ends the program";
  return check_immediate(program, op);
}
// [/check]

nereid_status_t program_check(const program_t *program,
                              const nereid_call_t *call) {
  if (program->arch >= DEVICE_COUNT || !program->name.size || !program->warps ||
      program->warps > 8 || !program->count)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the program lacks a name, an architecture, warps or a return");
  for (uint32_t i = 0; i < program->argument_count; ++i)
    if (program->arguments[i].type <= TYPE_NONE ||
        program->arguments[i].type >= TYPE_POINTER ||
        program->arguments[i].is_pointer > 1 ||
        program->arguments[i].written > program->arguments[i].is_pointer)
      return fail(call, NEREID_INVALID_ARGUMENT,
                  "argument %u of the program has an unknown type", i);
  uint64_t lanes = 0;
  for (uint32_t i = 0; i < program->count; ++i) {
    const operation_t *op = &program->operations[i];
    const char *wrong = check_operation(program, i);
    lanes += op->lanes;
    if (!wrong && lanes > PROGRAM_MAX_TOTAL_LANES)
      wrong = "needs more registers than a device has";
    if (wrong)
      return fail_at(call, NEREID_INVALID_ARGUMENT, program->file, op->line, 0,
                     "operation %u (%s) %s", i,
                     op->op < OP_COUNT ? ops[op->op].name : "?", wrong);
  }
  return NEREID_OK;
}

nereid_status_t program_finish(program_t *program, nereid_status_t status,
                               program_t **out_program,
                               const nereid_call_t *call) {
  if (status == NEREID_OK)
    status = program_check(program, call);
  if (status == NEREID_OK)
    *out_program = program;
  else
    program_destroy(program);
  return status;
}
