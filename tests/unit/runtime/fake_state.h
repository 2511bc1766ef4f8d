// fake_state.h - what the compiler and the driver of the fake plugin share.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_FAKE_STATE_H
#define NEREID_TEST_FAKE_STATE_H

#include "fake_plugin.h"

#include <stdatomic.h>

typedef atomic_llong fake_counter_t;

struct fake_state_t {
  fake_counter_t stages, begins, ends, parses, destroys, loads, unloads,
      launches, bytes_not_wanted, shutdowns;
  atomic_int launch_status, launch_reason;
  atomic_int no_module, no_kernel;
  atomic_uint grid[3], resident_programs;
  atomic_ullong stream, arguments_size;
  char dependencies[64];
};

extern struct fake_state_t fake_state;
extern const nereid_driver_t fake_driver;

static inline void fake_count(fake_counter_t *counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

void fake_report(const nereid_call_t *call, const char *message);

#endif // NEREID_TEST_FAKE_STATE_H
