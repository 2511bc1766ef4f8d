// fake_plugin.h - a plugin in the test's own process, which records what the
// host asks of it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Its pipeline has the stages "parse" (keeps its output in the session),
// "lower" and "pack"; each writes its name and its input. The image is a text;
// its kernel "fake" takes (*f32, i32) and stores the i32 through the pointer.
//
// Options: num_warps (i64, 1 to 32), level (string: "fast" or "safe"), scale
// (f64), check (bool), sizes (i64 list), early (bool: the pipeline ends after
// "lower"), break (string: how stage "lower" or the metadata is wrong).

#ifndef NEREID_TEST_FAKE_PLUGIN_H
#define NEREID_TEST_FAKE_PLUGIN_H

#include "nereid/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// What was called, how often. Reset by fake_reset().
typedef struct fake_counts_t {
  int64_t stages, begins, ends, parses, destroys, loads, unloads, launches;
  int64_t bytes_not_wanted; // stages whose output nobody asked for
  int64_t shutdowns;
} fake_counts_t;

// The plugin's table; device type "fake", one device. Two ids of the same
// code, so that a kernel compiled by one can be loaded by the other.
const nereid_plugin_t *fake_plugin(void);
const nereid_plugin_t *fake_compiler_only(void);

fake_counts_t fake_counts(void);
void fake_reset(void);

// The last launch, as the driver saw it. Not for concurrent launches.
typedef struct fake_launch_t {
  uint32_t grid[3];
  nereid_stream_t stream;
  uint64_t arguments_size;
} fake_launch_t;
fake_launch_t fake_last_launch(void);

// What the next launches do: NEREID_OK, or this status with or without a
// diagnostic.
void fake_fail_launches(nereid_status_t status, int32_t with_reason);

// Whether loads answer ok without a module, or without a kernel.
void fake_withhold(int32_t module, int32_t kernel);

// The occupancy of kernels; 0: the driver does not write it, as one of ABI 1.0.
void fake_set_resident_programs(uint32_t count);

// The text that write_dependencies gives; "" by default.
void fake_set_dependencies(const char *text);

#ifdef __cplusplus
}
#endif
#endif // NEREID_TEST_FAKE_PLUGIN_H
