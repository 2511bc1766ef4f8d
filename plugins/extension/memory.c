// memory.c - the memory extension. Slots for pinned memory and free space are
// left out, so the host's defaults apply.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extension.h"

#include <string.h>

static nereid_status_t fill(nereid_state_t *state, uint32_t device,
                            const nereid_fill_t *fill,
                            const nereid_call_t *call) {
  (void)state;
  (void)device;
  uint32_t size = fill->pattern_size;
  if (size != 1 && size != 2 && size != 4 && size != 8)
    return extension_fail(call, NEREID_INVALID_ARGUMENT,
                          "the pattern has %u bytes, expected 1, 2, 4 or 8",
                          size);
  char *at = (char *)(uintptr_t)fill->destination;
  for (uint64_t i = 0; i < fill->count; ++i, at += size)
    memcpy(at, fill->pattern, size);
  return NEREID_OK;
}

static nereid_status_t copy_2d(nereid_state_t *state, uint32_t device,
                               const nereid_copy_2d_t *copy,
                               const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call;
  char *to = (char *)(uintptr_t)copy->destination;
  const char *from = (const char *)(uintptr_t)copy->source;
  for (uint64_t row = 0; copy->width && row < copy->height; ++row)
    memcpy(to + row * copy->destination_pitch, from + row * copy->source_pitch,
           copy->width);
  return NEREID_OK;
}

static nereid_status_t copy_peer(nereid_state_t *state, uint32_t device,
                                 const nereid_copy_peer_t *copy,
                                 const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call;
  if (copy->size)
    memcpy((void *)(uintptr_t)copy->destination,
           (const void *)(uintptr_t)copy->source, copy->size);
  return NEREID_OK;
}

const nereid_memory_t extension_memory = {
    .struct_size = sizeof(nereid_memory_t),
    .fill = fill,
    .copy_2d = copy_2d,
    .copy_peer = copy_peer,
};
