// streams.cpp - makes, waits for and ends streams.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "streams.h"

#include "staging.h"

#include <algorithm>

namespace nereid::cuda {

Streams::Streams(Device &device) : device(device) {
  device.check(device.cuda.cuCtxGetStreamPriorityRange(&least, &greatest),
               "cannot read the priorities of streams");
}

Streams::~Streams() {
  for (CUstream stream : owned) {
    if (!device.isLost())
      device.cuda.cuStreamSynchronize(stream);
    device.cuda.cuStreamDestroy(stream);
  }
}

CUstream Streams::create(int priority) {
  device.requireAlive();
  ContextScope scope(device);
  // A smaller number runs first here; normal is the least.
  int wanted = priority > 0 ? std::max(-priority, greatest) : least;
  CUstream stream = nullptr;
  device.check(device.cuda.cuStreamCreateWithPriority(
                   &stream, CU_STREAM_NON_BLOCKING, wanted),
               "cannot create a stream");
  std::lock_guard lock(mutex);
  owned.insert(stream);
  return stream;
}

void Streams::destroy(CUstream stream) {
  if (!stream)
    return;
  {
    std::lock_guard lock(mutex);
    if (!owned.erase(stream))
      throw Failure(NEREID_INVALID_ARGUMENT,
                    "the stream was not created on device '" +
                        device.physical.name + "', or was destroyed already");
  }
  uint64_t before = device.launches.count();
  ContextScope scope(device);
  CUresult result = device.cuda.cuStreamSynchronize(stream);
  CUresult end = device.cuda.cuStreamDestroy(stream);
  device.check(result, "cannot wait for a stream");
  device.launches.forget(stream, before);
  device.check(end, "cannot destroy a stream");
}

bool Streams::isDone(CUstream stream) {
  device.requireAlive();
  ContextScope scope(device);
  CUresult result = device.cuda.cuStreamQuery(stream);
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  device.check(result, "cannot query a stream");
  return true;
}

void Streams::synchronize(CUstream stream) {
  device.requireAlive();
  uint64_t before = device.launches.count();
  ContextScope scope(device);
  device.check(device.cuda.cuStreamSynchronize(stream),
               "cannot wait for a stream");
  device.launches.forget(stream, before);
}

void Streams::synchronizeAll() {
  device.requireAlive();
  uint64_t before = device.launches.count();
  ContextScope scope(device);
  device.check(device.cuda.cuCtxSynchronize(), "cannot wait");
  device.launches.forgetAll(before);
  device.staging->trim();
}

void Streams::checkImported(CUstream stream) {
  device.requireAlive();
  // The legacy default stream and that of the thread, which every context has.
  if (handleOf(stream) <= 2)
    return;
  ContextScope scope(device);
  CUcontext context = nullptr;
  device.check(device.cuda.cuStreamGetCtx(stream, &context),
               "cannot import a stream");
  if (context != device.context)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "the stream is of another context, one of the context that "
                  "is used on device '" +
                      device.physical.name + "' was expected");
}

} // namespace nereid::cuda
