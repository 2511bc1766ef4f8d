// asynchronous.h - declarations that the files of the asynchronous plugin
// share.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_ASYNCHRONOUS_H
#define NEREID_ASYNCHRONOUS_H

#include "nereid/plugin.h"
#include "program.h"

#include <pthread.h>

// A string literal as a nereid_string_t.
#define TEXT(literal) {literal, sizeof(literal) - 1}

#define DEVICE_COUNT 2u
#define STREAM_COUNT 64u // of a device; 0 is its default stream
#define QUEUE_LENGTH 64u // capacity of a stream, in pieces of work

// The tables, each defined in the file that implements its slots.
extern const nereid_compiler_t asynchronous_compiler;
extern const nereid_driver_t asynchronous_driver;
extern const nereid_frontend_t asynchronous_frontend;
extern const nereid_streams_t asynchronous_streams;
extern const nereid_events_t asynchronous_events;
extern const nereid_memory_t asynchronous_memory;
extern const nereid_interop_t asynchronous_interop;

// ---------------------------------------------------------------- errors
// Reports `format` as an error of this call and returns `status`, so that a
// slot ends with `return fail(...)`.
__attribute__((format(printf, 3, 4))) nereid_status_t fail(
    const nereid_call_t *call, nereid_status_t status, const char *format, ...);

// The same with a location in the source.
__attribute__((format(printf, 6, 7))) nereid_status_t
fail_at(const nereid_call_t *call, nereid_status_t status, nereid_string_t file,
        uint32_t line, uint32_t column, const char *format, ...);

int32_t is_equal(nereid_string_t text, const char *literal);

// ---------------------------------------------------------------- devices
// The differences between the two devices.
typedef struct device_traits_t {
  nereid_string_t arch, features, name;
  int32_t warp_size;
  uint32_t has_f64;
  uint32_t max_lanes; // of one value
  uint64_t memory;    // bytes
  int64_t shared;     // bytes
} device_traits_t;

extern const device_traits_t device_traits[DEVICE_COUNT];

// The device of architecture `arch`; DEVICE_COUNT for an unknown one.
uint32_t find_arch(nereid_string_t arch);

// [fault]
// A failure of queued work. The next synchronize reports it.
typedef struct fault_t {
  nereid_status_t status;
  char message[256];
} fault_t;
// [/fault]

__attribute__((format(printf, 2, 3))) void set_fault(fault_t *fault,
                                                     const char *format, ...);

// ---------------------------------------------------------------- memory
// [allocation]
// Memory of a device. Device addresses are not host pointers, so that a program
// which confuses the two fails immediately.
typedef struct allocation_t {
  nereid_address_t address;
  uint64_t size;
  char *memory;      // the host memory behind it
  uint32_t imported; // the host program owns `memory`
} allocation_t;

typedef struct memory_t {
  pthread_mutex_t mutex;
  allocation_t *live; // sorted by address
  uint32_t count;
  uint32_t capacity;
  uint64_t used;
  _Atomic uint64_t changes; // incremented by each free
} memory_t;
// [/allocation]

// A cache of the last allocation that was found: consecutive accesses of a
// kernel often hit the same one.
typedef struct memory_view_t {
  allocation_t allocation;
  uint64_t changes;
} memory_view_t;

// The host memory behind `size` bytes at `address`, or NULL if they are not all
// in one live allocation. `view` may be NULL.
char *memory_find(memory_t *memory, nereid_address_t address, uint64_t size,
                  memory_view_t *view);

// Slots implemented in memory.c, for the table in driver.c.
nereid_status_t memory_allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *out_address,
                                const nereid_call_t *call);
nereid_status_t memory_free(nereid_state_t *state, uint32_t device,
                            nereid_address_t address,
                            const nereid_call_t *call);
nereid_status_t memory_copy(nereid_state_t *state, uint32_t device,
                            const nereid_copy_t *copy,
                            const nereid_call_t *call);
void memory_close(memory_t *memory);

// ---------------------------------------------------------------- work
struct nereid_kernel_t {
  nereid_state_t *state;
  uint32_t device;
  program_t *program;
  uint32_t arguments_size;
};

typedef struct stream_t stream_t;

enum work_kind {
  WORK_COPY,
  WORK_COPY_2D,
  WORK_COPY_PEER,
  WORK_FILL,
  WORK_LAUNCH,
  WORK_RECORD,
  WORK_WAIT
};

// [work]
// One piece of work. It has copies of all arguments, because those of the slot
// are borrowed for the call.
typedef struct work_t {
  enum work_kind kind;
  union {
    nereid_copy_t copy;
    nereid_copy_2d_t copy_2d;
    nereid_copy_peer_t copy_peer;
    struct {
      nereid_fill_t request;
      unsigned char pattern[8];
    } fill;
    struct {
      const nereid_kernel_t *kernel;
      uint32_t grid[3];
      unsigned char arguments[8 * PROGRAM_MAX_ARGUMENTS];
    } launch;
    struct {
      nereid_event_t *event;
      uint64_t generation;
    } record;
    struct {
      stream_t *stream;
      uint64_t ticket;
    } wait;
  };
} work_t;
// [/work]

// [stream]
// A queue of work and the thread that executes it. Tickets number the submitted
// work. They continue when the entry of a destroyed stream is used again, so
// that a stream and a ticket always identify one piece of work.
struct stream_t {
  nereid_state_t *state;
  uint32_t device;
  _Atomic uint32_t open; // set by `create`; the default stream is always open
  pthread_mutex_t mutex; // guards all below
  pthread_cond_t given;  // wakes the worker: work was submitted, or `closing`
  pthread_cond_t ended;  // wakes all others: a piece of work has completed
  pthread_t worker;
  uint32_t has_worker;
  uint32_t closing;
  uint64_t submitted;
  uint64_t completed;
  fault_t fault;
  work_t *queue; // QUEUE_LENGTH entries; allocated with the worker
};
// [/stream]

// Queues `work` and sets `*out_ticket` if it is not NULL; blocks while the
// queue is full. The first work starts the worker.
nereid_status_t stream_submit(stream_t *stream, const work_t *work,
                              uint64_t *out_ticket, const nereid_call_t *call);
// Waits until the work of `ticket`, and all before it, has completed.
void stream_wait(stream_t *stream, uint64_t ticket);
int32_t stream_has_reached(stream_t *stream, uint64_t ticket);
uint64_t stream_last_ticket(stream_t *stream);
// Waits for all work; reports and clears its failure.
nereid_status_t stream_synchronize(stream_t *stream, const nereid_call_t *call);
// Waits for all work and ends the worker.
void stream_close(stream_t *stream);

// The stream of a handle. Returns NULL and reports an error for an unknown one.
stream_t *find_stream(nereid_state_t *state, uint32_t device,
                      nereid_stream_t stream, const nereid_call_t *call);

// Called by the worker. Implemented in memory.c, run.c and streams.c.
void do_copy(stream_t *stream, const work_t *work, fault_t *fault);
void do_launch(const work_t *work, fault_t *fault);
void do_record(const work_t *work);

// ---------------------------------------------------------------- state
struct nereid_state_t {
  const nereid_host_t *host;
  const nereid_ttir_t *ttir; // NULL if the host has none
  pthread_mutex_t mutex;     // guards creating and destroying streams
  stream_t streams[DEVICE_COUNT][STREAM_COUNT];
  memory_t memory[DEVICE_COUNT];
};

struct nereid_options_t {
  uint32_t device; // the kernel is compiled for its architecture
  uint32_t warps;
  uint32_t debug; // check assertions
};

#endif // NEREID_ASYNCHRONOUS_H
