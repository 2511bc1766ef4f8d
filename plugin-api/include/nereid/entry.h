// nereid/entry.h - the one symbol a plugin exports, and what it describes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_ENTRY_H
#define NEREID_ENTRY_H

#include "driver.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the host offers to a plugin. Valid until the plugin's shutdown returns.
typedef struct nereid_host_t {
  uint32_t struct_size;
  uint32_t abi_major;            // NEREID_ABI_MAJOR of the host's headers
  uint32_t abi_minor;            // the highest minor that the host speaks
  uint32_t abi_revision;         // NEREID_ABI_REVISION of the host's headers
  nereid_string_t name;          // of the host program: "nereid", "python"
  nereid_string_t plugin_path;   // this plugin's file, resolved; empty if none;
                                 // to locate files shipped beside it
  void *user;

  // Logs one message of the plugin. [any-thread]
  void (*log)(const struct nereid_host_t *host,
              const nereid_diagnostic_t *diagnostic);

  // The table of host extension `id` ("nereid.ttir/1", ...), or NULL. Valid as
  // long as the host is. An extension requested in `create` becomes part of the
  // cache key of the plugin's kernels; a plugin that requests it later writes
  // its identity in write_dependencies. [any-thread]
  const void *(*get_extension)(const struct nereid_host_t *host,
                               nereid_string_t id);
} nereid_host_t;

// Flags of a plugin.
enum {
  // The library may be closed once `shutdown` has returned. Without this flag
  // it stays mapped.
  NEREID_PLUGIN_UNLOADABLE = 1u,
  // All slots work in a child made by fork(), with the handles of its parent.
  NEREID_PLUGIN_FORK_SAFE = 2u
};

// A plugin: static data, valid while its library is mapped. The first sixteen
// bytes are the same in every version of the ABI.
typedef struct nereid_plugin_t {
  uint32_t struct_size;
  uint32_t abi_major;             // NEREID_ABI_MAJOR
  uint32_t abi_minor;             // the highest minor that the plugin speaks
  uint32_t abi_revision;          // NEREID_ABI_REVISION
  uint32_t min_host_minor;        // the lowest host minor that it works with
  uint32_t flags;

  // Identity. The id is unique ([a-z0-9_.-]+, 1 to 63 bytes) and the one in the
  // note; the device type is the `backend` of a target and the name that users
  // type ("cpu", "acme").
  nereid_string_t id;
  nereid_string_t device_type;
  nereid_string_t version;
  nereid_string_t description;    // one sentence

  // At least one of the two.
  const nereid_compiler_t *compiler;
  const nereid_driver_t *driver;

  // (optional) Starts the plugin; `host` lives until shutdown returns. Called
  // before any slot of the tables, with `*out_state` NULL. A process with
  // several hosts calls it once for each, so keep data in the state, not in
  // globals. Every program that lists plugins calls it, so open a device
  // context in the first slot that needs it. After a failure `shutdown` is not
  // called. [exclusive]
  nereid_status_t (*create)(const nereid_host_t *host,
                            nereid_state_t **out_state,
                            const nereid_call_t *call);

  // (optional) Shuts down: waits for the work of its devices, joins its threads
  // and frees `state`, even if it returns an error. [exclusive]
  nereid_status_t (*shutdown)(nereid_state_t *state,
                              const nereid_call_t *call);

  // (optional) The plugin's table for extension `id` ("nereid.event/1",
  // "com.acme.graphs/2"), or NULL. The same table each time for a state, valid
  // as long as the state. [any-thread]
  const void *(*get_extension)(nereid_state_t *state, nereid_string_t id);
} nereid_plugin_t;

// The exported function, whose name carries the ABI major. Sets `*out_plugin`.
// Idempotent, without side effects: opens no device or file, starts no thread;
// it may run in a child process first. Use only the version and name of
// `host`. [any-thread]
typedef nereid_status_t (*nereid_plugin_entry_1_t)(
    const nereid_host_t *host, const nereid_plugin_t **out_plugin,
    const nereid_call_t *call);

#define NEREID_PLUGIN_ENTRY_NAME "nereid_plugin_entry_1"

#if defined(__GNUC__)
#define NEREID_EXPORT __attribute__((visibility("default")))
#else
#define NEREID_EXPORT
#endif

// The plugin defines it. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_plugin_entry_1(const nereid_host_t *host,
                      const nereid_plugin_t **out_plugin,
                      const nereid_call_t *call);

#ifdef __cplusplus
}
#endif
#endif // NEREID_ENTRY_H
