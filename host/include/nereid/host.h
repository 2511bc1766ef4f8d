// nereid/host.h - libnereid for host programs: find plugins, compile, cache,
// load and launch kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The same promises as on the plugin side (nereid/base.h): C11, structs that
// start with their size and grow at the end, thread words on every function.
//
// Errors
//   A function that fails returns a status and leaves its out parameters
//   untouched. nereid_error() then gives the reasons, as text, for the calling
//   thread, until its next call that can fail.
//
// Ownership
//   What a function makes has one destroy function, which accepts NULL. A
//   runtime outlives everything made from it; destroying it first is an error
//   of the program. Strings in info structs live as long as their object.

#ifndef NEREID_HOST_H
#define NEREID_HOST_H

#include "nereid/entry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_runtime_t nereid_runtime_t;    // plugins, cache, settings
typedef struct nereid_backend_t nereid_backend_t;    // one loaded plugin
typedef struct nereid_compiled_t nereid_compiled_t;  // the result of a compile
typedef struct nereid_function_t nereid_function_t;  // a kernel, ready to launch
typedef struct nereid_buffer_t nereid_buffer_t;      // bytes owned by libnereid

// The reasons of the calling thread's last failure, one a line: "error: ...",
// "note: ...". Empty if nothing failed yet. Valid until the thread's next call
// that can fail. [any-thread]
NEREID_EXPORT nereid_string_t nereid_error(void);

// The name of a status code, "invalid-argument" for instance. [any-thread]
NEREID_EXPORT nereid_string_t nereid_status_name(nereid_status_t status);

// The version of libnereid, "0.1.0". [any-thread]
NEREID_EXPORT nereid_string_t nereid_version(void);

// The bytes of a buffer; valid until it is destroyed. [any-thread]
NEREID_EXPORT nereid_bytes_t nereid_buffer_bytes(const nereid_buffer_t *buffer);
// [any-thread]
NEREID_EXPORT void nereid_buffer_destroy(nereid_buffer_t *buffer);

// ---------------------------------------------------------------- runtime
// Flags of nereid_runtime_options_t.
enum {
  NEREID_RUNTIME_NO_DISCOVERY = 1u,     // only explicit loads
  NEREID_RUNTIME_IGNORE_ENVIRONMENT = 2u,
  NEREID_RUNTIME_ISOLATED_PROBE = 4u,   // entry and probe run in a child first
  NEREID_RUNTIME_ALLOW_WRITABLE = 8u,   // accept files that others can write
  NEREID_RUNTIME_NO_CACHE = 16u
};

// Why a kernel is being compiled; told to the listener before it starts.
typedef struct nereid_compile_event_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t backend;  // plugin id
  nereid_string_t source;   // the name given in the request
  nereid_string_t key;      // of the cache, in hexadecimal
  nereid_string_t reason;   // why it missed: "no entry", "entry is damaged: ..."
} nereid_compile_event_t;

// Settings of a runtime. Zero is the default of every field. Environment
// variables fill in what is not set here; docs/environment.md lists them.
typedef struct nereid_runtime_options_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_string_t host_name;    // told to plugins
  nereid_string_t plugin_dirs;  // like NEREID_PLUGIN_DIRS, which it replaces
  nereid_string_t allow;        // globs of plugin ids, `;` between; empty: all
  nereid_string_t deny;
  nereid_string_t cache_dir;    // like NEREID_CACHE_DIR
  uint64_t cache_limit;         // bytes; 0: the default of 5 GiB
  uint32_t probe_timeout_ms;    // of an isolated probe; 0: 5000
  uint32_t reserved;
  void *user;                   // given to the callbacks
  // Messages of the host and of plugins; NULL: stderr, as NEREID_LOG says.
  // [any-thread]
  void (*log)(void *user, nereid_string_t source,
              const nereid_diagnostic_t *diagnostic);
  // Told what is about to be compiled. [any-thread]
  void (*compile_listener)(void *user, const nereid_compile_event_t *event);
} nereid_runtime_options_t;

// Makes a runtime and, unless told otherwise, discovers plugins. Plugins that
// are refused are no error: they are in the report. `options` may be NULL.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_create(const nereid_runtime_options_t *options,
                      nereid_runtime_t **out_runtime);
// Shuts the plugins down, in reverse order of loading. [main]
NEREID_EXPORT void nereid_runtime_destroy(nereid_runtime_t *runtime);

