// api.h - the part of NVIDIA's driver library (libcuda.so.1) that the plugin
// calls: types, numbers and functions, as the binary interface has them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin is built without the CUDA toolkit. Names are those of the library,
// in a namespace of ours, so that its documentation can be searched for them.
// What matters of the binary interface:
//
// - A function whose parameters have changed has several symbols: cuMemAlloc is
//   the one of 2007 with 32-bit sizes, cuMemAlloc_v2 the present one.
//   cuGetProcAddress takes the name without the suffix and the version of CUDA
//   whose declaration is meant. The tables below have both.
// - Enumerations are 32-bit, sizes (size_t) 64-bit, handles pointers, device
//   addresses 64-bit integers.
// - Stream 0 is the legacy default stream of the current context: the symbols
//   with the suffix _ptsz, for which it is a stream of the thread, are not
//   used.
//
// tests/abi/cuda_header.cpp compares all of it with NVIDIA's header, where one
// is found.

#ifndef NEREID_CUDA_API_H
#define NEREID_CUDA_API_H

#include <cstddef>
#include <cstdint>

namespace nereid::cuda {

// ------------------------------------------------------------------- scalars
using CUresult = int32_t;
using CUdevice = int32_t; // an ordinal, as the process sees the devices
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;
using CUhostFn = void (*)(void *user);

/// Results that the plugin tells apart. CUresult is any number.
enum Result : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_OPERATING_SYSTEM = 304,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
};

/// CUdevice_attribute
enum DeviceAttribute : int32_t {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
};

/// CUfunction_attribute
enum FunctionAttribute : int32_t {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1, // static shared memory
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,  // of a thread, with its spills
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

/// Other enumerations, and flags, by the function that takes them.
enum : uint32_t {
  CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_MEMHOSTALLOC_PORTABLE = 1,
  CU_MEMHOSTREGISTER_PORTABLE = 1,
  CU_MEMHOSTREGISTER_DEVICEMAP = 2,
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_FUNC_CACHE_PREFER_SHARED = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_CLUSTER_SCHEDULING_POLICY_SPREAD = 1,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1,
};

// ------------------------------------------------------------------- structs
struct CUuuid {
  uint8_t bytes[16];
};
static_assert(sizeof(CUuuid) == 16);

/// CUDA_MEMCPY2D_v2
struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  uint32_t srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  uint32_t dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};
static_assert(sizeof(CUDA_MEMCPY2D) == 128);
static_assert(offsetof(CUDA_MEMCPY2D, srcPitch) == 48);
static_assert(offsetof(CUDA_MEMCPY2D, dstHost) == 80);
static_assert(offsetof(CUDA_MEMCPY2D, WidthInBytes) == 112);

struct CUmemLocation {
  uint32_t type;
  int32_t id;
};
static_assert(sizeof(CUmemLocation) == 8);

/// Later versions of the library use the first bytes of `reserved`.
struct CUmemPoolProps {
  uint32_t allocType;
  uint32_t handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  uint8_t reserved[64];
};
static_assert(sizeof(CUmemPoolProps) == 88);
static_assert(offsetof(CUmemPoolProps, reserved) == 24);

struct CUmemAccessDesc {
  CUmemLocation location;
  uint32_t flags;
};
static_assert(sizeof(CUmemAccessDesc) == 12);

union CUlaunchAttributeValue {
  char pad[64];
  int32_t cooperative;
  uint32_t clusterDim[3];
  uint32_t clusterSchedulingPolicyPreference;
  int32_t programmaticStreamSerializationAllowed;
};
static_assert(sizeof(CUlaunchAttributeValue) == 64);

struct CUlaunchAttribute {
  uint32_t id;
  char pad[4];
  CUlaunchAttributeValue value;
};
static_assert(sizeof(CUlaunchAttribute) == 72);
static_assert(offsetof(CUlaunchAttribute, value) == 8);

struct CUlaunchConfig {
  uint32_t gridDimX, gridDimY, gridDimZ;
  uint32_t blockDimX, blockDimY, blockDimZ;
  uint32_t sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  uint32_t numAttrs;
};
static_assert(sizeof(CUlaunchConfig) == 56);
static_assert(offsetof(CUlaunchConfig, hStream) == 32);
static_assert(offsetof(CUlaunchConfig, numAttrs) == 48);

