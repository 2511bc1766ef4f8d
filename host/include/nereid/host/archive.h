// nereid/host/archive.h - archives: kernels compiled ahead of time, in one file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An archive has kernels; a kernel has variants, compiled under conditions on
// its arguments (a pointer divisible by 16, an integer equal to 1); a variant
// has an image for each target. A launch takes the first variant whose
// conditions hold. The last one has none. docs/archive.md has the whole story.
//
//   nereid_archive_open()         checks the file; needs no plugin
//   nereid_archive_load()         for one device; loads no image yet
//   nereid_archive_launch()       loads what it needs on the first launch
//
// Neither a compiler nor TTIR is needed, unless NEREID_ARCHIVE_COMPILE is set.

#ifndef NEREID_INCLUDE_HOST_ARCHIVE_H
#define NEREID_INCLUDE_HOST_ARCHIVE_H

#include "nereid/host/compile.h"
#include "nereid/host/function.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_archive_t nereid_archive_t;  // an open archive
// An archive on one device.
typedef struct nereid_archive_device_t nereid_archive_device_t;
// Kernels that are being collected for a new archive.
typedef struct nereid_archive_writer_t nereid_archive_writer_t;

// ---------------------------------------------------------------- reading

// What to open: a file or memory. Everything but `memory` is borrowed for the
// call.
typedef struct nereid_archive_open_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t path;      // empty: memory
  nereid_bytes_t memory;     // borrowed until the archive is destroyed
  nereid_string_t name;      // in messages; empty: the path
  // 16 bytes: the contract that a generated header was written for; empty: any.
  // An archive with another one is NEREID_INCOMPATIBLE.
  nereid_bytes_t contract;
} nereid_archive_open_t;

// Opens an archive and checks its header and index; images are read when they
// are first used. A damaged archive is NEREID_IO_ERROR, one of another format
// NEREID_INCOMPATIBLE. A file may be replaced or removed afterwards.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_open(const nereid_archive_open_t *request,
                    nereid_archive_t **out_archive);
// Devices that it was loaded for keep what they need. [any-thread]
NEREID_EXPORT void nereid_archive_destroy(nereid_archive_t *archive);

typedef struct nereid_archive_info_t {
  uint32_t struct_size;
  uint32_t kernel_count;
  uint32_t target_count;
  uint32_t image_count;
  uint32_t format_major;
  uint32_t format_minor;
  uint64_t size;           // bytes of the whole archive
  nereid_bytes_t contract; // 16 bytes
} nereid_archive_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_info(const nereid_archive_t *archive,
                    nereid_archive_info_t *out_info);

typedef struct nereid_archive_kernel_t {
  uint32_t struct_size;
  uint32_t argument_count;
  uint32_t constant_count;
  uint32_t variant_count;
  nereid_string_t name;
  nereid_string_t group;     // empty if it has none
  uint64_t arguments_size;   // bytes of the packed block
  uint32_t grid[3];          // of a recorded launch; zeros if unknown
  uint32_t reserved;
} nereid_archive_kernel_t;

// Kernels are numbered from 0 in the order of their names. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_kernel(const nereid_archive_t *archive, uint32_t kernel,
                      nereid_archive_kernel_t *out_kernel);
// The arguments of a launch and their offsets in the packed block. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_argument(const nereid_archive_t *archive, uint32_t kernel,
                        uint32_t index, nereid_argument_t *out_argument);
// A compile-time constant: its name, and its value as JSON. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_constant(const nereid_archive_t *archive, uint32_t kernel,
                        uint32_t index, nereid_string_t *out_name,
                        nereid_string_t *out_value);
// The number of the kernel called `name`. The error of NEREID_NOT_FOUND
// suggests similar names. [any-thread]
NEREID_EXPORT nereid_status_t nereid_archive_find(
    const nereid_archive_t *archive, nereid_string_t name, uint32_t *out_kernel);
// The numbers of the kernels of a group, which live as long as the archive.
// [any-thread]
NEREID_EXPORT nereid_status_t nereid_archive_group(
    const nereid_archive_t *archive, nereid_string_t group,
    const uint32_t **out_kernels, uint64_t *out_count);
// Everything about the archive, or about one of its kernels, as JSON
// (docs/tool.md, `nereid archive`). [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_describe(const nereid_archive_t *archive,
                        nereid_buffer_t **out_json);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_describe_kernel(const nereid_archive_t *archive,
                               uint32_t kernel, nereid_buffer_t **out_json);
// Reads every byte and checks it. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_verify(const nereid_archive_t *archive);
// The image of a variant for the target that `describe` calls `target`, as a
// result of the compiler. [any-thread]
NEREID_EXPORT nereid_status_t nereid_archive_image(
    const nereid_archive_t *archive, uint32_t kernel, uint32_t variant,
    nereid_string_t target, nereid_artifact_t **out_artifact);
// The TTIR of a variant; NEREID_NOT_FOUND if it is not embedded. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_ttir(const nereid_archive_t *archive, uint32_t kernel,
                    uint32_t variant, nereid_buffer_t **out_ttir);
// The bytes of a file that was added by nereid_archive_writer_add_file().
// [any-thread]
NEREID_EXPORT nereid_status_t nereid_archive_file(
    const nereid_archive_t *archive, nereid_string_t name,
    nereid_buffer_t **out_bytes);

