// program.c - the program of a kernel as text and as an image, and its rules.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "program.h"
#include "asynchronous.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- names
// [ops]
// What an operation takes and makes. Result: i any integer, f any float, b an
// i1, d an i32, p a pointer, v any value, n nothing. Operands: the same, and
// = of the result's type, ~ of the first operand's type, s a scalar of the
// result's type, c an i1 that may be a scalar. A ? follows an optional one.
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
    uint32_t size = 8; // of the block's end
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

// One operand against its letter of the table.
static int32_t fits(const program_t *program, uint32_t index, char letter,
                    uint32_t operand) {
  const operation_t *op = &program->operations[index];
  if (operand >= index)
    return 0;
  const operation_t *value = &program->operations[operand];
  if (value->op == OP_STORE || value->type == TYPE_NONE)
    return 0; // makes no value
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
      return "has not the argument's type";
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
    return "is not where the program returns";
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
                  "argument %u of the program is of no known type", i);
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

// ---------------------------------------------------------------- text
__attribute__((format(printf, 3, 4))) static void
print(nereid_status_t *status, const nereid_writer_t *output,
      const char *format, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (*status == NEREID_OK)
    *status = output->write(output, text, (uint64_t)size);
}

static void print_quoted(nereid_status_t *status, const nereid_writer_t *output,
                         nereid_string_t text) {
  print(status, output, " \"");
  for (uint64_t i = 0; i < text.size; ++i) {
    unsigned char c = (unsigned char)text.data[i];
    if (c < ' ' || c == '"' || c == '\\')
      print(status, output, "\\%02x", c);
    else
      print(status, output, "%c", c);
  }
  print(status, output, "\"");
}

nereid_status_t program_print(const program_t *program,
                              const nereid_writer_t *output) {
  nereid_status_t status = NEREID_OK;
  nereid_string_t arch = device_traits[program->arch].arch;
  print(&status, output, "asynchronous 1\narch %.*s\nwarps %u\nkernel",
        (int)arch.size, arch.data, program->warps);
  print_quoted(&status, output, program->name);
  print(&status, output, "\nfile");
  print_quoted(&status, output, program->file);
  for (uint32_t i = 0; i < program->argument_count; ++i) {
    const argument_t *argument = &program->arguments[i];
    print(&status, output, "\nargument");
    print_quoted(&status, output, argument->name);
    print(&status, output, " %s%s%s", argument->is_pointer ? "*" : "",
          types[argument->type].name, argument->written ? " written" : "");
  }
  for (uint32_t i = 0; i < program->count; ++i) {
    const operation_t *op = &program->operations[i];
    print(&status, output, "\n%%%u = %s %s x%u", i, ops[op->op].name,
          types[op->type].name, op->lanes);
    uint32_t last = 3;
    while (last && op->operands[last - 1] == PROGRAM_NO_OPERAND)
      --last;
    for (uint32_t k = 0; k < last; ++k)
      if (op->operands[k] == PROGRAM_NO_OPERAND)
        print(&status, output, " _");
      else
        print(&status, output, " %%%u", op->operands[k]);
    if (op->op == OP_CMPI || op->op == OP_CMPF)
      print(&status, output, " #%s", predicates[op->immediate]);
    else if (op->immediate)
      print(&status, output, " #0x%" PRIx64, op->immediate);
    if (op->text.size)
      print_quoted(&status, output, op->text);
    print(&status, output, " @%u", op->line);
  }
  print(&status, output, "\n");
  return status;
}

// A text that is read, word by word.
typedef struct scanner_t {
  const char *at;
  const char *end;
  uint32_t line;
  int32_t bad;
} scanner_t;

static int32_t at_line_end(scanner_t *in) {
  while (in->at < in->end && *in->at == ' ')
    ++in->at;
  return in->at == in->end || *in->at == '\n';
}

