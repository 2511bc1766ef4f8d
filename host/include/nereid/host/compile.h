// nereid/host/compile.h - from source to an image, through stages and the
// cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_COMPILE_H
#define NEREID_INCLUDE_HOST_COMPILE_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Flags of a compile request.
enum {
  NEREID_COMPILE_NO_CACHE = 1u,   // neither read nor write the cache
  NEREID_COMPILE_REFRESH = 2u,    // compile even if cached, and store
  NEREID_COMPILE_NEVER = 4u,      // a miss is NEREID_NOT_FOUND
  // Keep the output of each stage, in the result and in its cache entry, for
  // nereid_artifact_stage().
  NEREID_COMPILE_KEEP_STAGES = 8u
};

// The output of stage `stage` is the bytes of `replacement`, not its own.
typedef struct nereid_replacement_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t stage;
  nereid_bytes_t replacement;
} nereid_replacement_t;

// What to compile. Everything is borrowed for the call. Dumping, replacing,
// starting late or stopping early bypasses the cache; a pipeline that makes no
// image is still cached.
typedef struct nereid_compile_request_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_bytes_t source;
  nereid_string_t source_name;      // for messages
  const nereid_target_t *target;    // NULL: the target of `device`
  uint32_t device;
  uint32_t reserved;
  const nereid_value_t *options;    // strings are converted to the option's type
  uint64_t option_count;
  nereid_string_t start_at;         // first stage to run; `source` is its input
  nereid_string_t stop_after;       // last stage to run
  const nereid_replacement_t *replacements;
  uint64_t replacement_count;
  nereid_string_t dump_dir;         // each stage's output is written there
  // (optional) Non-zero when the result is no longer wanted. Called often while
  // the request waits or compiles; must not call libnereid. The compilation then
  // ends with NEREID_CANCELLED: before its next stage, earlier if the compiler
  // looks at nereid_call_t.cancelled, and within 20 ms or so where it waits or
  // compiles in a process of its own. [any-thread]
  int32_t (*cancelled)(void *user);
  void *cancelled_user;             // passed to `cancelled`
} nereid_compile_request_t;

// Compiles, or reads the cache. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compile(nereid_backend_t *backend,
               const nereid_compile_request_t *request,
               nereid_artifact_t **out_artifact);
// The cache key of `request` and the inputs hashed into it, as JSON. Compiles
// nothing. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compile_key(nereid_backend_t *backend,
                   const nereid_compile_request_t *request,
                   nereid_buffer_t **out_json);
// Checks everything of `request` but its source: target, options, stages and
// replacements. Compiles nothing. What fails here is wrong for every source.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compile_check(nereid_backend_t *backend,
                     const nereid_compile_request_t *request);
// [any-thread]
NEREID_EXPORT void nereid_artifact_destroy(nereid_artifact_t *artifact);

typedef struct nereid_artifact_info_t {
  uint32_t struct_size;
  uint32_t from_cache;       // 1 if nothing was compiled
  uint32_t is_image;         // 1 if it can be loaded
  uint32_t reserved;
  nereid_bytes_t output;     // of the last stage
  nereid_string_t kind;
  nereid_string_t last_stage;
  nereid_string_t extension; // of a file with the output, without the dot
  nereid_string_t key;       // of the cache, in hexadecimal
  nereid_string_t name;      // of the kernel
  const nereid_value_t *metadata;
  uint64_t metadata_count;
} nereid_artifact_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_artifact_info(const nereid_artifact_t *artifact,
                     nereid_artifact_info_t *out_info);
// All facts as JSON: metadata, key and its inputs, stage times in nanoseconds,
// whether it was cached and if not why. JSON has no number for NaN and
// infinities, here and elsewhere: they are "nan", "inf" and "-inf". [any-thread]
NEREID_EXPORT nereid_status_t
nereid_artifact_describe(const nereid_artifact_t *artifact,
                         nereid_buffer_t **out_json);

// The output of stage `stage`, if the request had NEREID_COMPILE_KEEP_STAGES,
// or of the last stage. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_artifact_stage(const nereid_artifact_t *artifact, nereid_string_t stage,
                      nereid_bytes_t *out_output);

// Serializes a result with its metadata, key and digest, to store or ship. The
// output comes first, so that an image that is a shared object stays one. Kept
// stages are not included.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_artifact_save(const nereid_artifact_t *artifact,
                     nereid_buffer_t **out_file);
// Opens the bytes of nereid_artifact_save(); any change to them is
// NEREID_IO_ERROR. `name` names them in messages. If the cache has the same
// bytes, debuggers and profilers find its file. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_artifact_open(nereid_runtime_t *runtime, nereid_bytes_t file,
                     nereid_string_t name, nereid_artifact_t **out_artifact);

// The public functions of TTIR, text or bytecode, as JSON: see `describe` in
// nereid/ext/ttir.h. `name` stands for the source in messages. The first call
// loads MLIR; NEREID_UNAVAILABLE if it is not installed. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_describe_ttir(const nereid_runtime_t *runtime,
                             nereid_bytes_t source, nereid_string_t name,
                             nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_COMPILE_H
