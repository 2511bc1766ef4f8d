// module.cpp - loads images and finds kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "module.h"

#include "common/text.h"
#include "image.h"
#include "state.h"

#include <array>

namespace nereid::cuda {

using namespace plugin;

// ------------------------------------------------------------------- loading

static std::string driverText(const Library &library) {
  return "the driver (CUDA " + versionText(library.version) + ")";
}

/// What the library's compiler and linker wrote, without the end of the buffer.
static std::string logText(const char *log) {
  std::string text(log);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text.empty() ? text : "; it says: " + text;
}

static CUmodule loadModule(Device &device, const Image &image,
                           const std::string &bytes) {
  constexpr size_t kLogSize = 8192;
  std::vector<char> errors(kLogSize), infos(kLogSize);
  uint32_t options[] = {
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  // One byte stays 0. The library writes the sizes that it has used.
  auto *size = reinterpret_cast<void *>(kLogSize - 1);
  void *values[] = {errors.data(), size, infos.data(), size};
  CUmodule module = nullptr;
  CUresult result = device.cuda.cuModuleLoadDataEx(
      &module, bytes.data(), std::size(options), options, values);
  if (result == CUDA_SUCCESS)
    return module;
  std::string names;
  for (const ImageCode &code : image.code)
    names += (names.empty() ? "" : ", ") + code.text();
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    throw Failure(NEREID_INCOMPATIBLE,
                  "the image is " + names + ", which is too new for " +
                      driverText(device.cuda) +
                      ": update the driver, or compile for an older PTX");
  device.throwFailure(result, "cannot load the image (" + names + ")" +
                                  logText(errors.data()) +
                                  logText(infos.data()) + ";");
}

void checkCluster(const Device &device, const uint32_t cluster[3]) {
  constexpr uint32_t kMost = 16;
  uint64_t blocks = uint64_t{cluster[0]} * cluster[1] * cluster[2];
  if (blocks <= 1)
    return;
  std::string text = "clusters of " + std::to_string(blocks) +
                     " thread blocks, device '" + device.physical.name + "' ";
  if (device.physical.major < 9)
    throw Failure(NEREID_INCOMPATIBLE,
                  text + "is " + device.physical.arch +
                      ", which has none: sm_90 or later was expected");
  if (blocks > kMost)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  text + "has at most " + std::to_string(kMost));
}

/// Thread blocks of a cluster.
static std::array<uint32_t, 3> clusterOf(const KernelFacts &facts) {
  return {facts.cluster[0] * facts.blocks, facts.cluster[1], facts.cluster[2]};
}

/// What the device cannot do for any kernel with these facts.
static void checkFacts(const Device &device, const KernelFacts &facts) {
  const PhysicalDevice &physical = device.physical;
  if (static_cast<int>(facts.threads) > physical.maxThreads)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "kernel '" + facts.name + "' has " +
                      std::to_string(facts.threads) +
                      " threads in a block, device '" + physical.name +
                      "' has at most " + std::to_string(physical.maxThreads));
  checkCluster(device, clusterOf(facts).data());
  if (facts.isCooperative && !physical.hasCooperativeLaunch)
    throw Failure(NEREID_UNIMPLEMENTED,
                  "kernel '" + facts.name + "' is cooperative, device '" +
                      physical.name + "' has no cooperative launches");
  if (!facts.tensorMaps.empty() && physical.major < 9)
    throw Failure(NEREID_INCOMPATIBLE,
                  "kernel '" + facts.name + "' takes tensor maps, device '" +
                      physical.name + "' is " + physical.arch +
                      ", which has none: sm_90 or later was expected");
}

nereid_status_t loadImage(nereid_state_t *state, uint32_t index,
                          const nereid_image_t *request,
                          nereid_module_t **outModule, const nereid_call_t *) {
  const PhysicalDevice &physical = state->physical(index);
  std::string_view given(static_cast<const char *>(request->bytes.data),
                         request->bytes.size);
  Image image;
  if (std::string problem = readImage(given, image); !problem.empty())
    throw Failure(NEREID_INCOMPATIBLE, problem);
  KernelFacts facts =
      KernelFacts::read(request->metadata, request->metadata_count);
  const Library &library = state->machine().library;
  std::string problem =
      imageProblem(image, physical.capability(), ptxVersionOf(library.version),
                   "device '" + physical.name + "' is " + physical.arch,
                   driverText(library));
  if (!problem.empty())
    throw Failure(NEREID_INCOMPATIBLE, problem);

  Device &device = state->device(index);
  device.requireAlive();
  checkFacts(device, facts);
  // A copy: PTX has to end with a NUL, and the rest to be aligned.
  std::string bytes(given);
  ContextScope scope(device);
  CUmodule module = loadModule(device, image, bytes);
  try {
    *outModule = new nereid_module_t(device, std::move(facts), module);
  } catch (...) {
    library.cuModuleUnload(module);
    throw;
  }
  return NEREID_OK;
}