static nereid_string_t take_word(scanner_t *in) {
  const char *begin = at_line_end(in) ? in->end : in->at;
  if (begin == in->end)
    return (nereid_string_t){in->end, 0};
  while (in->at < in->end && *in->at != ' ' && *in->at != '\n')
    ++in->at;
  return (nereid_string_t){begin, (uint64_t)(in->at - begin)};
}

// A number of the whole of `word` past its first `skip` bytes.
static uint64_t to_number(scanner_t *in, nereid_string_t word, uint64_t skip,
                          uint64_t limit) {
  char text[24] = "";
  char *end = text;
  if (word.size > skip && word.size - skip < sizeof(text))
    memcpy(text, word.data + skip, word.size - skip);
  uint64_t value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 0) : 0;
  if (end == text || *end || value > limit)
    in->bad = 1;
  return value;
}

static void take_quoted(scanner_t *in, program_t *program,
                        nereid_string_t *to) {
  char text[PROGRAM_MAX_TEXT];
  uint64_t size = 0;
  if (at_line_end(in) || *in->at != '"') {
    in->bad = 1;
    return;
  }
  for (++in->at; in->at < in->end && *in->at != '"' && *in->at != '\n' &&
                 size < sizeof(text);
       ++in->at) {
    unsigned value = (unsigned char)*in->at;
    if (*in->at == '\\') {
      char digits[3] = "";
      if (in->end - in->at > 2)
        memcpy(digits, in->at + 1, 2);
      if (sscanf(digits, "%2x", &value) != 1)
        in->bad = 1;
      else
        in->at += 2;
    }
    text[size++] = (char)value;
  }
  if (in->at == in->end || *in->at != '"') {
    in->bad = 1;
    return;
  }
  ++in->at;
  if (!program_keep(program, (nereid_string_t){text, size}, to))
    in->bad = 1;
}

static void take_argument(scanner_t *in, program_t *program) {
  if (program->argument_count == PROGRAM_MAX_ARGUMENTS) {
    in->bad = 1;
    return;
  }
  argument_t *argument = &program->arguments[program->argument_count++];
  take_quoted(in, program, &argument->name);
  nereid_string_t word = take_word(in);
  argument->is_pointer = word.size && *word.data == '*';
  word.data += argument->is_pointer;
  word.size -= argument->is_pointer;
  argument->type = program_find_type(word);
  if (at_line_end(in))
    return;
  argument->written = 1;
  if (!is_equal(take_word(in), "written"))
    in->bad = 1;
}

// After "%N".
static void take_operation(scanner_t *in, program_t *program) {
  operation_t *op = program_append(program);
  if (!op || !is_equal(take_word(in), "=")) {
    in->bad = 1;
    return;
  }
  op->op = program_find_op(take_word(in));
  op->type = program_find_type(take_word(in));
  nereid_string_t word = take_word(in);
  if (!word.size || *word.data != 'x')
    in->bad = 1;
  op->lanes = (uint32_t)to_number(in, word, 1, UINT32_MAX);
  for (uint32_t operands = 0; !in->bad && !at_line_end(in);) {
    if (*in->at == '"') {
      take_quoted(in, program, &op->text);
      continue;
    }
    word = take_word(in);
    if (*word.data == '%' && operands < 3)
      op->operands[operands++] =
          (uint32_t)to_number(in, word, 1, PROGRAM_MAX_OPERATIONS);
    else if (*word.data == '_' && word.size == 1 && operands < 3)
      ++operands;
    else if (*word.data == '@')
      op->line = (uint32_t)to_number(in, word, 1, UINT32_MAX);
    else if (*word.data == '#' && (op->op == OP_CMPI || op->op == OP_CMPF))
      op->immediate = program_find_predicate(
          op->op, (nereid_string_t){word.data + 1, word.size - 1});
    else if (*word.data == '#')
      op->immediate = to_number(in, word, 1, UINT64_MAX);
    else
      in->bad = 1;
  }
}

