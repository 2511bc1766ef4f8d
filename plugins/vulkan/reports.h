// reports.h - what kernels print, and why they failed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_REPORTS_H
#define NEREID_VULKAN_REPORTS_H

#include "sites.h"

#include <memory>
#include <span>

namespace nereid::vulkan {

/// The sites of a kernel; launches share it, which may outlive the kernel.
struct KernelSites {
  std::string kernel;
  std::vector<Site> sites;

  bool hasPrints() const;
};

/// A launch that may report, and its services block.
struct PendingReport {
  char *block;
  uint64_t size; // bytes
  std::shared_ptr<const KernelSites> sites;
};

/// What a launch reported.
struct LaunchReport {
  std::string lines;    ///< that it printed, by program
  uint64_t dropped = 0; ///< lines for which there was no room
  std::string fault;    ///< of the first program that failed; empty: none
};

/// Bytes of the services block of a launch; `printBuffer` if it may print.
uint64_t servicesSize(const KernelSites &sites, uint64_t printBuffer);

/// Prepares the block for a launch.
void prepareServices(const PendingReport &report);

/// Reads the block after the launch. Nothing in it is trusted.
LaunchReport readServices(const PendingReport &report);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_REPORTS_H
