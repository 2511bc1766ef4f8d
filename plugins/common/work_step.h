// work_step.h - the work of a program as a formula that is evaluated at launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Part of images: C, and only extended at the end.

#ifndef NEREID_PLUGINS_COMMON_WORK_STEP_H
#define NEREID_PLUGINS_COMMON_WORK_STEP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a step computes, as a real number, from `a` and `b`.
enum {
  NEREID_WORK_CONSTANT = 0,   // a
  NEREID_WORK_ARGUMENT = 1,   // the signed integer of b bytes at a in the block
  NEREID_WORK_PROGRAM_ID = 2, // along axis a, the average of the grid
  NEREID_WORK_GRID_SIZE = 3,  // along axis a
  // The others compute with the results of steps a and b, which are earlier.
  NEREID_WORK_ADD = 4,
  NEREID_WORK_SUBTRACT = 5,
  NEREID_WORK_MULTIPLY = 6,
  NEREID_WORK_DIVIDE = 7, // rounded towards zero; 0 if b is
  NEREID_WORK_CEIL_DIVIDE = 8,
  NEREID_WORK_REMAINDER = 9,
  NEREID_WORK_MIN = 10,
  NEREID_WORK_MAX = 11
};

// The last two steps of a formula yield bytes and operations.
typedef struct nereid_work_step_t {
  int64_t kind;
  int64_t a;
  int64_t b;
} nereid_work_step_t;

// A formula has at most this many steps.
enum { NEREID_WORK_MAX_STEPS = 64 };

#ifdef __cplusplus
}
#endif
#endif // NEREID_PLUGINS_COMMON_WORK_STEP_H
