// pipeline_cache.cpp - reads and writes the file of a pipeline cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The file is a header of 24 bytes (magic, size and digest of the data) and the
// driver's data. Drivers check that data is their own, but not that it is
// whole.

#include "pipeline_cache.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::vulkan {

namespace {
struct Header {
  char magic[8];
  uint64_t size, digest;
};
} // namespace

static constexpr char kMagic[8] = {'n', 'e', 'r', 'e', 'i', 'd', 'V', 'P'};
static constexpr uint64_t kMostBytes = 256u << 20;

static uint64_t digestOf(const std::string &data) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : data)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

static bool readAll(int file, void *to, size_t size) {
  char *at = static_cast<char *>(to);
  while (size) {
    ssize_t done = ::read(file, at, size);
    if (done <= 0)
      return false;
    at += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

static bool writeAll(int file, const void *from, size_t size) {
  const char *at = static_cast<const char *>(from);
  while (size) {
    ssize_t done = ::write(file, at, size);
    if (done <= 0)
      return false;
    at += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

/// The data in the file; empty if it is not a whole file of this user that
/// nobody else can write.
static std::string readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return {};
  struct stat status{};
  Header header{};
  std::string data;
  bool isOurs = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_uid == geteuid() &&
                !(status.st_mode & (S_IWGRP | S_IWOTH));
  if (isOurs && readAll(file, &header, sizeof header) &&
      std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 &&
      header.size <= kMostBytes &&
      static_cast<uint64_t>(status.st_size) == sizeof header + header.size) {
    data.resize(header.size);
    if (!readAll(file, data.data(), data.size()) ||
        digestOf(data) != header.digest)
      data.clear();
  }
  close(file);
  return data;
}

/// Publishes the data by one rename, so that another process reads the old or
/// the new file.
static void writeFile(const std::string &path, const std::string &data) {
  std::string temporary = path + ".XXXXXX";
  int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return;
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.size = data.size();
  header.digest = digestOf(data);
  bool isWritten = writeAll(file, &header, sizeof header) &&
                   writeAll(file, data.data(), data.size());
  isWritten &= close(file) == 0;
  if (!isWritten || std::rename(temporary.c_str(), path.c_str()) != 0)
    unlink(temporary.c_str());
}

PipelineCache::PipelineCache(Device &device) : device(device) {
  const Settings &settings = device.settings;
  std::string data;
  if (settings.pipelineCache && !settings.cacheDirectory.empty()) {
    path = settings.cacheDirectory + "/vulkan-";
    for (uint8_t byte : device.physical.cacheUuid) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", byte);
      path += digits;
    }
    path += ".pipelines";
    data = readFile(path);
    loadedDigest = digestOf(data);
  }
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  device.check(
      device.vk.CreatePipelineCache(device.handle, &info, nullptr, &handle),
      "cannot create a pipeline cache");
}

std::string PipelineCache::data() const {
  size_t size = 0;
  std::string data;
  if (device.vk.GetPipelineCacheData(device.handle, handle, &size, nullptr) !=
      VK_SUCCESS)
    return {};
  data.resize(size);
  if (device.vk.GetPipelineCacheData(device.handle, handle, &size,
                                     data.data()) != VK_SUCCESS)
    return {};
  data.resize(size);
  return data;
}

PipelineCache::~PipelineCache() {
  std::string latest;
  if (!path.empty() && isUsed.load() && !device.isLost())
    latest = data();
  if (!latest.empty() && latest.size() <= kMostBytes &&
      digestOf(latest) != loadedDigest) {
    // The host makes the folders above it; this one may not exist yet.
    mkdir(device.settings.cacheDirectory.c_str(), 0700);
    writeFile(path, latest);
  }
  device.vk.DestroyPipelineCache(device.handle, handle, nullptr);
}

} // namespace nereid::vulkan