// One file or table that was considered as a plugin.
typedef struct nereid_candidate_t {
  uint32_t struct_size;
  uint32_t loaded;            // 1 if it is a backend now
  nereid_string_t reason;     // stable code: "loaded", "no-note", ...
  nereid_string_t path;       // as found; empty for a table in process
  nereid_string_t resolved;   // without links; empty if that failed
  nereid_string_t id;         // empty if unknown
  nereid_string_t detail;     // what was found and what was expected
  nereid_string_t remedy;     // what to do about it
  nereid_string_t winner;     // path or id of the plugin that it lost to
} nereid_candidate_t;

// The load report: every candidate, in the order considered. [any-thread]
NEREID_EXPORT uint64_t
nereid_runtime_candidate_count(const nereid_runtime_t *runtime);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_candidate(const nereid_runtime_t *runtime, uint64_t index,
                         nereid_candidate_t *out_candidate);
// The same as JSON. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_report(const nereid_runtime_t *runtime,
                      nereid_buffer_t **out_json);

// Loads the plugin at `path`, whatever the directories say. A failure is an
// error here, and also a line of the report. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_load(nereid_runtime_t *runtime, nereid_string_t path,
                    nereid_backend_t **out_backend);

// Registers a table of this process under its device type; `plugin` lives
// until it is unregistered. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_register(nereid_runtime_t *runtime,
                        const nereid_plugin_t *plugin,
                        nereid_backend_t **out_backend);
// Ends and removes a registered or loaded backend that nothing uses any more.
// [main]
NEREID_EXPORT nereid_status_t
nereid_runtime_unregister(nereid_runtime_t *runtime,
                          nereid_backend_t *backend);

// The loaded backends, in directory order. [any-thread]
NEREID_EXPORT uint64_t
nereid_runtime_backend_count(const nereid_runtime_t *runtime);
// [any-thread]
NEREID_EXPORT nereid_backend_t *
nereid_runtime_backend_at(const nereid_runtime_t *runtime, uint64_t index);
// By plugin id, else by device type. NEREID_NOT_FOUND names the nearest.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_backend(const nereid_runtime_t *runtime, nereid_string_t name,
                       nereid_backend_t **out_backend);

// The backend and device that `name` means: "cpu", "vulkan:1", or empty for
// NEREID_TARGET, else the best score; a CPU only if no other device is active.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_choose(const nereid_runtime_t *runtime, nereid_string_t name,
                      nereid_backend_t **out_backend, uint32_t *out_device);
// Why, as JSON: every driver with its score, reason and place, the ties, the
// winner and the rule that decided. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_explain(const nereid_runtime_t *runtime, nereid_string_t name,
                       nereid_buffer_t **out_json);

// ---------------------------------------------------------------- backend
typedef struct nereid_backend_info_t {
  uint32_t struct_size;
  uint32_t has_compiler;
  uint32_t has_driver;
  uint32_t flags;               // nereid_plugin_t.flags
  int32_t score;                // of the driver's probe; 0 without a driver
  uint32_t probe_flags;
  uint32_t device_count;
  uint32_t abi_minor;           // in use: the smaller one of both sides
  nereid_string_t id;
  nereid_string_t device_type;
  nereid_string_t version;
  nereid_string_t build_id;
  nereid_string_t description;
  nereid_string_t vendor_name;
  nereid_string_t device_name;
  nereid_string_t device_query_command;
  nereid_string_t dispatch_key;
  nereid_string_t path;         // empty for a table in process
  nereid_string_t probe_reason;
} nereid_backend_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_info(const nereid_backend_t *backend,
                    nereid_backend_info_t *out_info);
// The plugin's table for an extension; NULL if it has none. [any-thread]
NEREID_EXPORT const void *
nereid_backend_extension(const nereid_backend_t *backend, nereid_string_t id);
// The state that the plugin's own slots want, for extensions. [any-thread]
NEREID_EXPORT nereid_state_t *
nereid_backend_state(const nereid_backend_t *backend);
// The option schema as JSON: [{"name", "type", "default", "doc", "choices",
// "minimum", "maximum"}]. `target` NULL: the one of device 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_options(const nereid_backend_t *backend,
                       const nereid_target_t *target,
                       nereid_buffer_t **out_json);
// The stages for these options as JSON: [{"name", "input", "output",
// "extension", "image"}]. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_stages(const nereid_backend_t *backend,
                      const nereid_target_t *target,
                      const nereid_value_t *options, uint64_t option_count,
                      nereid_buffer_t **out_json);

// The driver's slots, checked. A device that does not exist is an error.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_target(const nereid_backend_t *backend, uint32_t device,
                      nereid_target_t *out_target);
// Facts about a device as a JSON object. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_properties(const nereid_backend_t *backend, uint32_t device,
                          nereid_buffer_t **out_json);
// Memory of `device`; a size of 0 gives address 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_allocate(nereid_backend_t *backend, uint32_t device,
                        uint64_t size, nereid_address_t *out_address);
