// module.h - a loaded image and its kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_MODULE_H
#define NEREID_CPU_MODULE_H

#include "image.h"
#include "state.h"

/// A kernel, ready to launch.
struct nereid_kernel_t {
  nereid_state_t *state = nullptr;
  nereid_cpu_kernel_t image = {}; // a copy of its exported constant
  /// Maximum number of threads; 0: depends on the work.
  unsigned threads = 0;
};

/// An image holds one kernel.
struct nereid_module_t {
  void *library = nullptr; // of dlopen
  std::string name;
  nereid_kernel_t kernel;
};

namespace nereid::cpu {

nereid_status_t loadImage(nereid_state_t *state, uint32_t device,
                          const nereid_image_t *image,
                          nereid_module_t **outModule,
                          const nereid_call_t *call);
nereid_status_t unloadModule(nereid_state_t *state, nereid_module_t *module,
                             const nereid_call_t *call);
nereid_status_t getKernel(nereid_state_t *state, nereid_module_t *module,
                          nereid_string_t name, nereid_kernel_t **outKernel,
                          nereid_kernel_info_t *outInfo,
                          const nereid_call_t *call);

/// The `launch` of nereid_driver_t. [hot]
nereid_status_t launch(nereid_kernel_t *kernel, const nereid_launch_t *launch,
                       const nereid_call_t *call);

} // namespace nereid::cpu

#endif // NEREID_CPU_MODULE_H
