// copies.cpp - copies and fills through the driver library.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "copies.h"

#include "memory.h"
#include "staging.h"
#include "streams.h"

#include <cstring>

namespace nereid::cuda {

static void *pointerTo(nereid_address_t address) {
  return reinterpret_cast<void *>(address);
}

/// Whether the library's own copy of host memory at `pointer` may wait.
static bool mayWait(Device &device, const void *pointer, CUstream stream) {
  return device.memory->isPageable(pointer) &&
         device.cuda.cuStreamQuery(stream) == CUDA_ERROR_NOT_READY;
}

void copy(Device &device, const nereid_copy_t &request) {
  device.requireAlive();
  if (!request.size)
    return;
  const Library &cuda = device.cuda;
  CUstream stream = streamOf(request.stream);
  ContextScope scope(device);
  Rows all = {request.size, request.size, request.size, 1};
  switch (request.direction) {
  case NEREID_COPY_HOST_TO_DEVICE: {
    const void *from = pointerTo(request.source);
    if (mayWait(device, from, stream))
      return device.staging->upload(request.destination, from, all, stream);
    return device.check(
        cuda.cuMemcpyHtoDAsync(request.destination, from, request.size, stream),
        "cannot copy to the device");
  }
  case NEREID_COPY_DEVICE_TO_HOST: {
    void *to = pointerTo(request.destination);
    if (mayWait(device, to, stream))
      return device.staging->download(to, request.source, all, stream);
    return device.check(
        cuda.cuMemcpyDtoHAsync(to, request.source, request.size, stream),
        "cannot copy from the device");
  }
  case NEREID_COPY_DEVICE_TO_DEVICE:
    return device.check(cuda.cuMemcpyDtoDAsync(request.destination,
                                               request.source, request.size,
                                               stream),
                        "cannot copy");
  }
  throw Failure(NEREID_INVALID_ARGUMENT, "direction " +
                                             std::to_string(request.direction) +
                                             " of a copy, 1 to 3 was expected");
}

void copyRows(Device &device, const nereid_copy_2d_t &request) {
  device.requireAlive();
  if (!request.width || !request.height)
    return;
  CUstream stream = streamOf(request.stream);
  ContextScope scope(device);
  CUDA_MEMCPY2D copy = {};
  copy.srcPitch = request.source_pitch;
  copy.dstPitch = request.destination_pitch;
  copy.WidthInBytes = request.width;
  copy.Height = request.height;
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  switch (request.direction) {
  case NEREID_COPY_HOST_TO_DEVICE: {
    const void *from = pointerTo(request.source);
    if (mayWait(device, from, stream))
      return device.staging->upload(request.destination, from,
                                    {request.source_pitch,
                                     request.destination_pitch, request.width,
                                     request.height},
                                    stream);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.dstDevice = request.destination;
    break;
  }
  case NEREID_COPY_DEVICE_TO_HOST: {
    void *to = pointerTo(request.destination);
    if (mayWait(device, to, stream))
      return device.staging->download(to, request.source,
                                      {request.destination_pitch,
                                       request.source_pitch, request.width,
                                       request.height},
                                      stream);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    copy.srcDevice = request.source;
    break;
  }
  case NEREID_COPY_DEVICE_TO_DEVICE:
    copy.srcDevice = request.source;
    copy.dstDevice = request.destination;
    break;
  default:
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "direction " + std::to_string(request.direction) +
                      " of a copy, 1 to 3 was expected");
  }
  device.check(device.cuda.cuMemcpy2DAsync(&copy, stream),
               "cannot copy a rectangle");
}

void copyPeer(Device &device, Device &source,
              const nereid_copy_peer_t &request) {
  device.requireAlive();
  source.requireAlive();
  if (!request.size)
    return;
  if (&device != &source) {
    source.memory->enablePeer(device.physical);
    device.memory->enablePeer(source.physical);
  }
  ContextScope scope(device);
  device.check(device.cuda.cuMemcpyPeerAsync(
                   request.destination, device.context, request.source,
                   source.context, request.size, streamOf(request.stream)),
               "cannot copy from another device");
}

void fill(Device &device, const nereid_fill_t &request) {
  device.requireAlive();
  if (!request.count)
    return;
  const Library &cuda = device.cuda;
  CUdeviceptr to = request.destination;
  CUstream stream = streamOf(request.stream);
  uint8_t byte = 0;
  uint16_t half = 0;
  uint32_t words[2] = {};
  ContextScope scope(device);
  switch (request.pattern_size) {
  case 1:
    std::memcpy(&byte, request.pattern, 1);
    return device.check(cuda.cuMemsetD8Async(to, byte, request.count, stream),
                        "cannot fill");
  case 2:
    std::memcpy(&half, request.pattern, 2);
    return device.check(cuda.cuMemsetD16Async(to, half, request.count, stream),
                        "cannot fill");
  case 4:
    std::memcpy(words, request.pattern, 4);
    return device.check(
        cuda.cuMemsetD32Async(to, words[0], request.count, stream),
        "cannot fill");
  case 8:
    std::memcpy(words, request.pattern, 8);
    if (words[0] == words[1])
      return device.check(
          cuda.cuMemsetD32Async(to, words[0], 2 * request.count, stream),
          "cannot fill");
    // The library has no fill of 8 bytes: the two halves are columns.
    for (int i = 0; i < 2; ++i)
      device.check(cuda.cuMemsetD2D32Async(to + 4 * static_cast<uint64_t>(i), 8,
                                           words[i], 1, request.count, stream),
                   "cannot fill");
    return;
  }
  throw Failure(NEREID_INVALID_ARGUMENT,
                "a pattern of " + std::to_string(request.pattern_size) +
                    " bytes, 1, 2, 4 or 8 was expected");
}

} // namespace nereid::cuda
