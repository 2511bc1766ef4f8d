// image.c - writes and reads the image of the extension plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "image.h"
#include "extension.h"

#include <string.h>

#define MAGIC "nereidx1"
#define MAGIC_SIZE 8u
#define BODY_OFFSET 16u // the checksum covers the bytes from here
#define MAX_SIZE 8192u  // more than the limits on names and arguments allow

static uint32_t number_size(nereid_string_t type) {
  static const struct {
    const char *name;
    uint32_t size;
  } types[] = {{"i1", 1},   {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8},
               {"bf16", 2}, {"f16", 2}, {"f32", 4}, {"f64", 8}};
  for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i)
    if (extension_equal(type, types[i].name))
      return types[i].size;
  return 0;
}

uint32_t extension_type_size(nereid_string_t type) {
  if (!type.size || type.data[0] != '*')
    return number_size(type);
  nereid_string_t pointee = {type.data + 1, type.size - 1};
  int32_t is_f8 = pointee.size > 2 && memcmp(pointee.data, "f8", 2) == 0;
  return is_f8 || number_size(pointee) ? 8 : 0;
}

void extension_image_place(extension_image_t *image) {
  uint32_t end = 0;
  for (uint32_t i = 0; i < image->argument_count; ++i) {
    extension_argument_t *argument = &image->arguments[i];
    argument->offset = (end + argument->size - 1) & ~(argument->size - 1);
    end = argument->offset + argument->size;
  }
  image->argument_size = (end + 7) & ~7u;
}

static uint32_t checksum(const unsigned char *bytes, uint64_t size) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (uint64_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

// ---------------------------------------------------------------- write
typedef struct output_t {
  unsigned char bytes[MAX_SIZE];
  uint32_t size;
} output_t;

static void put_u32_at(output_t *out, uint32_t at, uint32_t value) {
  for (uint32_t i = 0; i < 4; ++i)
    out->bytes[at + i] = (unsigned char)(value >> (8 * i));
}

static void put_u32(output_t *out, uint32_t value) {
  put_u32_at(out, out->size, value);
  out->size += 4;
}

static void put_bytes(output_t *out, const void *data, uint64_t size) {
  memcpy(out->bytes + out->size, data, size);
  out->size += (uint32_t)size;
}

nereid_status_t extension_image_write(const extension_image_t *image,
                                      const nereid_writer_t *output) {
  output_t out = {.size = 0};
  put_bytes(&out, MAGIC, MAGIC_SIZE);
  put_u32(&out, 0); // size and checksum: filled in at the end
  put_u32(&out, 0);
  put_u32(&out, image->fault);
  put_u32(&out, image->warps);
  put_u32(&out, image->argument_size);
  put_u32(&out, image->argument_count);
  put_u32(&out, (uint32_t)image->name.size);
  put_bytes(&out, image->name.data, image->name.size);
  for (uint32_t i = 0; i < image->argument_count; ++i) {
    const extension_argument_t *argument = &image->arguments[i];
    put_u32(&out, argument->offset);
    put_u32(&out, (uint32_t)strlen(argument->type));
    put_bytes(&out, argument->type, strlen(argument->type));
  }
  put_u32_at(&out, MAGIC_SIZE, out.size);
  put_u32_at(&out, MAGIC_SIZE + 4,
             checksum(out.bytes + BODY_OFFSET, out.size - BODY_OFFSET));
  return output->write(output, out.bytes, out.size);
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

static nereid_string_t get_text(input_t *in, uint64_t limit) {
  uint64_t size = get_u32(in);
  const char *data = size <= limit ? get_bytes(in, size) : NULL;
  if (!data) {
    in->bad = 1;
    size = 0;
  }
  return (nereid_string_t){data, size};
}

static void get_argument(input_t *in, extension_argument_t *argument) {
  argument->offset = get_u32(in);
  nereid_string_t type = get_text(in, sizeof(argument->type) - 1);
  argument->size = extension_type_size(type);
  if (!argument->size)
    in->bad = 1;
  else
    memcpy(argument->type, type.data, type.size);
}

// Whether the fields are consistent: the offsets are those of the standard
// layout.
static int32_t is_consistent(const extension_image_t *image) {
  extension_image_t placed = *image;
  extension_image_place(&placed);
  for (uint32_t i = 0; i < image->argument_count; ++i)
    if (placed.arguments[i].offset != image->arguments[i].offset)
      return 0;
  return placed.argument_size == image->argument_size && image->name.size &&
         image->fault <= EXTENSION_FAULT_SYNCHRONIZE && image->warps;
}

static nereid_status_t damaged(const nereid_call_t *call, const char *what) {
  return extension_fail(call, NEREID_INVALID_ARGUMENT,
                        "the image is damaged: %s", what);
}

nereid_status_t extension_image_read(nereid_bytes_t bytes,
                                     extension_image_t *out_image,
                                     const nereid_call_t *call) {
  input_t in = {bytes.data, bytes.size, 0};
  const void *magic = get_bytes(&in, MAGIC_SIZE);
  if (!magic || memcmp(magic, MAGIC, MAGIC_SIZE) != 0)
    return damaged(call, "it does not start with \"" MAGIC "\"");
  uint32_t size = get_u32(&in);
  uint32_t sum = get_u32(&in);
  if (in.bad || size != bytes.size)
    return damaged(call, "its size is not the one in its header");
  if (sum != checksum(in.bytes, in.size))
    return damaged(call, "its checksum is wrong");

  extension_image_t image = {.fault = get_u32(&in)};
  image.warps = get_u32(&in);
  image.argument_size = get_u32(&in);
  image.argument_count = get_u32(&in);
  image.name = get_text(&in, EXTENSION_MAX_NAME);
  if (image.argument_count > EXTENSION_MAX_ARGUMENTS)
    return damaged(call, "it has too many arguments");
  for (uint32_t i = 0; i < image.argument_count; ++i)
    get_argument(&in, &image.arguments[i]);
  if (in.bad || in.size)
    return damaged(call, "its fields do not end where it does");
  if (!is_consistent(&image))
    return damaged(call, "its fields contradict each other");
  *out_image = image;
  return NEREID_OK;
}
