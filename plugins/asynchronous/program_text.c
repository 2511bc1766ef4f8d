// program_text.c - the text form of a program: print and parse.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "asynchronous.h"
#include "program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- print
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
          program_type_name(argument->type),
          argument->written ? " written" : "");
  }
  for (uint32_t i = 0; i < program->count; ++i) {
    const operation_t *op = &program->operations[i];
    print(&status, output, "\n%%%u = %s %s x%u", i, program_op_name(op->op),
          program_type_name(op->type), op->lanes);
    uint32_t last = 3;
    while (last && op->operands[last - 1] == PROGRAM_NO_OPERAND)
      --last;
    for (uint32_t k = 0; k < last; ++k)
      if (op->operands[k] == PROGRAM_NO_OPERAND)
        print(&status, output, " _");
      else
        print(&status, output, " %%%u", op->operands[k]);
    if (op->op == OP_CMPI || op->op == OP_CMPF)
      print(&status, output, " #%s", program_predicate_name(op->immediate));
    else if (op->immediate)
      print(&status, output, " #0x%" PRIx64, op->immediate);
    if (op->text.size)
      print_quoted(&status, output, op->text);
    print(&status, output, " @%u", op->line);
  }
  print(&status, output, "\n");
  return status;
}

// ---------------------------------------------------------------- parse
// Reads a text word by word.
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

// Parses `word` as a number, without its first `skip` bytes.
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

// Reads an operation, after "%N".
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
  return program_finish(program, status, out_program, call);
}
