// slow_compiler_part.c - a compiler part that takes its time to load.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include <stdint.h>
#include <threads.h>

static const uint32_t table = sizeof(uint32_t);

__attribute__((visibility("default"))) const void *toy_compiler(void) {
  thrd_sleep(&(struct timespec){.tv_nsec = 200000000}, 0);
  return &table;
}
