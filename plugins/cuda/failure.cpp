// failure.cpp - what the results of the driver library mean.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "failure.h"

#include "library.h"

namespace nereid::cuda {

std::string describe(const Library &library, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  if (!library.cuGetErrorName || !library.cuGetErrorString ||
      library.cuGetErrorName(result, &name) != CUDA_SUCCESS ||
      library.cuGetErrorString(result, &text) != CUDA_SUCCESS || !name || !text)
    return "CUDA error " + std::to_string(result);
  return std::string(text) + " (" + name + ")";
}

bool isSticky(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    return true;
  default:
    return false;
  }
}

nereid_status_t statusOf(CUresult result) {
  if (isSticky(result))
    return NEREID_DEVICE_LOST;
  switch (result) {
  case CUDA_SUCCESS:
    return NEREID_OK;
  case CUDA_ERROR_OUT_OF_MEMORY:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
  case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
  case CUDA_ERROR_INVALID_CLUSTER_SIZE:
    return NEREID_OUT_OF_RESOURCES;
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_NOT_INITIALIZED:
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    return NEREID_UNAVAILABLE;
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return NEREID_INCOMPATIBLE;
  case CUDA_ERROR_NOT_FOUND:
    return NEREID_NOT_FOUND;
  case CUDA_ERROR_INVALID_VALUE:
  case CUDA_ERROR_INVALID_HANDLE:
  case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
    return NEREID_INVALID_ARGUMENT;
  case CUDA_ERROR_NOT_SUPPORTED:
  case CUDA_ERROR_NOT_PERMITTED:
    return NEREID_UNIMPLEMENTED;
  case CUDA_ERROR_OPERATING_SYSTEM:
    return NEREID_IO_ERROR;
  default:
    return NEREID_INTERNAL;
  }
}

void check(const Library &library, CUresult result, const std::string &what) {
  if (result != CUDA_SUCCESS)
    throw Failure(statusOf(result), what + ": " + describe(library, result));
}

} // namespace nereid::cuda
