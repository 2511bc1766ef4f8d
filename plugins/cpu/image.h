// image.h - the interface of a compiled CPU kernel and the driver.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An image is an ELF shared object for one kernel. It needs no library of
// LLVM, at most libm, and exports one constant, NEREID_CPU_KERNEL_SYMBOL. The
// loops over programs are inside the image: one call runs a range of them.
// The last bytes are a seal (image_digest.h).
// The structs grow at their end; `struct_size` is the size that a side knows.

#ifndef NEREID_CPU_IMAGE_H
#define NEREID_CPU_IMAGE_H

#include "common/work_step.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_CPU_KERNEL_SYMBOL "nereid_cpu_kernel_v3"

// A condition has at most this many steps.
enum { NEREID_CPU_MAX_CONDITION_STEPS = 256 };

// Flags of a kernel.
enum {
  // Programs communicate (atomics, locks). They start in index order, so that a
  // program that waits for a smaller index makes progress; chunks of one
  // program keep the wait short.
  NEREID_CPU_KERNEL_COMMUNICATES = 1u,
  // Programs print: one thread runs them, so that lines are in order.
  NEREID_CPU_KERNEL_PRINTS = 2u,
  // Programs may call `fail`.
  NEREID_CPU_KERNEL_ASSERTS = 4u,
  // The trip count of a loop in the kernel depends on memory: the work of a
  // program is only estimated, and may be much more.
  NEREID_CPU_KERNEL_ESTIMATED = 8u,
  // Programs communicate, but none waits for another (atomic sums): the order
  // in which they start does not matter.
  NEREID_CPU_KERNEL_NEVER_WAITS = 16u,
  // Neighbours along y, or z, share what they read, or read and write
  // neighbours in memory: programs had better run along that axis first
  // (NEREID_CPU_LAUNCH_ALONG_Y, NEREID_CPU_LAUNCH_ALONG_Z).
  NEREID_CPU_KERNEL_ALONG_Y = 32u,
  NEREID_CPU_KERNEL_ALONG_Z = 64u,
  // It never waits, and has a form of its atomic operations without locks, for
  // launches with NEREID_CPU_LAUNCH_EXCLUSIVE.
  NEREID_CPU_KERNEL_PLAIN_ATOMICS = 128u,
  // Of a kernel with NEREID_CPU_KERNEL_PLAIN_ATOMICS: most of these operations
  // update neighbours in memory, several at once.
  NEREID_CPU_KERNEL_ATOMIC_NEIGHBOURS = 256u
};

// A value that a kernel prints. `data` holds `count` elements of `type`
// ("i1" and "i8" to "i64", "u8" to "u64", "f16", "bf16", "f32", "f64", and
// "ptr"), packed, each in the least number of bytes; row-major in `shape`.
// Rank 0 is a scalar.
typedef struct nereid_cpu_print_t {
  uint32_t struct_size;
  uint32_t hex; // not 0: numbers in hexadecimal, which pointers always are
  uint32_t program[3];
  uint32_t rank;
  const char *prefix;
  uint64_t prefix_size;
  const char *type; // ends with NUL
  const int64_t *shape;
  const void *data;
  uint64_t count;
} nereid_cpu_print_t;

// Services of the driver for a running kernel, callable on any thread. A kernel
// that neither prints nor fails does not use them. `state` is the launch's.
typedef struct nereid_cpu_services_t {
  uint32_t struct_size;
  uint32_t reserved;
  // Writes `size` bytes of text unchanged.
  void (*print)(void *state, const char *text, uint64_t size);
  // Writes a value, one line per element.
  void (*print_value)(void *state, const nereid_cpu_print_t *value);
  // Records why program (x, y, z) makes the launch fail; the first message is
  // the one reported. The entry then soon returns a value other than 0.
  void (*fail)(void *state, uint32_t x, uint32_t y, uint32_t z,
               const char *message, uint64_t size);
  // Nanoseconds of a monotonic clock.
  int64_t (*now)(void);
} nereid_cpu_services_t;

// Flags of a launch.
enum {
  // What the launch stores does not fit the caches: stores that bypass them
  // save reading each line before it is written. The driver orders them before
  // what follows a call of the entry.
  NEREID_CPU_LAUNCH_STREAMS = 1u,
  // Of a kernel with NEREID_CPU_KERNEL_ALONG_Y: y varies fastest, then x.
  NEREID_CPU_LAUNCH_ALONG_Y = 2u,
  // Of a kernel with NEREID_CPU_KERNEL_ALONG_Z: z varies fastest, then y.
  NEREID_CPU_LAUNCH_ALONG_Z = 4u,
  // Of a kernel with NEREID_CPU_KERNEL_PLAIN_ATOMICS: during the call no other
  // kernel that communicates runs, nor do programs of this launch on another
  // thread, unless their ids along the kernel's disjoint axis are different.
  NEREID_CPU_LAUNCH_EXCLUSIVE = 8u
};

// One launch, or one part of each program of it, shared by all threads that run
// it; constant during the call.
typedef struct nereid_cpu_launch_t {
  uint32_t struct_size;
  uint32_t grid[3]; // programs along x, y, z; all at least 1
  const nereid_cpu_services_t *services;
  void *state;
  uint32_t flags; // NEREID_CPU_LAUNCH_*
  uint32_t reserved;
  // A program that is divided runs as `parts` calls, one for each `part` from 0
  // on, in any order or at the same time; at most the kernel's `parts`. 0: it
  // is not divided.
  uint32_t part;
  uint32_t parts;
} nereid_cpu_launch_t;

// Runs `count` programs, at least 1, starting at (x, y, z) = first[0],
// first[1], first[2]; x varies fastest, unless a flag says otherwise.
// `arguments` is the packed block, aligned to 8 bytes. `scratch` belongs to this
// thread, has the kernel's size and alignment, and is uninitialized. Returns 0,
// or another value after `fail`.
typedef int32_t (*nereid_cpu_entry_t)(const void *arguments,
                                      const nereid_cpu_launch_t *launch,
                                      const uint32_t *first, uint64_t count,
                                      void *scratch);

// The constant that the image exports.
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
  // A program stores at least so many bytes by stores that can bypass the
  // caches; 0: it has none.
  uint64_t streamed_bytes_per_program;
  // If it is not null, a formula for bytes_per_program and flops_per_program.
  const nereid_work_step_t *work;
  uint64_t work_count; // of its steps
  // A program can be divided into so many parts at most, if the last step of
  // the condition, at the program's position, is not negative; 0: it cannot.
  uint64_t parts;
  const nereid_work_step_t *parts_condition;
  uint64_t parts_condition_count; // of its steps
  // If it is not 0 and `work` has such a step, its value is what
  // streamed_bytes_per_program is in this launch.
  uint64_t streamed_step;
  // An estimate: a program's atomic operations, one for each element. If
  // atomics_step is not 0 and `work` has such a step, its value is this in a
  // launch.
  uint64_t atomics_per_program;
  uint64_t atomics_step;
  // If there is a condition whose last step is not negative for any id along
  // `disjoint_axis`, programs with different ids there update different memory
  // by atomic operations. It depends on no other id.
  const nereid_work_step_t *disjoint_condition;
  uint64_t disjoint_condition_count; // of its steps
  uint64_t disjoint_axis;            // 0 to 2: x to z
} nereid_cpu_kernel_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_CPU_IMAGE_H