static void take_line(scanner_t *in, program_t *program) {
  nereid_string_t word = take_word(in);
  if (is_equal(word, "asynchronous")) {
    in->bad |= to_number(in, take_word(in), 0, UINT32_MAX) != 1;
  } else if (is_equal(word, "arch")) {
    program->arch = find_arch(take_word(in));
  } else if (is_equal(word, "warps")) {
    program->warps = (uint32_t)to_number(in, take_word(in), 0, UINT32_MAX);
  } else if (is_equal(word, "kernel")) {
    take_quoted(in, program, &program->name);
  } else if (is_equal(word, "file")) {
    take_quoted(in, program, &program->file);
  } else if (is_equal(word, "argument")) {
    take_argument(in, program);
  } else if (word.size && *word.data == '%') {
    if (to_number(in, word, 1, UINT32_MAX) != program->count)
      in->bad = 1;
    take_operation(in, program);
  } else if (word.size) {
    in->bad = 1;
  }
  if (!at_line_end(in))
    in->bad = 1;
}

// Checks the program and hands it over, or destroys it.
static nereid_status_t finish(program_t *program, nereid_status_t status,
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

nereid_status_t program_parse(nereid_string_t text, program_t **out_program,
                              const nereid_call_t *call) {
  program_t *program = program_create();
  if (!program)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  scanner_t in = {text.data, text.size ? text.data + text.size : text.data, 1,
                  0};
  program->arch = DEVICE_COUNT;
  while (in.at < in.end) {
    take_line(&in, program);
    if (in.bad)
      break;
    ++in.at;
    ++in.line;
  }
  nereid_status_t status = NEREID_OK;
  if (in.bad)
    status = fail_at(call, NEREID_INVALID_ARGUMENT, (nereid_string_t){NULL, 0},
                     in.line, 0, "this line is not one of a program's text");
  return finish(program, status, out_program, call);
}

// ---------------------------------------------------------------- image
#define MAGIC "nereida1"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)
#define HEADER_SIZE (MAGIC_SIZE + 8) // the checksum covers what follows

static uint32_t checksum(const unsigned char *bytes, uint64_t size) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (uint64_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

// Bytes that are written; without `bytes` they are only counted.
typedef struct output_t {
  unsigned char *bytes;
  uint64_t size;
} output_t;

static void put_bytes(output_t *out, const void *data, uint64_t size) {
  if (out->bytes && size)
    memcpy(out->bytes + out->size, data, size);
  out->size += size;
}

static void put_u32(output_t *out, uint32_t value) {
  unsigned char bytes[4];
  for (uint32_t i = 0; i < 4; ++i)
    bytes[i] = (unsigned char)(value >> (8 * i));
  put_bytes(out, bytes, 4);
}

static void put_text(output_t *out, nereid_string_t text) {
  put_u32(out, (uint32_t)text.size);
  put_bytes(out, text.data, text.size);
}

static void put_program(output_t *out, const program_t *program) {
  put_u32(out, program->arch);
  put_u32(out, program->warps);
  put_text(out, program->name);
  put_text(out, program->file);
  put_u32(out, program->argument_count);
  for (uint32_t i = 0; i < program->argument_count; ++i) {
    put_text(out, program->arguments[i].name);
    put_u32(out, program->arguments[i].is_pointer);
    put_u32(out, program->arguments[i].type);
    put_u32(out, program->arguments[i].written);
  }
  put_u32(out, program->count);
  for (uint32_t i = 0; i < program->count; ++i) {
    const operation_t *op = &program->operations[i];
    put_u32(out, op->op);
    put_u32(out, op->type);
    put_u32(out, op->lanes);
    for (uint32_t k = 0; k < 3; ++k)
      put_u32(out, op->operands[k]);
    put_u32(out, (uint32_t)op->immediate);
    put_u32(out, (uint32_t)(op->immediate >> 32));
    put_u32(out, op->line);
    put_text(out, op->text);
  }
}

nereid_status_t program_write(const program_t *program,
                              const nereid_writer_t *output,
                              const nereid_call_t *call) {
  output_t counted = {.size = HEADER_SIZE};
  put_program(&counted, program);
  output_t out = {.bytes = malloc(counted.size), .size = HEADER_SIZE};
  if (!out.bytes)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  put_program(&out, program);
  output_t header = {.bytes = out.bytes};
  put_bytes(&header, MAGIC, MAGIC_SIZE);
  put_u32(&header, (uint32_t)out.size);
  put_u32(&header, checksum(out.bytes + HEADER_SIZE, out.size - HEADER_SIZE));
  nereid_status_t status = output->write(output, out.bytes, out.size);
  free(out.bytes);
  return status;
}

// What is left to read. `bad` is set by the first read past the end, and then
// every read returns zero, so that only the end is checked.
typedef struct input_t {
  const unsigned char *bytes;
  uint64_t size;
  int32_t bad;
} input_t;

static const void *get_bytes(input_t *in, uint64_t size) {
  if (in->bad || size > in->size) {
    in->bad = 1;
    return NULL;
  }
  const void *bytes = in->bytes;
  in->bytes += size;
  in->size -= size;
  return bytes;
}

static uint32_t get_u32(input_t *in) {
  const unsigned char *bytes = get_bytes(in, 4);
  if (!bytes)
    return 0;
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
         (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void get_text(input_t *in, program_t *program, nereid_string_t *to) {
  uint64_t size = get_u32(in);
  const char *data = get_bytes(in, size);
  if (!data || !program_keep(program, (nereid_string_t){data, size}, to))
    in->bad = 1;
}

static void get_operation(input_t *in, program_t *program) {
  operation_t *op = program_append(program);
  if (!op) {
    in->bad = 1;
    return;
  }
  op->op = get_u32(in);
  op->type = get_u32(in);
  op->lanes = get_u32(in);
  for (uint32_t i = 0; i < 3; ++i)
    op->operands[i] = get_u32(in);
  op->immediate = get_u32(in);
  op->immediate |= (uint64_t)get_u32(in) << 32;
  op->line = get_u32(in);
  get_text(in, program, &op->text);
}

static void get_program(input_t *in, program_t *program) {
  program->arch = get_u32(in);
  program->warps = get_u32(in);
  get_text(in, program, &program->name);
  get_text(in, program, &program->file);
  program->argument_count = get_u32(in);
  if (program->argument_count > PROGRAM_MAX_ARGUMENTS) {
    program->argument_count = 0;
    in->bad = 1;
  }
  for (uint32_t i = 0; !in->bad && i < program->argument_count; ++i) {
    argument_t *argument = &program->arguments[i];
    get_text(in, program, &argument->name);
    argument->is_pointer = get_u32(in);
    argument->type = get_u32(in);
    argument->written = get_u32(in);
  }
  uint32_t count = get_u32(in);
  for (uint32_t i = 0; !in->bad && i < count; ++i)
    get_operation(in, program);
  if (in->size)
    in->bad = 1;
}

nereid_status_t program_read(nereid_bytes_t image, program_t **out_program,
                             const nereid_call_t *call) {
  input_t in = {image.data, image.size, 0};
  const void *magic = get_bytes(&in, MAGIC_SIZE);
  if (!magic || memcmp(magic, MAGIC, MAGIC_SIZE) != 0)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the image is damaged: it does not start with \"" MAGIC "\"");
  uint32_t size = get_u32(&in);
  uint32_t sum = get_u32(&in);
  if (in.bad || size != image.size || sum != checksum(in.bytes, in.size))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the image is damaged: its size or checksum is wrong");
  program_t *program = program_create();
  if (!program)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  get_program(&in, program);
  nereid_status_t status = NEREID_OK;
  if (in.bad)
    status = fail(call, NEREID_INVALID_ARGUMENT,
                  "the image is damaged: its fields do not end where it does");
  return finish(program, status, out_program, call);
}
