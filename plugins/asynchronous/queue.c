// queue.c - the queue of a stream and its worker thread.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#define _POSIX_C_SOURCE 200809L // for pthread_sigmask

#include "asynchronous.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

// [worker]
// ---------------------------------------------------------------- worker
// After a failure the stream skips copies and kernels, whose input may be
// invalid, but not events: other streams wait for them.
static void execute(stream_t *stream, const work_t *work, int32_t skip,
                    fault_t *fault) {
  switch (work->kind) {
  case WORK_RECORD:
    do_record(work);
    break;
  case WORK_WAIT:
    stream_wait(work->wait.stream, work->wait.ticket);
    break;
  case WORK_LAUNCH:
    if (!skip)
      do_launch(work, fault);
    break;
  default:
    if (!skip)
      do_copy(stream, work, fault);
  }
}

static void *run_worker(void *argument) {
  stream_t *stream = argument;
  pthread_mutex_lock(&stream->mutex);
  for (;;) {
    while (stream->completed == stream->submitted && !stream->closing)
      pthread_cond_wait(&stream->given, &stream->mutex);
    if (stream->completed == stream->submitted)
      break;
    const work_t *work = &stream->queue[stream->completed % QUEUE_LENGTH];
    int32_t skip = stream->fault.status != NEREID_OK;
    pthread_mutex_unlock(&stream->mutex);
    fault_t fault = {.status = NEREID_OK};
    execute(stream, work, skip, &fault); // unlocked: others may submit
    pthread_mutex_lock(&stream->mutex);
    if (fault.status != NEREID_OK && stream->fault.status == NEREID_OK)
      stream->fault = fault;
    ++stream->completed;
    pthread_cond_broadcast(&stream->ended);
  }
  pthread_mutex_unlock(&stream->mutex);
  return NULL;
}
// [/worker]

// The stream's mutex is held. The worker blocks all signals: they are for the
// threads of the host program.
static nereid_status_t start_worker(stream_t *stream,
                                    const nereid_call_t *call) {
  if (stream->has_worker)
    return NEREID_OK;
  stream->queue = malloc(QUEUE_LENGTH * sizeof(work_t));
  if (!stream->queue)
    return fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&stream->worker, NULL, run_worker, stream);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) {
    free(stream->queue);
    stream->queue = NULL;
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "cannot start the thread of a stream: error %d", error);
  }
  stream->has_worker = 1;
  return NEREID_OK;
}

// [submit]
// ---------------------------------------------------------------- submit
// Blocks while the queue is full. This cannot deadlock: a queued wait is for
// work that was submitted earlier, so the oldest work can always run.
nereid_status_t stream_submit(stream_t *stream, const work_t *work,
                              uint64_t *out_ticket, const nereid_call_t *call) {
  pthread_mutex_lock(&stream->mutex);
  nereid_status_t status = start_worker(stream, call);
  if (status == NEREID_OK) {
    while (stream->submitted - stream->completed == QUEUE_LENGTH)
      pthread_cond_wait(&stream->ended, &stream->mutex);
    stream->queue[stream->submitted % QUEUE_LENGTH] = *work;
    ++stream->submitted;
    if (out_ticket)
      *out_ticket = stream->submitted;
    pthread_cond_signal(&stream->given);
  }
  pthread_mutex_unlock(&stream->mutex);
  return status;
}
// [/submit]

// ---------------------------------------------------------------- wait
static void wait_locked(stream_t *stream, uint64_t ticket) {
  while (stream->completed < ticket)
    pthread_cond_wait(&stream->ended, &stream->mutex);
}

void stream_wait(stream_t *stream, uint64_t ticket) {
  pthread_mutex_lock(&stream->mutex);
  wait_locked(stream, ticket);
  pthread_mutex_unlock(&stream->mutex);
}

int32_t stream_has_reached(stream_t *stream, uint64_t ticket) {
  pthread_mutex_lock(&stream->mutex);
  int32_t reached = stream->completed >= ticket;
  pthread_mutex_unlock(&stream->mutex);
  return reached;
}

uint64_t stream_last_ticket(stream_t *stream) {
  pthread_mutex_lock(&stream->mutex);
  uint64_t ticket = stream->submitted;
  pthread_mutex_unlock(&stream->mutex);
  return ticket;
}

// [synchronize]
// A failure is reported once; then the stream can be used again.
nereid_status_t stream_synchronize(stream_t *stream,
                                   const nereid_call_t *call) {
  pthread_mutex_lock(&stream->mutex);
  wait_locked(stream, stream->submitted);
  fault_t fault = stream->fault;
  stream->fault.status = NEREID_OK;
  pthread_mutex_unlock(&stream->mutex);
  return fault.status == NEREID_OK
             ? NEREID_OK
             : fail(call, fault.status, "%s", fault.message);
}
// [/synchronize]

// The worker drains its queue before it ends.
void stream_close(stream_t *stream) {
  pthread_mutex_lock(&stream->mutex);
  uint32_t has_worker = stream->has_worker;
  stream->closing = 1;
  pthread_cond_signal(&stream->given);
  pthread_mutex_unlock(&stream->mutex);
  if (has_worker)
    pthread_join(stream->worker, NULL);
  pthread_mutex_lock(&stream->mutex);
  free(stream->queue);
  stream->queue = NULL;
  stream->has_worker = stream->closing = 0;
  stream->fault.status = NEREID_OK;
  pthread_mutex_unlock(&stream->mutex);
}
