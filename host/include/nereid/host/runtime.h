// nereid/host/runtime.h - discovery and choice of plugins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_RUNTIME_H
#define NEREID_INCLUDE_HOST_RUNTIME_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Flags of nereid_runtime_options_t.
enum {
  NEREID_RUNTIME_NO_DISCOVERY = 1u,     // only explicit loads
  NEREID_RUNTIME_IGNORE_ENVIRONMENT = 2u,
  NEREID_RUNTIME_ISOLATED_PROBE = 4u,   // entry and probe run in a child first
  NEREID_RUNTIME_ALLOW_WRITABLE = 8u,   // accept files that others can write
  NEREID_RUNTIME_NO_CACHE = 16u,
  // Stages run in a process of their own, as with NEREID_COMPILE=isolated.
  NEREID_RUNTIME_ISOLATED_COMPILE = 32u
};

// Values of nereid_runtime_options_t.compile_policy.
enum {
  NEREID_COMPILE_POLICY_NORMAL = 1,  // compile what the cache does not have
  NEREID_COMPILE_POLICY_NEVER = 2,   // a miss is NEREID_NOT_FOUND
  NEREID_COMPILE_POLICY_ALWAYS = 3   // compile even if cached, and store
};

// Why a kernel is compiled; passed to compile_listener before a compilation
// starts.
typedef struct nereid_compile_event_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t backend;  // plugin id
  nereid_string_t source;   // the name given in the request
  nereid_string_t key;      // of the cache, in hexadecimal
  nereid_string_t reason;   // why it missed: "no entry", "entry is damaged: ..."
} nereid_compile_event_t;

// Settings of a runtime. Zero is the default of every field. Environment
// variables apply to fields that are not set; docs/environment.md lists them.
typedef struct nereid_runtime_options_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_string_t host_name;    // passed to plugins
  nereid_string_t plugin_dirs;  // like NEREID_PLUGIN_DIRS, which it replaces
  nereid_string_t allow;        // `;`-separated globs of plugin ids; empty: all
  nereid_string_t deny;
  nereid_string_t cache_dir;    // like NEREID_CACHE_DIR
  uint64_t cache_limit;         // bytes; 0: the default of 5 GiB
  uint32_t probe_timeout_ms;    // of an isolated probe; 0: 5000
  uint32_t compile_timeout_ms;  // of an isolated compilation; 0: 600000
  // Passed to the callbacks, which run inside libnereid and must not call back
  // into it.
  void *user;
  // Messages of the host and of plugins; NULL: stderr, filtered by NEREID_LOG.
  // [any-thread]
  void (*log)(void *user, nereid_string_t source,
              const nereid_diagnostic_t *diagnostic);
  // Called before each compilation. [any-thread]
  void (*compile_listener)(void *user, const nereid_compile_event_t *event);
  nereid_string_t target;       // like NEREID_TARGET
  nereid_string_t compiler;     // like NEREID_COMPILER
  nereid_string_t trace;        // like NEREID_TRACE
  // How severe a message must at least be: like NEREID_LOG; 0: the default.
  nereid_severity_t log_level;
  uint32_t compile_policy;      // like NEREID_COMPILE; 0: as needed
  nereid_string_t cache_remote; // like NEREID_CACHE_REMOTE
} nereid_runtime_options_t;

// Creates a runtime and, by default, discovers plugins. Refused plugins are not
// errors: they are in the report. `options` may be NULL.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_create(const nereid_runtime_options_t *options,
                      nereid_runtime_t **out_runtime);
// Shuts the plugins down, in reverse order of loading. [exclusive]
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
  nereid_string_t winner;     // path or id of the plugin loaded instead
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

// Loads the plugin at `path`, which need not be in a plugin directory. A
// failure is an error here, and also an entry of the report. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_load(nereid_runtime_t *runtime, nereid_string_t path,
                    nereid_backend_t **out_backend);

// Registers a table of this process under its device type; `plugin` must stay
// valid until it is unregistered. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_register(nereid_runtime_t *runtime,
                        const nereid_plugin_t *plugin,
                        nereid_backend_t **out_backend);
// Ends and removes a registered or loaded backend that nothing uses any more.
// [exclusive]
NEREID_EXPORT nereid_status_t
nereid_runtime_unregister(nereid_runtime_t *runtime,
                          nereid_backend_t *backend);

// The loaded backends, in directory order. [any-thread]
NEREID_EXPORT uint64_t
nereid_runtime_backend_count(const nereid_runtime_t *runtime);
// [any-thread]
NEREID_EXPORT nereid_backend_t *
nereid_runtime_backend_at(const nereid_runtime_t *runtime, uint64_t index);
// By plugin id, else by device type. The error of NEREID_NOT_FOUND suggests
// similar names. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_backend(const nereid_runtime_t *runtime, nereid_string_t name,
                       nereid_backend_t **out_backend);

// The backend and device that `name` selects: "cpu", "vulkan:1", or empty for
// NEREID_TARGET, else the best score; a CPU only if no other device is active.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_choose(const nereid_runtime_t *runtime, nereid_string_t name,
                      nereid_backend_t **out_backend, uint32_t *out_device);
// The compiler with the best score for `target`, or the one that
// NEREID_COMPILER names. No device is needed. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_compiler(const nereid_runtime_t *runtime,
                        const nereid_target_t *target,
                        nereid_backend_t **out_compiler);
// Explains that choice as JSON: every driver with its score, reason and rank,
// the ties, the winner and the rule that decided. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_runtime_explain(const nereid_runtime_t *runtime, nereid_string_t name,
                       nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_RUNTIME_H
