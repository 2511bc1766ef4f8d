// nereid/tune.h - tuned results: which configuration of an operator is fast for
// which shapes, on which device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of nereid/host.h hold: sized structs, statuses, nereid_error().
// docs/tuning.md explains results, trust, buckets and the file.
//
//   nereid_tune_open()      a store: a file, or a PostgreSQL server, that many
//                           processes may use
//   nereid_tune_record()    measurements
//   nereid_tune_lookup()    what to use for a call, and why

#ifndef NEREID_TUNE_H
#define NEREID_TUNE_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_tune_store_t nereid_tune_store_t;  // an open store

// ---------------------------------------------------------------- opening

// Flags of nereid_tune_open_t.
enum {
  NEREID_TUNE_READ_ONLY = 1u,
  // The file must exist; on a server, its tables.
  NEREID_TUNE_EXISTING = 2u,
  // For a library that opens a store which nobody named: a damaged file is moved
  // away, and what cannot be opened is an empty store. nereid_tune_info() says
  // so.
  NEREID_TUNE_OPTIONAL = 4u
};

// What to open. Borrowed for the call.
typedef struct nereid_tune_open_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_string_t path;        // or postgresql://...; empty: the user's own store
  uint32_t busy_milliseconds;  // how long to wait for other writers; 0: 30000
  uint32_t reserved;
} nereid_tune_open_t;

// Opens a store, and makes it if there is none. A file of a newer format that
// cannot be read is NEREID_INCOMPATIBLE. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_open(const nereid_tune_open_t *request,
                                               nereid_tune_store_t **out_store);
// [exclusive]
NEREID_EXPORT void nereid_tune_close(nereid_tune_store_t *store);

// {"path", "format", "read_only", "results", "damaged", "notices"}: how many
// results there are, how many rows were ignored because they are damaged, and
// what the user should know. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_info(nereid_tune_store_t *store,
                                               nereid_buffer_t **out_json);

// ---------------------------------------------------------------- results

// Who compiled and where it ran.
typedef struct nereid_tune_origin_t {
  uint32_t struct_size;
  uint32_t device_units;                 // multiprocessors or cores
  nereid_string_t compiler_plugin;       // its id
  nereid_string_t compiler_release;      // "triton-3.6.0"
  nereid_string_t compiler_build;        // its build id
  nereid_string_t compiler_dependencies; // what it depends on at run time
  nereid_string_t device_name;
  nereid_string_t device_architecture;
  nereid_string_t device_driver;         // its version
} nereid_tune_origin_t;

// The origin of what `device` of `backend` runs, with the compiler that
// nereid_compile() takes for it, as a JSON object with the names above.
// [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_origin(nereid_backend_t *backend,
                                                 uint32_t device,
                                                 nereid_buffer_t **out_json);

// A measurement, or a failure. Borrowed for the call.
typedef struct nereid_tune_result_t {
  uint32_t struct_size;
  uint32_t is_default;             // 1: what is used without tuning
  nereid_string_t operator_name;
  nereid_string_t key;             // a JSON object: {"m": 1000, "x": "f16"}
  nereid_string_t strategies;      // {"m": "log2"}; empty: everything is exact
  nereid_string_t variant;
  nereid_string_t configuration;   // a JSON object, values by name
  nereid_string_t status;          // "ok", "wrong", "failed", "crashed", "slow"
  nereid_string_t protocol;        // how it was measured
  nereid_string_t source;          // digest of the kernel's source
  nereid_string_t note;            // the reason of a failure
  double median;                   // nanoseconds; 0: not measured
  double spread;                   // nanoseconds, see nereid_tune_measure()
  uint64_t samples;
  int64_t time;                    // seconds since 1970; 0: now
  const nereid_tune_origin_t *origin;
} nereid_tune_result_t;

// Records results, all or none. One for the same operator, key, variant,
// configuration, protocol and origin is replaced. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_tune_record(nereid_tune_store_t *store,
                   const nereid_tune_result_t *results, uint64_t count);

// All results, or those of an operator, as a JSON array of objects with the
// fields of docs/tuning.md. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_list(nereid_tune_store_t *store,
                                               nereid_string_t operator_name,
                                               nereid_buffer_t **out_json);

// ---------------------------------------------------------------- lookup

// A call that wants a configuration. Borrowed for the call.
typedef struct nereid_tune_query_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t operator_name;
  nereid_string_t key;         // as in nereid_tune_result_t
  nereid_string_t strategies;
  nereid_string_t variant;     // empty: any
  nereid_string_t protocol;    // preferred; may be empty
  double reach;                // the largest distance of a nearest key; 0: 3
  const nereid_tune_origin_t *origin;
} nereid_tune_query_t;

// {"operator", "key", "bucket", "choice", "considered", "left_out"}. "choice" is
// null if nothing may be used, else what to use: {"match": "exact" | "bucket" |
// "nearest", "trust": "same" | "near", "distance", "variant", "configuration",
// "median_ns", ..., "group": all results that can be compared with it, each with
// "quarantine", the reason why it is not used}. "considered" has the same for each group of results that
// was looked at, and "verdict", the reason. Only the first call for an operator
// reads the file. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_lookup(nereid_tune_store_t *store,
                                                 const nereid_tune_query_t *query,
                                                 nereid_buffer_t **out_json);

