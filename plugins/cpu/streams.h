// streams.h - the end of work: streams and events.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_STREAMS_H
#define NEREID_CPU_STREAMS_H

#include "nereid/plugin.h"

namespace nereid::cpu {

/// The slots of nereid_driver_t.
nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                            nereid_stream_t stream, const nereid_call_t *call);
nereid_status_t synchronizeDevice(nereid_state_t *state, uint32_t device,
                                  const nereid_call_t *call);

extern const nereid_streams_t kStreams;
extern const nereid_events_t kEvents;

} // namespace nereid::cpu

#endif // NEREID_CPU_STREAMS_H
