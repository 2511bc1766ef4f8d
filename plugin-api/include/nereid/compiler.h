// nereid/compiler.h - the slots of a plugin that compiles.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A compiler turns a module (Triton's TTIR as text or MLIR bytecode) into an
// image, in stages. The host runs the stages in order, bytes in and bytes out,
// and can dump, replace, skip and cache the bytes between them.

#ifndef NEREID_COMPILER_H
#define NEREID_COMPILER_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The plugin's state between calls; created by nereid_plugin_t.create, NULL for
// a plugin without `create`.
typedef struct nereid_state_t nereid_state_t;
// Options that a plugin has validated; owned by the plugin until destroyed.
typedef struct nereid_options_t nereid_options_t;
// One compilation: the plugin's state from one stage to the next.
typedef struct nereid_session_t nereid_session_t;

// What to compile for. Strings are borrowed for the call when the host passes
// a target, and owned by the plugin until shutdown when a driver returns one.
// Unknown names are legal everywhere; empty means unspecified.
typedef struct nereid_target_t {
  uint32_t struct_size;
  int32_t warp_size;         // threads in lock step; 1 on a CPU, 0 unspecified
  nereid_string_t backend;   // device type: "cpu", "vulkan", "acme"
  nereid_string_t arch;      // "x86_64", "sm90", ...
  nereid_string_t features;  // comma-separated, in the plugin's own spelling
} nereid_target_t;

// One option that the compiler understands.
typedef struct nereid_option_t {
  uint32_t struct_size;
  nereid_type_t type;
  nereid_string_t name;
  nereid_string_t doc;            // one sentence
  nereid_string_t default_value;  // as text (nereid_type_t)
  // Legal values of a string option; NULL and 0 if free.
  const nereid_string_t *choices;
  uint64_t choice_count;
  // Inclusive range of an integer option; any value unless minimum < maximum.
  int64_t minimum;
  int64_t maximum;
} nereid_option_t;

typedef struct nereid_option_sink_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // `option` is borrowed for the call. [serial]
  nereid_status_t (*add)(const struct nereid_option_sink_t *sink,
                         const nereid_option_t *option);
} nereid_option_sink_t;

// Flags of a stage.
enum {
  // The session keeps the stage's output, so that the next stage can run
  // without its bytes (see run_stage).
  NEREID_STAGE_KEEPS_OUTPUT = 1u,
  // The output is an image: nereid_driver_t.load_image accepts it.
  NEREID_STAGE_MAKES_IMAGE = 2u
};

// One stage. Kinds are free strings: "ttir", "llvm.ir", "elf", "spirv", ...
// The first stage of a pipeline for Triton accepts "ttir".
typedef struct nereid_stage_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_string_t name;         // unique in the pipeline: "ttir", "llir", "so"
  nereid_string_t input_kind;
  nereid_string_t output_kind;
  nereid_string_t extension;    // of a dump file, without the dot
} nereid_stage_t;

typedef struct nereid_stage_sink_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // `stage` is borrowed for the call. [serial]
  nereid_status_t (*add)(const struct nereid_stage_sink_t *sink,
                         const nereid_stage_t *stage);
} nereid_stage_sink_t;

// Metadata
//   A stage describes the kernel it compiles through a value sink. The host
//   stores the values with the image, passes them to load_image and shows
//   them to users. Names it understands:
//     name               STRING       symbol of the kernel in the image
//     argument_names     STRING_LIST  in order
//     argument_types     STRING_LIST  "*f32" (pointer), "i1", "i8" to "i64",
//                                     "u8" to "u64", "f16", "bf16", "f32",
//                                     "f64". A tensor descriptor of Triton is
//                                     a pointer and integers: `describe` of
//                                     nereid/ext/ttir.h lists them in order
//     argument_offsets   I64_LIST     bytes from the start of the block
//     argument_size      I64          bytes of the whole block
//     shared             I64          bytes of on-chip memory a program needs
//     scratch_size       I64          bytes of device memory a program needs
//                                     while it runs (nereid_launch_t.scratch)
//     scratch_alignment  I64          of it; a power of two, 64 if absent
//     cluster            I64_LIST     programs of a cluster along x, y, z
//     cooperative        BOOL         all programs must run at the same time
//     num_warps, num_ctas, warp_size  I64
//   Other names are a plugin's own. A stage that the host skips or replaces
//   adds nothing, so the stage that makes the image adds everything that a
//   launch needs, even if an earlier stage did.
//   Without argument_offsets the standard layout applies: each
//   argument at the next multiple of its size (pointers take 8 bytes and an i1
//   one), the block's size rounded up to 8.