// Gives memory back whose work is done. Accepts 0. [any-thread]
NEREID_EXPORT void nereid_backend_free(nereid_backend_t *backend,
                                       uint32_t device,
                                       nereid_address_t address);
// Copies; the host side is a pointer in an address. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_copy(nereid_backend_t *backend, uint32_t device,
                    nereid_stream_t stream, nereid_copy_t direction,
                    nereid_address_t destination, nereid_address_t source,
                    uint64_t size);
// Sets `count` elements to a pattern of 1, 2, 4 or 8 bytes. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_fill(nereid_backend_t *backend, uint32_t device,
                    nereid_stream_t stream, nereid_address_t destination,
                    const void *pattern, uint32_t pattern_size,
                    uint64_t count);
// Makes memory of this program usable on the device. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_adopt_pointer(nereid_backend_t *backend, uint32_t device,
                             nereid_string_t kind, uint64_t handle,
                             uint64_t size, nereid_address_t *out_address);
// Ends the adoption; the memory stays. [any-thread]
NEREID_EXPORT void nereid_backend_release_pointer(nereid_backend_t *backend,
                                                  uint32_t device,
                                                  nereid_address_t address);
// Makes a queue of this program usable as a stream. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_adopt_stream(nereid_backend_t *backend, uint32_t device,
                            nereid_string_t kind, uint64_t handle,
                            nereid_stream_t *out_stream);
// Ends the adoption; the queue stays. [any-thread]
NEREID_EXPORT void nereid_backend_release_stream(nereid_backend_t *backend,
                                                 uint32_t device,
                                                 nereid_stream_t stream);
// Lets the driver work in a context of this program. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_adopt_context(nereid_backend_t *backend, uint32_t device,
                             nereid_string_t kind, uint64_t handle);
// Makes a stream. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_create_stream(nereid_backend_t *backend, uint32_t device,
                             nereid_stream_t *out_stream);
// Waits for its work and destroys it. Ignores 0. [any-thread]
NEREID_EXPORT void nereid_backend_destroy_stream(nereid_backend_t *backend,
                                                 uint32_t device,
                                                 nereid_stream_t stream);
// The calling thread's device. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_get_current_device(const nereid_backend_t *backend,
                                  uint32_t *out_device);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_set_current_device(nereid_backend_t *backend, uint32_t device);
// The calling thread's stream on `device`. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_get_current_stream(const nereid_backend_t *backend,
                                  uint32_t device,
                                  nereid_stream_t *out_stream);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_set_current_stream(nereid_backend_t *backend, uint32_t device,
                                  nereid_stream_t stream);
// Waits for the work of a stream, and tells what failed in it. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_synchronize(nereid_backend_t *backend, uint32_t device,
                           nereid_stream_t stream);
// Makes an event. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_create_event(nereid_backend_t *backend, uint32_t device,
                            nereid_event_t **out_event);
// [any-thread]
NEREID_EXPORT void nereid_backend_destroy_event(nereid_backend_t *backend,
                                                nereid_event_t *event);
// Marks the point that `stream` has reached. [serial]
NEREID_EXPORT nereid_status_t
nereid_backend_record_event(nereid_backend_t *backend, nereid_event_t *event,
                            nereid_stream_t stream);
// The time between two recorded events; waits for `end`. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_elapsed(nereid_backend_t *backend, nereid_event_t *start,
                       nereid_event_t *end, double *out_nanoseconds);
// Evicts the device's caches, before a cold measurement. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_flush_cache(nereid_backend_t *backend, uint32_t device,
                           nereid_stream_t stream);

// ---------------------------------------------------------------- compile
// Flags of a compile request.
enum {
  NEREID_COMPILE_NO_CACHE = 1u,   // neither read nor write the cache
  NEREID_COMPILE_REFRESH = 2u,    // compile even if cached, and store
  NEREID_COMPILE_NEVER = 4u,      // a miss is NEREID_NOT_FOUND
  // Keep what each stage made, in the result and in its cache entry, for
  // nereid_compiled_stage().
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
// starting late or stopping early by-passes the cache, except that a pipeline
// which ends early by itself is cached as it is.
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
} nereid_compile_request_t;

// Compiles, or takes from the cache. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compile(nereid_backend_t *backend,
               const nereid_compile_request_t *request,
               nereid_compiled_t **out_compiled);
// What `request` would be compiled from, as JSON: the cache's key and the
// ingredients that go into it. Compiles nothing. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compile_key(nereid_backend_t *backend,
                   const nereid_compile_request_t *request,
                   nereid_buffer_t **out_json);
