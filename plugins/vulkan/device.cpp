// device.cpp - opens and closes a device, and creates its buffers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "device.h"

#include "common/text.h"
#include "failure.h"
#include "memory.h"
#include "pipeline_cache.h"
#include "staging.h"
#include "streams.h"
#include "timestamps.h"

namespace nereid::vulkan {

Device::Device(const Instance &instance, const PhysicalDevice &physical,
               const Settings &settings, const nereid_host_t *host)
    : physical(physical), settings(settings), host(host) {
  handle = createDevice(instance.functions, physical);
  // Needed even if loading the others fails.
  vk.DestroyDevice = reinterpret_cast<PFN_vkDestroyDevice>(
      instance.functions.GetDeviceProcAddr(handle, "vkDestroyDevice"));
  try {
    vk.load(instance.functions, handle);
    for (uint32_t i = 0; i < physical.queueCount; ++i) {
      queues.push_back(std::make_unique<Queue>());
      vk.GetDeviceQueue(handle, physical.queueFamily, i, &queues[i]->handle);
    }
    memory = std::make_unique<Memory>(*this);
    staging = std::make_unique<StagingPool>(*this);
    timestamps = std::make_unique<Timestamps>(*this);
    pipelines = std::make_unique<PipelineCache>(*this);
    streams = std::make_unique<Streams>(*this);
  } catch (...) {
    destroyAll();
    throw;
  }
}

void Device::destroyAll() {
  streams.reset();
  pipelines.reset();
  timestamps.reset();
  staging.reset();
  memory.reset();
  vk.DestroyDevice(handle, nullptr);
}

Device::~Device() {
  streams->close();
  if (isStuck()) {
    // The process ends soon, or loses this memory.
    streams.release();
    pipelines.release();
    timestamps.release();
    staging.release();
    memory.release();
    return;
  }
  if (!isLost())
    vk.DeviceWaitIdle(handle);
  destroyAll();
}

// --------------------------------------------------------------------- loss

void Device::throwLost() const {
  // Written before `lost` was set, and never again.
  throw Failure(NEREID_DEVICE_LOST, loss);
}

void Device::lose(std::string why, bool runs) {
  std::lock_guard lock(lossMutex);
  if (lost.load())
    return;
  loss = "device '" + physical.name + "' is lost: " + why;
  isRunning = runs;
  lost.store(true, std::memory_order_release);
}

void Device::check(VkResult result, const char *what) {
  if (result == VK_ERROR_DEVICE_LOST) {
    lose(std::string(what) +
             ": a kernel accessed memory that is not its own, ran past the "
             "driver's time limit, or the device was removed",
         false);
    throwLost();
  }
  vulkan::check(result, what);
}

void Device::waitFor(VkSemaphore semaphore, uint64_t value) {
  requireAlive();
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  uint64_t limit = settings.timeLimit;
  VkResult result = vk.WaitSemaphores(handle, &info,
                                      limit ? limit * 1000 * 1000 : UINT64_MAX);
  if (result == VK_TIMEOUT) {
    lose("it did not end its work within the " + std::to_string(limit) +
             " ms of NEREID_VULKAN_TIME_LIMIT",
         true);
    throwLost();
  }
  check(result, "cannot wait for the device");
}

void Device::warn(const std::string &message) const {
  if (!host)
    return;
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = NEREID_SEVERITY_WARNING;
  diagnostic.message = plugin::text(message);
  host->log(host, &diagnostic);
}

// ------------------------------------------------------------------ buffers

VkResult Device::createBuffer(uint64_t size, uint32_t memoryType, bool isMapped,
                              Buffer &out, void *import) {
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = import ? &external : nullptr;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  Buffer buffer;
  buffer.size = size;
  VkResult result = vk.CreateBuffer(handle, &info, nullptr, &buffer.handle);
  if (result == VK_SUCCESS) {
    result = bindMemory(memoryType, isMapped, buffer, import);
    if (result == VK_SUCCESS) {
      out = buffer;
      return result;
    }
    destroyBuffer(buffer);
  }
  return result;
}

VkResult Device::bindMemory(uint32_t memoryType, bool isMapped, Buffer &out,
                            void *import) {
  VkMemoryRequirements needs{};
  vk.GetBufferMemoryRequirements(handle, out.handle, &needs);
  uint32_t types = needs.memoryTypeBits;
  if (import) {
    VkMemoryHostPointerPropertiesEXT host{};
    host.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
    VkResult result = vk.GetMemoryHostPointerPropertiesEXT(
        handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, import,
        &host);
    if (result != VK_SUCCESS)
      return result;
    types &= host.memoryTypeBits;
    // The pages decide, not this plugin: any type that fits both.
    if (!(types >> memoryType & 1) && types)
      memoryType = static_cast<uint32_t>(__builtin_ctz(types));
  }
  if (!(types >> memoryType & 1) || (import && needs.size > out.size))
    return VK_ERROR_FEATURE_NOT_PRESENT;

  VkImportMemoryHostPointerInfoEXT pointer{};
  pointer.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  pointer.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  pointer.pHostPointer = import;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = import ? &pointer : nullptr;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = import ? out.size : needs.size;
  info.memoryTypeIndex = memoryType;
  VkResult result = vk.AllocateMemory(handle, &info, nullptr, &out.memory);
  if (result == VK_SUCCESS)
    result = vk.BindBufferMemory(handle, out.handle, out.memory, 0);
  if (result == VK_SUCCESS && isMapped)
    result = vk.MapMemory(handle, out.memory, 0, VK_WHOLE_SIZE, 0, &out.mapped);
  if (result != VK_SUCCESS)
    return result;
  VkBufferDeviceAddressInfo address{};
  address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address.buffer = out.handle;
  out.address = vk.GetBufferDeviceAddress(handle, &address);
  return VK_SUCCESS;
}

void Device::destroyBuffer(Buffer &buffer) {
  if (buffer.handle)
    vk.DestroyBuffer(handle, buffer.handle, nullptr);
  if (buffer.memory)
    vk.FreeMemory(handle, buffer.memory, nullptr);
  buffer = {};
}

} // namespace nereid::vulkan