nereid_status_t unloadModule(nereid_state_t *, nereid_module_t *module,
                             const nereid_call_t *) {
  if (!module)
    return NEREID_OK;
  std::unique_ptr<nereid_module_t> owned(module);
  Device &device = module->device;
  device.requireAlive();
  ContextScope scope(device);
  device.check(device.cuda.cuModuleUnload(module->module),
               "cannot unload an image");
  return NEREID_OK;
}

// ------------------------------------------------------------------- kernels

static int attributeOf(Device &device, CUfunction function,
                       FunctionAttribute attribute) {
  int value = 0;
  device.check(device.cuda.cuFuncGetAttribute(&value, attribute, function),
               "cannot read the attributes of a kernel");
  return value;
}

static nereid_kernel_info_t readInfo(Device &device, const KernelFacts &facts,
                                     CUfunction function,
                                     const std::string &name) {
  nereid_kernel_info_t info = {};
  info.struct_size = sizeof info;
  info.registers = attributeOf(device, function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  // Of 4 bytes each.
  info.spills =
      attributeOf(device, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) / 4;
  info.max_threads =
      attributeOf(device, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  int fixed =
      attributeOf(device, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  info.shared = fixed + static_cast<int64_t>(facts.shared);
  if (info.shared > device.physical.maxShared)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "kernel '" + name + "' needs " + std::to_string(info.shared) +
                      " bytes of shared memory, device '" +
                      device.physical.name + "' has " +
                      std::to_string(device.physical.maxShared));
  if (static_cast<int>(facts.threads) > info.max_threads)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "kernel '" + name + "' has " + std::to_string(facts.threads) +
                      " threads in a block, with its " +
                      std::to_string(info.registers) +
                      " registers each device '" + device.physical.name +
                      "' runs at most " + std::to_string(info.max_threads));
  return info;
}

/// Compares the parameters of the image with those of the metadata: the library
/// would read beyond an argument that is too small.
static void checkParameters(const Device &device, const KernelFacts &facts,
                            CUfunction function, const std::string &name) {
  if (!device.cuda.cuFuncGetParamInfo)
    return;
  std::vector<uint32_t> sizes;
  for (const Parameter &parameter : facts.parameters)
    sizes.push_back(parameter.size);
  sizes.insert(sizes.end(), facts.scratchParameters, 8);
  for (size_t i = 0; i <= sizes.size(); ++i) {
    size_t offset = 0, size = 0;
    CUresult result =
        device.cuda.cuFuncGetParamInfo(function, i, &offset, &size);
    bool exists = result == CUDA_SUCCESS;
    if (!exists && result != CUDA_ERROR_INVALID_VALUE)
      return; // it does not know
    if (exists != (i < sizes.size()))
      throw Failure(NEREID_INCOMPATIBLE,
                    "kernel '" + name + "' has " +
                        (exists ? "more than " : "only ") +
                        std::to_string(exists ? sizes.size() : i) +
                        " parameters, the metadata describes " +
                        std::to_string(sizes.size()));
    if (exists && size != sizes[i])
      throw Failure(NEREID_INCOMPATIBLE,
                    "parameter " + std::to_string(i) + " of kernel '" + name +
                        "' has " + std::to_string(size) +
                        " bytes, the metadata describes one of " +
                        std::to_string(sizes[i]));
  }
}

/// Lets the kernel have more than what every device gives to any kernel.
static void raiseLimits(Device &device, const KernelFacts &facts,
                        CUfunction function, int64_t shared) {
  constexpr int64_t kSharedOfAll = 48 << 10;
  constexpr uint32_t kClusterOfAll = 8;
  const Library &cuda = device.cuda;
  if (shared > kSharedOfAll) {
    device.check(
        cuda.cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED),
        "cannot prefer shared memory");
    device.check(cuda.cuFuncSetAttribute(
                     function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                     static_cast<int>(facts.shared)),
                 "cannot raise the shared memory of a kernel");
  }
  auto cluster = clusterOf(facts);
  if (cluster[0] * cluster[1] * cluster[2] > kClusterOfAll)
    device.check(
        cuda.cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "cannot raise the size of clusters");
}

