// nereid/base.h - what every Nereid header shares: the ABI version, status
// codes, strings, values, sinks and the context of a call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// This header and the others in plugin-api stand alone: C11, nothing included
// but <stdint.h>. They are a contract. docs/plugin-abi.md says what may change.
//
// Growth
//   Each struct that crosses the boundary starts with `struct_size`, which its
//   writer sets to sizeof(the struct). Structs grow at their end only. Fields
//   of minor 0 are always there; a reader touches a later one only where
//   NEREID_HAS is true. Both a smaller (older) and a larger (newer) struct
//   work, and no size is ever compared for equality. Fields called `reserved`
//   are zero.
//   A struct that the other side fills (`out_*`) is zeroed by its owner, who
//   sets `struct_size`; the other side writes within that size and leaves the
//   size alone.
//   Structs marked "leaf" have no size: their layout is frozen for good. Only
//   leaf structs are embedded in other structs. Arrays of sized structs have
//   the stride items[0].struct_size.
//
// Ownership
//   "borrowed for the call" means valid until the call returns; the receiver
//   copies what it keeps. No memory is freed on the other side: results go
//   into sinks or structs that the caller owns. A handle has one destroy (or
//   free, unload, release) function next to the one that creates it, which
//   accepts NULL. It ends the handle even if it returns an error, which reports
//   what was lost. A function that fails creates no handle and leaves its out
//   parameters unchanged; sinks may hold partial output.
//
// Thread words, at the end of each function's comment
//   [any-thread]       may run on any thread, several at once
//   [serial]           any thread, but one call at a time for the same handle
//   [exclusive]        any thread; no other call with this state runs. Calls
//                      with other states of the plugin may run
//   [hot]              as any-thread, and called very often: writes no log,
//                      reads no environment and, where the device's own
//                      runtime permits, takes no lock and allocates nothing
// Nothing may throw, longjmp or exit across the boundary, in either direction.
//
// Processes
//   A child made by fork() may call a plugin only if the plugin is
//   NEREID_PLUGIN_FORK_SAFE; for any other plugin the host fails each call in
//   the child with NEREID_UNAVAILABLE. The child cannot use that plugin's
//   handles, and the host destroys none of them there.

#ifndef NEREID_BASE_H
#define NEREID_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of the ABI that these headers describe. A host and a plugin work
// together if their majors are equal; both then use the smaller minor.
// While a major is provisional (CHANGELOG.md) it may change in place, and each
// change raises the revision: both sides then need the same one. A revision of
// 0 means that the major is final.
#define NEREID_ABI_MAJOR 1
#define NEREID_ABI_MINOR 1
#define NEREID_ABI_REVISION 2

// True when the side that wrote `*object` knew `field`. For pointers to
// functions use NEREID_HAS_SLOT, which also requires a non-null value.
#define NEREID_HAS(object, field)                                              \
  ((uint64_t)((const char *)(&(object)->field + 1) -                           \
              (const char *)(object)) <= (uint64_t)(object)->struct_size)
#define NEREID_HAS_SLOT(object, field)                                         \
  (NEREID_HAS(object, field) && (object)->field)

// ---------------------------------------------------------------- nereid_status_t
// What a program should do about a failure. The reasons for a person are in
// the diagnostics. Unknown codes are legal and mean NEREID_INTERNAL.
typedef int32_t nereid_status_t;
enum {
  NEREID_OK = 0,
  // The input or the arguments are wrong: correct them.
  NEREID_INVALID_ARGUMENT = 1,
  // This plugin does not do that: try another one.
  NEREID_UNIMPLEMENTED = 2,
  // A device or resource is absent or busy: try another device.
  NEREID_UNAVAILABLE = 3,
  // Memory, registers or another bounded resource: try a smaller problem.
  NEREID_OUT_OF_RESOURCES = 4,
  // No such name, file, symbol or entry.
  NEREID_NOT_FOUND = 5,
  // Built for another ABI, machine or version: get a matching one.
  NEREID_INCOMPATIBLE = 6,
  // A kernel failed while it ran (an assertion, a fault): discard the results.
  NEREID_DEVICE_FAULT = 7,
  // The operating system refused: check the path and the permissions.
  NEREID_IO_ERROR = 8,
  // A bug on the side that returns it: report it.
  NEREID_INTERNAL = 9,
  // The caller requested it (nereid_call_t.cancelled): not an error.
  NEREID_CANCELLED = 10,
  // The device will not work again in this process: start a new one.
  NEREID_DEVICE_LOST = 11
};