/// Opaque. The library requires 64 bytes of alignment.
struct alignas(64) CUtensorMap {
  uint64_t opaque[16];
};
static_assert(sizeof(CUtensorMap) == 128);

// ----------------------------------------------------------------- functions
// X(name, symbol, version of CUDA with this declaration, parameters)

/// The oldest version of CUDA that the library may have.
inline constexpr int kOldestCuda = 12000;

/// In every library of kOldestCuda or later.
#define NEREID_CUDA_FUNCTIONS(X)                                               \
  X(cuCtxGetCurrent, cuCtxGetCurrent, 4000, (CUcontext * context))             \
  X(cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice * device))                 \
  X(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050,            \
    (int *least, int *greatest))                                               \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, (CUcontext * context))          \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, (CUcontext context))          \
  X(cuCtxSynchronize, cuCtxSynchronize, 2000, ())                              \
  X(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000,                        \
    (int *canAccess, CUdevice device, CUdevice peer))                          \
  X(cuDeviceGet, cuDeviceGet, 2000, (CUdevice * device, int ordinal))          \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000,                          \
    (int *value, int32_t attribute, CUdevice device))                          \
  X(cuDeviceGetCount, cuDeviceGetCount, 2000, (int *count))                    \
  X(cuDeviceGetName, cuDeviceGetName, 2000,                                    \
    (char *name, int size, CUdevice device))                                   \
  X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010,                            \
    (char *id, int size, CUdevice device))                                     \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040,                                \
    (CUuuid * uuid, CUdevice device))                                          \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000,            \
    (CUdevice device))                                                         \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000,                  \
    (CUcontext * context, CUdevice device))                                    \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020,                               \
    (size_t *bytes, CUdevice device))                                          \
  X(cuEventCreate, cuEventCreate, 2000, (CUevent * event, unsigned flags))     \
  X(cuEventDestroy, cuEventDestroy_v2, 4000, (CUevent event))                  \
  X(cuEventElapsedTime, cuEventElapsedTime, 2000,                              \
    (float *milliseconds, CUevent start, CUevent end))                         \
  X(cuEventQuery, cuEventQuery, 2000, (CUevent event))                         \
  X(cuEventRecord, cuEventRecord, 2000, (CUevent event, CUstream stream))      \
  X(cuEventSynchronize, cuEventSynchronize, 2000, (CUevent event))             \
  X(cuFuncGetAttribute, cuFuncGetAttribute, 2020,                              \
    (int *value, int32_t attribute, CUfunction function))                      \
  X(cuFuncSetAttribute, cuFuncSetAttribute, 9000,                              \
    (CUfunction function, int32_t attribute, int value))                       \
  X(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000,                          \
    (CUfunction function, uint32_t config))                                    \
  X(cuGetErrorName, cuGetErrorName, 6000, (CUresult error, const char **text)) \
  X(cuGetErrorString, cuGetErrorString, 6000,                                  \
    (CUresult error, const char **text))                                       \
  X(cuLaunchHostFunc, cuLaunchHostFunc, 10000,                                 \
    (CUstream stream, CUhostFn function, void *user))                          \
  X(cuLaunchKernelEx, cuLaunchKernelEx, 11060,                                 \
    (const CUlaunchConfig *config, CUfunction function, void **parameters,     \
     void **extra))                                                            \
  X(cuMemAlloc, cuMemAlloc_v2, 3020, (CUdeviceptr * address, size_t size))     \
  X(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020,                   \
    (CUdeviceptr * address, size_t size, CUmemoryPool pool, CUstream stream))  \
  X(cuMemFree, cuMemFree_v2, 3020, (CUdeviceptr address))                      \
  X(cuMemFreeAsync, cuMemFreeAsync, 11020,                                     \
    (CUdeviceptr address, CUstream stream))                                    \
  X(cuMemFreeHost, cuMemFreeHost, 2000, (void *pointer))                       \
  X(cuMemGetInfo, cuMemGetInfo_v2, 3020, (size_t *free, size_t *total))        \
  X(cuMemHostAlloc, cuMemHostAlloc, 2020,                                      \
    (void **pointer, size_t size, unsigned flags))                             \
  X(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020,             \
    (CUdeviceptr * address, void *pointer, unsigned flags))                    \
  X(cuMemHostRegister, cuMemHostRegister_v2, 6050,                             \
    (void *pointer, size_t size, unsigned flags))                              \
  X(cuMemHostUnregister, cuMemHostUnregister, 4000, (void *pointer))           \
  X(cuMemPoolCreate, cuMemPoolCreate, 11020,                                   \
    (CUmemoryPool * pool, const CUmemPoolProps *properties))                   \
  X(cuMemPoolDestroy, cuMemPoolDestroy, 11020, (CUmemoryPool pool))            \
  X(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020,                             \
    (CUmemoryPool pool, const CUmemAccessDesc *map, size_t count))             \
  X(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020,                       \
    (CUmemoryPool pool, uint32_t attribute, void *value))                      \
  X(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, (CUmemoryPool pool, size_t kept)) \
  X(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020,                                 \
    (const CUDA_MEMCPY2D *copy, CUstream stream))                              \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020,                             \
    (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))          \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020,                             \
    (void *to, CUdeviceptr from, size_t size, CUstream stream))                \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020,                             \
    (CUdeviceptr to, const void *from, size_t size, CUstream stream))          \
  X(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000,                                \
    (CUdeviceptr to, CUcontext toContext, CUdeviceptr from,                    \
     CUcontext fromContext, size_t size, CUstream stream))                     \
  X(cuMemsetD16Async, cuMemsetD16Async, 3020,                                  \
    (CUdeviceptr to, uint16_t value, size_t count, CUstream stream))           \
  X(cuMemsetD2D32Async, cuMemsetD2D32Async, 3020,                              \
    (CUdeviceptr to, size_t pitch, uint32_t value, size_t width,               \
     size_t height, CUstream stream))                                          \
  X(cuMemsetD32Async, cuMemsetD32Async, 3020,                                  \
    (CUdeviceptr to, uint32_t value, size_t count, CUstream stream))           \
  X(cuMemsetD8Async, cuMemsetD8Async, 3020,                                    \
    (CUdeviceptr to, uint8_t value, size_t count, CUstream stream))            \
  X(cuModuleGetFunction, cuModuleGetFunction, 2000,                            \
    (CUfunction * function, CUmodule module, const char *name))                \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010,                              \
    (CUmodule * module, const void *image, unsigned count, uint32_t *options,  \
     void **values))                                                           \
  X(cuModuleUnload, cuModuleUnload, 2000, (CUmodule module))                   \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                               \
    cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050,                         \
    (int *blocks, CUfunction function, int threads, size_t shared))            \
  X(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters, 11070,         \
    (int *clusters, CUfunction function, const CUlaunchConfig *config))        \
  X(cuPointerGetAttribute, cuPointerGetAttribute, 4000,                        \
    (void *value, uint32_t attribute, CUdeviceptr address))                    \
  X(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050,              \
    (CUstream * stream, unsigned flags, int priority))                         \
  X(cuStreamDestroy, cuStreamDestroy_v2, 4000, (CUstream stream))              \
  X(cuStreamGetCtx, cuStreamGetCtx, 9020,                                      \
    (CUstream stream, CUcontext * context))                                    \
  X(cuStreamQuery, cuStreamQuery, 2000, (CUstream stream))                     \
  X(cuStreamSynchronize, cuStreamSynchronize, 2000, (CUstream stream))         \
  X(cuStreamWaitEvent, cuStreamWaitEvent, 3020,                                \
    (CUstream stream, CUevent event, unsigned flags))                          \
  X(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled, 12000,                     \
    (CUtensorMap * map, uint32_t type, uint32_t rank, void *address,           \
     const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,      \
     const uint32_t *elementStrides, uint32_t interleave, uint32_t swizzle,    \
     uint32_t promotion, uint32_t fill))

/// In later libraries; null elsewhere.
#define NEREID_CUDA_LATER_FUNCTIONS(X)                                         \
  X(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040,                             \
    (CUfunction function, size_t index, size_t *offset, size_t *size))

} // namespace nereid::cuda

#endif // NEREID_CUDA_API_H
