// vulkan_services_fuzz.cpp - any bytes as what a kernel of the vulkan plugin
// wrote, for sites that are read from the same bytes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "reports.h"
#include "services.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace nereid::vulkan;

// Lines of texts of sites, an empty line, and the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view input(reinterpret_cast<const char *>(data), size);
  KernelSites sites = {"kernel", {}};
  while (true) {
    size_t end = std::min(input.find('\n'), input.size());
    std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line.empty())
      break;
    Site site;
    if (!readSite(line, site).empty())
      continue;
    Site again;
    if (!readSite(describe(site), again).empty() || again.type != site.type ||
        again.shape != site.shape)
      std::abort();
    sites.sites.push_back(std::move(site));
  }
  std::vector<char> block(services::kRecords * 4 + input.size() / 4 * 4);
  std::memcpy(block.data(), input.data(), std::min(input.size(), block.size()));
  PendingReport report = {block.data(), block.size(),
                          std::make_shared<const KernelSites>(sites)};
  (void)readServices(report);
  return 0;
}
