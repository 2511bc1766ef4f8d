// settings.h - the environment variables of the plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_SETTINGS_H
#define NEREID_CUDA_SETTINGS_H

#include <string>

namespace nereid::cuda {

/// Read once, when the plugin is created.
struct Settings {
  /// NEREID_CUDA_LIBRARY: the driver library.
  std::string library = "libcuda.so.1";

  /// Throws if a variable has an illegal value. A process with raised
  /// privileges ignores them.
  static Settings read();
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_SETTINGS_H