// Lets lookups see what was recorded since. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_refresh(nereid_tune_store_t *store);

// ---------------------------------------------------------------- tuning

// Flags of nereid_tune_run_t.
enum {
  NEREID_TUNE_RUN_EXPANDED = 1u,  // the configurations of a long search
  // Skips what the store has of the same origin and source.
  NEREID_TUNE_RUN_RESUME = 2u
};

// What to tune. Borrowed for the call.
typedef struct nereid_tune_run_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_string_t tasks;  // calls: YAML, JSON or JSON lines (docs/tuning.md)
  nereid_string_t name;   // of their file, in errors
  // {"target", "packs", "plugin_dirs", "plugins", "compiler", "python"}: as of a
  // runtime and of nereid_ops_options_t; may be empty.
  nereid_string_t setup;
  double budget;          // seconds; 0: as many as it takes
  double limit;           // seconds one candidate may take, at least; 0: 10
  uint32_t jobs;          // processes that build; 0: as many as processors
  uint32_t reserved;
  void *user;
  // Called with a JSON object for each thing that happens; a failing status
  // ends the run. May be NULL. [serial]
  nereid_status_t (*event)(void *user, nereid_string_t json);
  // 1 ends the run soon. May be NULL. [any-thread]
  uint32_t (*is_cancelled)(void *user);
} nereid_tune_run_t;

// Builds and times the candidates of each call in processes of their own, and
// records each result at once. {"tasks": [{"operator", "key", "status",
// "standard", "winner", ...}], "measured", "failed", "skipped", "seconds",
// "interrupted"}. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_run(nereid_tune_store_t *store,
                                              const nereid_tune_run_t *request,
                                              nereid_buffer_t **out_json);

// The calls of such a text as JSON, one in each line. `name` is the file's, in
// errors. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_tasks(nereid_string_t text,
                                                nereid_string_t name,
                                                nereid_buffer_t **out_lines);
// The calls that were written down in the store and not tuned since.
// [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_wanted(nereid_tune_store_t *store,
                                                 nereid_buffer_t **out_lines);

// ---------------------------------------------------------------- stores together

// Adds the results of `other`: of two equal ones the faster remains, of
// different protocols both. {"added", "faster", "kept", "equal", "changed",
// "notes", "notes_left_out"}. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_merge(nereid_tune_store_t *store,
                                                nereid_tune_store_t *other,
                                                nereid_buffer_t **out_json);

// Compares two stores: {"counts": {"same", "faster", "slower", "status",
// "added", "removed"}, "changes": [{"verdict", "operator", "key", "before",
// "after", "ratio", ...}], "winners": [...]}. A time is faster or slower if the
// difference is outside the noise. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_diff(nereid_tune_store_t *before,
                                               nereid_tune_store_t *after,
                                               nereid_buffer_t **out_json);

typedef struct nereid_tune_exported_t {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t written;
  uint64_t left_out;  // results that the format cannot hold
} nereid_tune_exported_t;

// All results, or those of an operator, in a format: "json", "ort" (ONNX
// Runtime's TunableOp) or "pytorch" (PyTorch's). [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_export(
    nereid_tune_store_t *store, nereid_string_t operator_name,
    nereid_string_t format, nereid_tune_exported_t *out_exported,
    nereid_buffer_t **out_text);

// A file to import. Borrowed for the call.
typedef struct nereid_tune_import_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_bytes_t text;
  nereid_string_t format;  // empty: it is recognized
  nereid_string_t name;    // of the file, in errors
} nereid_tune_import_t;

// Adds the results of a file as nereid_tune_merge() does. A file with mistakes
// is NEREID_INVALID_ARGUMENT, each mistake is reported with its line, and
// nothing is added. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_tune_import(nereid_tune_store_t *store,
                   const nereid_tune_import_t *request,
                   nereid_buffer_t **out_json);

// A report for people as one HTML file without references, at most 300,000
// bytes. With `before`, which may be null, it compares the two. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_report(nereid_tune_store_t *store,
                                                 nereid_tune_store_t *before,
                                                 nereid_buffer_t **out_html);

// ---------------------------------------------------------------- statistics

typedef struct nereid_tune_measurement_t {
  uint32_t struct_size;
  uint32_t reserved;
  double median;
  double spread;  // estimates the standard deviation of a sample
  uint64_t samples;
} nereid_tune_measurement_t;

// The median of samples in any unit, and 1.4826 times their median absolute
// deviation. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_tune_measure(const double *samples, uint64_t count,
                    nereid_tune_measurement_t *out_measurement);

// 1 if `winner` is faster than `other` by more than the noise of the two. The
// default stays unless this is so. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_tune_is_faster(const nereid_tune_measurement_t *winner,
                      const nereid_tune_measurement_t *other,
                      uint32_t *out_faster);

// 1 if measuring on is pointless: there are three samples, and the shortest
// takes more than twice the best median. With 0 there is none yet. [any-thread]
NEREID_EXPORT nereid_status_t nereid_tune_is_hopeless(const double *samples,
                                                      uint64_t count,
                                                      double best,
                                                      uint32_t *out_hopeless);

#ifdef __cplusplus
}
#endif
#endif // NEREID_TUNE_H