// [any-thread]
NEREID_EXPORT void nereid_compiled_destroy(nereid_compiled_t *compiled);

typedef struct nereid_compiled_info_t {
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
} nereid_compiled_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compiled_info(const nereid_compiled_t *compiled,
                     nereid_compiled_info_t *out_info);
// All facts as JSON: metadata, key and what went into it, stage times in
// nanoseconds, whether it was cached and if not why. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compiled_describe(const nereid_compiled_t *compiled,
                         nereid_buffer_t **out_json);

// The output of stage `stage`, which a request with NEREID_COMPILE_KEEP_STAGES
// kept, or that of the last stage. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compiled_stage(const nereid_compiled_t *compiled, nereid_string_t stage,
                      nereid_bytes_t *out_output);

// A result as one piece that carries its metadata, key and digest, to keep
// elsewhere or to ship: the output stands at its start, so that an image that
// is a shared object stays one. Stages that were kept are left out.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compiled_save(const nereid_compiled_t *compiled,
                     nereid_buffer_t **out_file);
// Takes back what nereid_compiled_save() gave; any change of it is
// NEREID_IO_ERROR. `name` stands for it in messages. Where the cache has the
// same bytes, its file is what debuggers and profilers will find. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_compiled_open(nereid_runtime_t *runtime, nereid_bytes_t file,
                     nereid_string_t name, nereid_compiled_t **out_compiled);

// ---------------------------------------------------------------- launch
// Loads a compiled image on `device` and finds its kernel. `backend` needs a
// driver; it may be another plugin than the one that compiled. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_function_load(nereid_backend_t *backend, uint32_t device,
                     const nereid_compiled_t *compiled,
                     nereid_function_t **out_function);
// No launch is under way. [any-thread]
NEREID_EXPORT void nereid_function_destroy(nereid_function_t *function);

// One argument of a kernel.
typedef struct nereid_argument_t {
  uint32_t struct_size;
  uint32_t offset;        // bytes from the start of the block
  uint32_t size;          // bytes
  uint32_t reserved;
  nereid_string_t name;
  nereid_string_t type;   // "*f32", "i32", ...
} nereid_argument_t;

typedef struct nereid_function_info_t {
  uint32_t struct_size;
  uint32_t argument_count;
  uint64_t arguments_size;         // bytes of the block
  nereid_string_t name;
  const nereid_kernel_info_t *resources;
} nereid_function_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_function_info(const nereid_function_t *function,
                     nereid_function_info_t *out_info);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_function_argument(const nereid_function_t *function, uint32_t index,
                         nereid_argument_t *out_argument);

// Launches. A grid with a zero is a no-op. `arguments` is the packed block;
// its size must be the kernel's. The reasons of a failure are in
// nereid_error(). [hot]
NEREID_EXPORT nereid_status_t
nereid_function_launch(nereid_function_t *function, uint32_t grid_x,
                       uint32_t grid_y, uint32_t grid_z,
                       nereid_stream_t stream, const void *arguments,
                       uint64_t arguments_size);

// ---------------------------------------------------------------- cache
typedef struct nereid_cache_stat_t {
  uint32_t struct_size;
  uint32_t enabled;        // 0: switched off or not usable
  uint64_t entries;
  uint64_t bytes;
  uint64_t limit;          // bytes
  uint64_t hits;           // of this runtime, as all below
  uint64_t misses;
  uint64_t repaired;       // damaged entries that were found and replaced
  uint64_t evicted;
  nereid_string_t directory;
} nereid_cache_stat_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_cache_stat(const nereid_runtime_t *runtime,
                  nereid_cache_stat_t *out_stat);
// Reads every entry; damaged ones are removed and listed. JSON:
// {"entries", "damaged": [{"file", "reason"}]}. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_cache_verify(nereid_runtime_t *runtime, nereid_buffer_t **out_json);
// Removes least recently used entries down to `limit` bytes (0: the
// runtime's limit), and leftovers of processes that died. JSON:
// {"removed", "bytes"}. [any-thread]
NEREID_EXPORT nereid_status_t nereid_cache_gc(nereid_runtime_t *runtime,
                                              uint64_t limit,
                                              nereid_buffer_t **out_json);
// Removes every entry. [any-thread]
NEREID_EXPORT nereid_status_t nereid_cache_clear(nereid_runtime_t *runtime,
                                                 nereid_buffer_t **out_json);

// ---------------------------------------------------------------- checks
// Runs the conformance checks on the plugin at `path`, each in a child of its
// own, and gives a JSON list of {"check", "result": "pass"|"fail"|"skip",
// "detail"}. The status tells whether they could be run. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_validate_plugin(nereid_string_t path, nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_HOST_H