// The input of one stage. Borrowed for the call.
typedef struct nereid_stage_input_t {
  uint32_t struct_size;
  uint32_t index;                // of the stage, in the order of visit_stages
  const nereid_options_t *options;
  nereid_session_t *session;     // NULL if the compiler has no `begin`
  nereid_string_t name;          // of the source, for messages: "softmax.ttir"
  // The output of the stage before. For a stage that follows one with
  // NEREID_STAGE_KEEPS_OUTPUT in the same session `data` may be NULL: the stage
  // continues from the session's state.
  nereid_bytes_t bytes;
} nereid_stage_input_t;

// The compiler of a plugin. Required slots are marked; a host returns
// NEREID_UNIMPLEMENTED, naming the slot, for those that are missing.
typedef struct nereid_compiler_t {
  uint32_t struct_size;
  uint32_t reserved;

  // Required. Sets `*out_score`: 0 if this compiler does not serve `target`,
  // larger is better; 100 is a normal match. A device whose plugin has a
  // compiler uses that compiler; scores decide for driver-only plugins.
  // [any-thread]
  nereid_status_t (*score_target)(nereid_state_t *state,
                                  const nereid_target_t *target,
                                  int32_t *out_score,
                                  const nereid_call_t *call);

  // (optional) Adds every option for `target` to `sink`. Without it the
  // compiler has none. [any-thread]
  nereid_status_t (*visit_options)(nereid_state_t *state,
                                   const nereid_target_t *target,
                                   const nereid_option_sink_t *sink,
                                   const nereid_call_t *call);

  // Required. Checks `count` option values for `target`, writes the canonical
  // text of the complete set (equal for equivalent sets; part of the cache key)
  // and sets `*out_options`. An unknown name is an error. On failure no
  // options are created. [any-thread]
  nereid_status_t (*parse_options)(nereid_state_t *state,
                                   const nereid_target_t *target,
                                   const nereid_value_t *values,
                                   uint64_t count,
                                   const nereid_writer_t *canonical,
                                   nereid_options_t **out_options,
                                   const nereid_call_t *call);

  // Required. Destroys options that no session uses. Accepts NULL.
  // [any-thread]
  nereid_status_t (*destroy_options)(nereid_state_t *state,
                                     nereid_options_t *options,
                                     const nereid_call_t *call);

  // Required. Adds the stages, in order, to `sink`; at least one, and the same
  // each time. A stage accepts the kind that the stage before it produces. A
  // pipeline without an image is legal: its kernels cannot be launched.
  // [any-thread]
  nereid_status_t (*visit_stages)(nereid_state_t *state,
                                  const nereid_options_t *options,
                                  const nereid_stage_sink_t *sink,
                                  const nereid_call_t *call);

  // (optional) Writes what the output depends on besides source, options,
  // target and this plugin's build: the features of this CPU, the version of
  // a driver, the build of a library that the compiler is in. Part of the cache
  // key. Cheap: called for cached kernels too. If a dependency is missing,
  // the host returns stale images. [any-thread]
  nereid_status_t (*write_dependencies)(nereid_state_t *state,
                                        const nereid_options_t *options,
                                        const nereid_writer_t *writer,
                                        const nereid_call_t *call);

  // (optional) Starts a compilation; `options` outlives it. Compilations are
  // independent: several may run at once. Options that are too expensive
  // to validate in parse_options are refused here; errors of run_stage concern
  // the input. [any-thread]
  nereid_status_t (*begin)(nereid_state_t *state,
                           const nereid_options_t *options,
                           nereid_session_t **out_session,
                           const nereid_call_t *call);

  // (optional) Ends a compilation, finished or not. Present if `begin` is.
  // Accepts NULL. [serial]
  nereid_status_t (*end)(nereid_state_t *state, nereid_session_t *session,
                         const nereid_call_t *call);

  // Required. Runs a stage, appends the result to `output` and facts about the
  // kernel to `metadata`. Equal bytes and options give equal output. `output`
  // is NULL when the bytes of a stage with NEREID_STAGE_KEEPS_OUTPUT are not
  // needed. On failure `output` may hold partial output. [serial]
  nereid_status_t (*run_stage)(nereid_state_t *state,
                               const nereid_stage_input_t *input,
                               const nereid_writer_t *output,
                               const nereid_value_sink_t *metadata,
                               const nereid_call_t *call);
} nereid_compiler_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_COMPILER_H