/// Programs that run on the device at the same time; 0 if the library does not
/// say. `config` is that of every launch.
static uint32_t countResident(Device &device, const KernelFacts &facts,
                              CUfunction function, CUlaunchConfig config) {
  auto cluster = clusterOf(facts);
  uint32_t programs = facts.cluster[0] * facts.cluster[1] * facts.cluster[2];
  int count = 0;
  CUresult result;
  CUlaunchAttribute attributes[4];
  if (fillAttributes(0, cluster.data(), attributes)) {
    // The grid does not bound the count, but has to be made of clusters.
    config.gridDimX = cluster[0];
    config.gridDimY = cluster[1];
    config.gridDimZ = cluster[2];
    config.attrs = attributes; // the dimension of clusters is the first
    config.numAttrs = 1;
    result =
        device.cuda.cuOccupancyMaxActiveClusters(&count, function, &config);
  } else {
    result = device.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &count, function, static_cast<int>(config.blockDimX),
        config.sharedMemBytes);
    programs = static_cast<uint32_t>(device.physical.multiprocessors);
  }
  if (isSticky(result))
    device.check(result, "cannot read the occupancy of a kernel");
  return result == CUDA_SUCCESS && count > 0
             ? static_cast<uint32_t>(count) * programs
             : 0;
}

} // namespace nereid::cuda

using namespace nereid::cuda;

nereid_kernel_t::nereid_kernel_t(Device &device, const KernelFacts &facts,
                                 CUfunction function, const std::string &name)
    : device(device), facts(facts), function(function),
      name(device.launches.intern(name)),
      info(readInfo(device, facts, function, name)) {
  checkParameters(device, facts, function, name);
  raiseLimits(device, facts, function, info.shared);
  if (facts.isCooperative)
    flags |= NEREID_LAUNCH_COOPERATIVE;
  if (facts.isProgrammatic)
    flags |= NEREID_LAUNCH_PROGRAMMATIC;
  if (device.physical.major < 9)
    flags &= ~NEREID_LAUNCH_PROGRAMMATIC;
  CUlaunchAttribute filled[4];
  uint32_t count = fillAttributes(flags, clusterOf(facts).data(), filled);
  attributes.assign(filled, filled + count);
  config.blockDimX = facts.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<uint32_t>(facts.shared);
  config.attrs = attributes.data();
  config.numAttrs = count;
  info.resident_programs = countResident(device, facts, function, config);
  for (const TensorMapFacts &map : facts.tensorMaps)
    tensorMaps.push_back(std::make_unique<TensorMapEncoder>(device.cuda, map));
  for (const Parameter &parameter : facts.parameters)
    offsets.push_back(parameter.offset);
  auto cluster = clusterOf(facts);
  isPlain = tensorMaps.empty() && !facts.scratch &&
            cluster[0] * cluster[1] * cluster[2] == 1;
}

namespace nereid::cuda {

nereid_status_t getKernel(nereid_state_t *, nereid_module_t *module,
                          nereid_string_t name, nereid_kernel_t **outKernel,
                          nereid_kernel_info_t *outInfo,
                          const nereid_call_t *) {
  Device &device = module->device;
  device.requireAlive();
  std::string wanted(view(name));
  std::lock_guard lock(module->mutex);
  std::unique_ptr<nereid_kernel_t> &kernel = module->kernels[wanted];
  if (!kernel) {
    ContextScope scope(device);
    CUfunction function = nullptr;
    CUresult result = device.cuda.cuModuleGetFunction(&function, module->module,
                                                      wanted.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      throw Failure(NEREID_NOT_FOUND,
                    "the image has no kernel '" + wanted + "'");
    device.check(result, "cannot find a kernel");
    kernel = std::make_unique<nereid_kernel_t>(device, module->facts, function,
                                               wanted);
  }
  *outKernel = kernel.get();
  if (outInfo)
    copyOut(outInfo, kernel->info);
  return NEREID_OK;
}

} // namespace nereid::cuda