// ---------------------------------------------------------------- launching

// Flags of nereid_archive_load().
enum {
  // Where no image fits the device, compile the embedded TTIR.
  NEREID_ARCHIVE_COMPILE = 1u
};

// Prepares an archive for a device: no image is loaded yet. The backend
// outlives the result. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_load(const nereid_archive_t *archive, nereid_backend_t *backend,
                    uint32_t device, uint32_t flags,
                    nereid_archive_device_t **out_device);
// Unloads its images. No launch may be pending. [exclusive]
NEREID_EXPORT void
nereid_archive_device_destroy(nereid_archive_device_t *device);

// Loads all variants of a kernel now, and fails if a launch without known
// arguments would have no image. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_prepare(nereid_archive_device_t *device, uint32_t kernel);

// Launches. `launch` is as for nereid_function_launch(), with the block that
// nereid_archive_argument() describes. The first launch of a variant reads and
// loads its image. Scratch memory that a kernel needs is allocated once for each
// stream, unless `launch` has some. [hot]
NEREID_EXPORT nereid_status_t
nereid_archive_launch(nereid_archive_device_t *device, uint32_t kernel,
                      const nereid_launch_t *launch);

// Which image each variant of a kernel uses on this device and why the others
// are not used, as JSON. Loads them first. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_explain(nereid_archive_device_t *device, uint32_t kernel,
                       nereid_buffer_t **out_json);

// ---------------------------------------------------------------- writing

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_archive_writer_create(nereid_archive_writer_t **out_writer);
// [any-thread]
NEREID_EXPORT void
nereid_archive_writer_destroy(nereid_archive_writer_t *writer);

typedef struct nereid_archive_constant_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t name;
  nereid_string_t value;  // JSON
} nereid_archive_constant_t;

// A kernel to add. Of its arguments, only name and type are read.
typedef struct nereid_archive_new_kernel_t {
  uint32_t struct_size;
  uint32_t grid[3];
  nereid_string_t name;
  nereid_string_t group;
  const nereid_argument_t *arguments;
  uint64_t argument_count;
  const nereid_archive_constant_t *constants;
  uint64_t constant_count;
} nereid_archive_new_kernel_t;

// [serial]
NEREID_EXPORT nereid_status_t
nereid_archive_writer_add_kernel(nereid_archive_writer_t *writer,
                                 const nereid_archive_new_kernel_t *kernel);

// Kinds of conditions.
enum {
  NEREID_ARCHIVE_DIVISIBLE = 1,  // a pointer or an integer, by `value`
  NEREID_ARCHIVE_EQUAL = 2       // an integer, to `value`
};

typedef struct nereid_archive_condition_t {
  uint32_t struct_size;
  uint32_t argument;  // its index
  uint32_t kind;
  uint32_t reserved;
  int64_t value;
} nereid_archive_condition_t;

// A variant of a kernel that was added. Variants are tried in the order in
// which they are added; the last one has no conditions.
typedef struct nereid_archive_new_variant_t {
  uint32_t struct_size;
  uint32_t embeds_ttir;        // 1: the archive keeps `ttir`
  nereid_string_t kernel;
  const nereid_archive_condition_t *conditions;
  uint64_t condition_count;
  // The arguments that the compiled function takes, in order. Each other one
  // has a condition of NEREID_ARCHIVE_EQUAL.
  const uint32_t *parameters;
  uint64_t parameter_count;
  const nereid_value_t *options;  // of the compiler, as text
  uint64_t option_count;
  nereid_bytes_t ttir;
} nereid_archive_new_variant_t;

// [serial]
NEREID_EXPORT nereid_status_t
nereid_archive_writer_add_variant(nereid_archive_writer_t *writer,
                                  const nereid_archive_new_variant_t *variant);
// Adds what was compiled for `target` to variant `variant` of `kernel`.
// [serial]
NEREID_EXPORT nereid_status_t nereid_archive_writer_add_image(
    nereid_archive_writer_t *writer, nereid_string_t kernel, uint32_t variant,
    const nereid_target_t *target, const nereid_artifact_t *artifact);
// Adds bytes with a name, which nereid_archive_file() returns. A second file of
// that name must be equal. Archives with files have format 1.1. [serial]
NEREID_EXPORT nereid_status_t
nereid_archive_writer_add_file(nereid_archive_writer_t *writer,
                               nereid_string_t name, nereid_bytes_t bytes);
// Adds all of an archive. A kernel that is there already must have the same
// arguments and variants; it gets the images for further targets. [serial]
NEREID_EXPORT nereid_status_t
nereid_archive_writer_add_archive(nereid_archive_writer_t *writer,
                                  const nereid_archive_t *archive);

// Flags of nereid_archive_writer_finish().
enum {
  // Images, metadata and TTIR are compressed with zstd; images then have to be
  // decompressed when they are loaded. NEREID_UNIMPLEMENTED without zstd.
  NEREID_ARCHIVE_ZSTD = 1u
};

// The bytes of the archive: the same for the same kernels, whatever the order
// in which they were added. [serial]
NEREID_EXPORT nereid_status_t
nereid_archive_writer_finish(const nereid_archive_writer_t *writer,
                             uint32_t flags, nereid_buffer_t **out_archive);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_ARCHIVE_H
