// settings.cpp - reads the environment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.h"

#include "common/environment.h"

namespace nereid::vulkan {

using namespace plugin;

Settings Settings::read() {
  Settings settings;
  settings.devices = readVariable("NEREID_VULKAN_DEVICES");
  settings.validation = readSwitch("NEREID_VULKAN_VALIDATION", false);
  settings.pipelineCache = readSwitch("NEREID_VULKAN_PIPELINE_CACHE", true);
  settings.timeLimit =
      readNumber("NEREID_VULKAN_TIME_LIMIT", "a number of milliseconds", 0,
                 24 * 3600 * 1000, settings.timeLimit);
  settings.printBuffer =
      readNumber("NEREID_VULKAN_PRINT_BUFFER", "a number of bytes", 4096,
                 256u << 20, settings.printBuffer);
  settings.cacheDirectory = readCacheDirectory();
  return settings;
}

} // namespace nereid::vulkan
