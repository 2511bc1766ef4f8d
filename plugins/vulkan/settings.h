// settings.h - the environment variables of the plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_SETTINGS_H
#define NEREID_VULKAN_SETTINGS_H

#include <cstdint>
#include <string>

namespace nereid::vulkan {

/// Read once, when the plugin is created.
struct Settings {
  std::string devices;       ///< NEREID_VULKAN_DEVICES
  bool validation = false;   ///< NEREID_VULKAN_VALIDATION
  bool pipelineCache = true; ///< NEREID_VULKAN_PIPELINE_CACHE
  uint64_t timeLimit = 0; ///< NEREID_VULKAN_TIME_LIMIT, milliseconds; 0: none
  uint64_t printBuffer = 1 << 20; ///< NEREID_VULKAN_PRINT_BUFFER, bytes
  std::string cacheDirectory;     ///< Nereid's; empty if there is none

  /// Throws if a variable has an illegal value.
  static Settings read();
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_SETTINGS_H
