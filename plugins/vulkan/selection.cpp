// selection.cpp - matches devices with a list of selectors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "selection.h"

#include "common/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

namespace nereid::vulkan {

static std::string lowered(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// The UUID in `text`, which may have dashes; empty if it is not one.
static std::string readUuid(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (c != '-')
      digits += c;
  bool isHex = std::all_of(digits.begin(), digits.end(),
                           [](unsigned char c) { return std::isxdigit(c); });
  return isHex && digits.size() == 2 * VK_UUID_SIZE ? digits : std::string();
}

static bool matches(const PhysicalDevice &device, size_t index,
                    const std::string &selector) {
  size_t number = 0;
  auto [end, error] = std::from_chars(
      selector.data(), selector.data() + selector.size(), number);
  if (error == std::errc() && end == selector.data() + selector.size())
    return number == index;
  std::string uuid = readUuid(selector);
  if (!uuid.empty())
    return device.uuid == uuid;
  return selector == typeName(device.type) ||
         lowered(device.name).find(selector) != std::string::npos;
}

static constexpr int kLastRank = 4;

/// The order without a selection.
static int rankOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return kLastRank;
  default:
    return 3;
  }
}

std::vector<PhysicalDevice> selectDevices(std::vector<PhysicalDevice> devices,
                                          std::string_view list,
                                          std::string &problem) {
  if (list.empty()) {
    std::vector<PhysicalDevice> ranked;
    for (int rank = 0; rank <= kLastRank; ++rank)
      std::copy_if(devices.begin(), devices.end(), std::back_inserter(ranked),
                   [&](const PhysicalDevice &device) {
                     return rankOf(device.type) == rank;
                   });
    return ranked;
  }
  std::vector<size_t> chosen;
  while (!list.empty()) {
    std::string selector = lowered(plugin::takeItem(list, ','));
    if (selector.empty())
      continue;
    bool isFound = false;
    for (size_t i = 0; i < devices.size(); ++i) {
      if (!matches(devices[i], i, selector))
        continue;
      isFound = true;
      if (std::find(chosen.begin(), chosen.end(), i) == chosen.end())
        chosen.push_back(i);
    }
    if (!isFound && problem.empty())
      problem = "NEREID_VULKAN_DEVICES names '" + selector +
                "', which none of " + std::to_string(devices.size()) +
                " devices is";
  }
  std::vector<PhysicalDevice> out;
  for (size_t i : chosen)
    out.push_back(devices[i]);
  return out;
}

} // namespace nereid::vulkan
