// program_image.c - the image of a program: write and read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "asynchronous.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "nereida1"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)
#define HEADER_SIZE (MAGIC_SIZE + 8) // the checksum covers what follows

static uint32_t checksum(const unsigned char *bytes, uint64_t size) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (uint64_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

// ---------------------------------------------------------------- write
// The bytes to write. If `bytes` is NULL they are only counted.
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

// ---------------------------------------------------------------- read
// The bytes left to read. The first read past the end sets `bad`, and every
// later read returns zero, so that `bad` is checked only once.
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
  return program_finish(program, status, out_program, call);
}