// ---------------------------------------------------------------- leaf structs
// UTF-8 text, not NUL-terminated. Null data is allowed when size is 0.
typedef struct nereid_string_t {
  const char *data;
  uint64_t size;
} nereid_string_t;

// Bytes of any kind.
typedef struct nereid_bytes_t {
  const void *data;
  uint64_t size;
} nereid_bytes_t;

// The types of a value. Unknown types are legal and are ignored. As text, for
// defaults and command lines: i64 and f64 as C prints and reads them (0x is
// legal), bool "true" or "false", bytes in hexadecimal, lists with commas.
typedef int32_t nereid_type_t;
enum {
  NEREID_TYPE_I64 = 1,         // `i64`
  NEREID_TYPE_F64 = 2,         // `f64`
  NEREID_TYPE_BOOL = 3,        // `i64`, 0 or 1
  NEREID_TYPE_STRING = 4,      // `text`, UTF-8
  NEREID_TYPE_BYTES = 5,       // `text`, any bytes
  NEREID_TYPE_I64_LIST = 6,    // `list` is const int64_t *, `list_size` items
  NEREID_TYPE_F64_LIST = 7,    // `list` is const double *
  NEREID_TYPE_STRING_LIST = 8  // `list` is const nereid_string_t *
};

// A named, typed value: an option, a fact about a device, a piece of metadata.
// Fields that the type does not name are zero. Leaf.
typedef struct nereid_value_t {
  nereid_string_t name;
  nereid_type_t type;
  uint32_t reserved;
  int64_t i64;
  double f64;
  nereid_string_t text;
  const void *list;
  uint64_t list_size;
} nereid_value_t;

// ---------------------------------------------------------------- sinks
// Receives bytes, in order, in any number of pieces. The caller of the
// function that gets the writer owns it, for the length of that call.
typedef struct nereid_writer_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // Appends `size` bytes at `data`, borrowed for the call. The function that
  // writes returns a status other than NEREID_OK unchanged. [serial]
  nereid_status_t (*write)(const struct nereid_writer_t *writer,
                           const void *data, uint64_t size);
} nereid_writer_t;

// Receives values one by one. A later value of the same name replaces the
// earlier.
typedef struct nereid_value_sink_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // `value` is borrowed for the call. The function that adds returns a status
  // other than NEREID_OK unchanged. [serial]
  nereid_status_t (*add)(const struct nereid_value_sink_t *sink,
                         const nereid_value_t *value);
} nereid_value_sink_t;

// ---------------------------------------------------------------- diagnostics
typedef int32_t nereid_severity_t;
enum {
  NEREID_SEVERITY_ERROR = 1,
  NEREID_SEVERITY_WARNING = 2,
  NEREID_SEVERITY_NOTE = 3,  // belongs to the error or warning before it
  NEREID_SEVERITY_INFO = 4,
  NEREID_SEVERITY_DEBUG = 5
};

// One message. Lower case, one sentence, no full stop: what was found, what
// was expected. The host adds the plugin's name.
typedef struct nereid_diagnostic_t {
  uint32_t struct_size;
  nereid_severity_t severity;
  nereid_string_t message;
  nereid_string_t file;  // the source it refers to; empty: the call's input
  uint32_t line;         // from 1; 0 if unknown
  uint32_t column;       // from 1; 0 if unknown
} nereid_diagnostic_t;

// The context of one call across the boundary. Borrowed for the call; never
// NULL except where a slot's comment allows it.
typedef struct nereid_call_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // Copies `diagnostic`. A function that fails reports at least one
  // error. [any-thread]
  void (*report)(const struct nereid_call_t *call,
                 const nereid_diagnostic_t *diagnostic);
  // (optional) Non-zero when the caller no longer wants the result; long work
  // should then return NEREID_CANCELLED soon, for which a diagnostic is not
  // needed. NULL where the caller cannot cancel: it can cancel a compilation
  // (its options, stages, dependencies, `begin` and `run_stage`). [any-thread]
  int32_t (*cancelled)(const struct nereid_call_t *call);
} nereid_call_t;

// The layout is that of 64-bit machines with natural alignment; other targets
// (-m32) cannot build a plugin.
#ifdef __cplusplus
#define NEREID_STATIC_ASSERT static_assert
#else
#define NEREID_STATIC_ASSERT _Static_assert
#endif
NEREID_STATIC_ASSERT(sizeof(nereid_string_t) == 16, "leaf layout");
NEREID_STATIC_ASSERT(sizeof(nereid_value_t) == 72, "leaf layout");
NEREID_STATIC_ASSERT(sizeof(nereid_call_t) >= 32, "layout of ABI 1.0");

#ifdef __cplusplus
}
#endif
#endif // NEREID_BASE_H
