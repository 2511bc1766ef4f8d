// image.h - the image of the extension plugin: a kernel's name and arguments.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// All numbers are 4 bytes, little-endian.
//   magic "nereidx1" | size of the image | checksum of all that follows |
//   fault | warps | size of the argument block | argument count |
//   name size | name |
//   for each argument: offset | type size | type ("*f32", "i64", ...)

#ifndef NEREID_EXTENSION_IMAGE_H
#define NEREID_EXTENSION_IMAGE_H

#include "nereid/base.h"

#define EXTENSION_MAX_ARGUMENTS 256u
#define EXTENSION_MAX_NAME 1024u

// The step at which a compiled kernel fails on purpose, to test hosts.
enum extension_fault {
  EXTENSION_FAULT_NONE = 0,
  EXTENSION_FAULT_COMPILE = 1,
  EXTENSION_FAULT_LOAD = 2,
  EXTENSION_FAULT_LAUNCH = 3,
  EXTENSION_FAULT_SYNCHRONIZE = 4
};

typedef struct extension_argument_t {
  nereid_string_t name; // "x_ptr"; not in the image
  char type[16];        // "*f32", NUL-terminated
  uint32_t size;        // bytes; a power of two
  uint32_t offset;
} extension_argument_t;

typedef struct extension_image_t {
  nereid_string_t name;
  uint32_t fault;
  uint32_t warps;
  uint32_t argument_size;
  uint32_t argument_count;
  extension_argument_t arguments[EXTENSION_MAX_ARGUMENTS];
} extension_image_t;

// The size in bytes of an argument of `type`; 0 for an unknown type.
uint32_t extension_type_size(nereid_string_t type);

// Computes the standard layout: the arguments' offsets and the block's size.
void extension_image_place(extension_image_t *image);

nereid_status_t extension_image_write(const extension_image_t *image,
                                      const nereid_writer_t *output);

// Checks every byte. Strings of `out_image` point into `bytes`.
nereid_status_t extension_image_read(nereid_bytes_t bytes,
                                     extension_image_t *out_image,
                                     const nereid_call_t *call);

#endif // NEREID_EXTENSION_IMAGE_H
