// image.h - what a compiled CPU kernel and the driver know of each other.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An image is an ELF shared object for one kernel. It needs no library of
// LLVM, at most libm, and exports one constant, NEREID_CPU_KERNEL_SYMBOL. The
// loops over programs are inside the image: one call runs a range of them.
// The last bytes are a seal (image_digest.h).
// The structs grow at their end; `struct_size` says what a side knows.

#ifndef NEREID_CPU_IMAGE_H
#define NEREID_CPU_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_CPU_KERNEL_SYMBOL "nereid_cpu_kernel_v3"

// Flags of a kernel.
enum {
  // Programs talk to each other (atomics, locks). They start in index order:
  // one that waits for a smaller index always gets it; chunks of one program
  // keep the wait short.
  NEREID_CPU_KERNEL_COMMUNICATES = 1u,
  // Programs print: one thread runs them, so that lines come in order.
  NEREID_CPU_KERNEL_PRINTS = 2u,
  // Programs may call `fail`.
  NEREID_CPU_KERNEL_ASSERTS = 4u,
  // A loop in the kernel has a length that depends on the launch: what a
  // program does is only estimated, and may be much more.
  NEREID_CPU_KERNEL_ESTIMATED = 8u
};

// A value that a kernel prints. `data` holds `count` elements of `type`
// ("i1" and "i8" to "i64", "u8" to "u64", "f16", "bf16", "f32", "f64", and
// "ptr"), packed, each in the least number of bytes; row-major in `shape`.
// Rank 0 is a scalar.
typedef struct nereid_cpu_print_t {
  uint32_t struct_size;
  uint32_t hex; // not 0: integers and pointers in hexadecimal
  uint32_t program[3];
  uint32_t rank;
  const char *prefix;
  uint64_t prefix_size;
  const char *type; // ends with NUL
  const int64_t *shape;
  const void *data;
  uint64_t count;
} nereid_cpu_print_t;

// What a running kernel may ask of the driver; any thread, not on the way of
// a kernel that neither prints nor fails. `state` is the launch's.
typedef struct nereid_cpu_services_t {
  uint32_t struct_size;
  uint32_t reserved;
  // Writes `size` bytes of text as they are.
  void (*print)(void *state, const char *text, uint64_t size);
  // Writes a value, one line an element.
  void (*print_value)(void *state, const nereid_cpu_print_t *value);
  // Records why program (x, y, z) makes the launch fail; the first message
  // stays. The entry then returns a value other than 0 as soon as it likes.
  void (*fail)(void *state, uint32_t x, uint32_t y, uint32_t z,
               const char *message, uint64_t size);
  // Nanoseconds from some moment on; never less than before.
  int64_t (*now)(void);
} nereid_cpu_services_t;

// One launch, shared by all threads that run it. Constant meanwhile.
typedef struct nereid_cpu_launch_t {
  uint32_t struct_size;
  uint32_t grid[3]; // programs along x, y, z; all at least 1
  const nereid_cpu_services_t *services;
  void *state;
} nereid_cpu_launch_t;

// Runs `count` programs, at least 1, from (x, y, z) = first[0], first[1],
// first[2] on; x counts fastest. `arguments` is the packed block, aligned to 8
// bytes. `scratch` is this thread's, of the kernel's size and alignment, with
// anything in it. Returns 0, or not after `fail`.
typedef int32_t (*nereid_cpu_entry_t)(const void *arguments,
                                      const nereid_cpu_launch_t *launch,
                                      const uint32_t *first, uint64_t count,
                                      void *scratch);

// What the image exports.
typedef struct nereid_cpu_kernel_t {
  uint32_t struct_size;
  uint32_t flags;
  const char *name;
  nereid_cpu_entry_t entry;
  uint64_t arguments_size;
  uint64_t scratch_size;
  uint64_t scratch_align; // a power of two, at most 4096
  // Estimates for the number of threads; 0 is unknown.
  uint64_t bytes_per_program; // memory read and written
  uint64_t flops_per_program;
} nereid_cpu_kernel_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_CPU_IMAGE_H
