// ImageFit.cpp - the rules of compatibility, one for each device type.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/ImageFit.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace nereid::host {

static ImageFit refused(std::string reason) { return {0, std::move(reason)}; }

static std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> items;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    if (comma)
      items.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return items;
}

static std::string inQuotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// The CPU's name is the first of its features, if it has no sign.
static std::string_view cpuName(const Target &target) {
  std::vector<std::string_view> items = split(target.features);
  if (items.empty() || items.front().front() == '+' ||
      items.front().front() == '-')
    return {};
  return items.front();
}

// A CPU needs every feature that the code uses. The more it uses, the better.
static ImageFit fitCpu(const ImageFacts &image, const Target &device) {
  if (!image.target.arch.empty() && image.target.arch != device.arch)
    return refused("for " + image.target.arch + ", the device is " +
                   device.arch);
  std::optional<std::string_view> needed =
      image.metadata ? image.metadata->string("cpu_features") : std::nullopt;
  if (!needed || needed->empty()) {
    // The compiler does not say what it used: only the same CPU is safe.
    std::string_view name = cpuName(image.target);
    if (name.empty() || name == "generic")
      return {100, "compatible: it needs no particular CPU"};
    if (name == cpuName(device))
      return {500, "compatible: the same CPU"};
    return refused("for CPU " + inQuotes(name) + ", the device is " +
                   inQuotes(cpuName(device)));
  }
  std::vector<std::string_view> present = split(device.features);
  std::vector<std::string_view> wanted = split(*needed);
  for (std::string_view feature : wanted)
    if (std::find(present.begin(), present.end(), feature) == present.end())
      return refused("needs CPU feature " + inQuotes(feature));
  auto count = static_cast<int32_t>(std::min<size_t>(wanted.size(), 800));
  return {100 + count, "compatible: the device has all " +
                           std::to_string(wanted.size()) +
                           " features that it needs"};
}

namespace {
/// "sm_90a": capability 90, with features of this architecture alone.
struct Capability {
  int number = 0;
  char suffix = 0; // 'a': this one alone, 'f': its family
};
} // namespace

static std::optional<Capability> capabilityOf(std::string_view arch) {
  if (arch.starts_with("sm_"))
    arch.remove_prefix(3);
  else if (arch.starts_with("sm"))
    arch.remove_prefix(2);
  else
    return std::nullopt;
  Capability result;
  auto [end, error] =
      std::from_chars(arch.data(), arch.data() + arch.size(), result.number);
  std::string_view rest(end, arch.data() + arch.size() - end);
  if (error != std::errc() || rest.size() > 1 ||
      (!rest.empty() && rest != "a" && rest != "f"))
    return std::nullopt;
  if (!rest.empty())
    result.suffix = rest.front();
  return result;
}

// Machine code runs on later minors of its major; PTX on everything later. With
// the suffix 'a' both are for one architecture.
static ImageFit fitCuda(const ImageFacts &image, const Target &device) {
  std::optional<Capability> built = capabilityOf(image.target.arch);
  std::optional<Capability> here = capabilityOf(device.arch);
  if (!built || !here)
    return image.target.arch == device.arch
               ? ImageFit{exactScore - 1, "the same architecture"}
               : refused("for " + image.target.arch + ", the device is " +
                         device.arch);
  bool isPtx = image.kind == "ptx";
  bool isSame = built->number == here->number;
  bool isSameMajor = built->number / 10 == here->number / 10;
  bool isOlder = built->number <= here->number;
  bool fits = isSame || (isOlder && built->suffix != 'a' &&
                         (isSameMajor || (isPtx && built->suffix != 'f')));
  if (!fits)
    return refused(std::string(isPtx ? "PTX" : "machine code") + " for " +
                   image.target.arch + ", the device is " + device.arch);
  int32_t score = 100 + std::min(built->number, 300);
  if (isSame && built->suffix)
    score += 50;
  if (!isPtx)
    score += 400;
  return {score, isSame ? "compatible: the same capability"
                        : "compatible: made for " + image.target.arch};
}

// The part of the name before the features of a target ID, "gfx90a:xnack-".
static ImageFit fitHip(const ImageFacts &image, const Target &device) {
  auto base = [](std::string_view arch) {
    return arch.substr(0, arch.find(':'));
  };
  if (base(image.target.arch) != base(device.arch))
    return refused("for " + image.target.arch + ", the device is " +
                   device.arch);
  return {500, "compatible: the same architecture"};
}

// Only the driver knows. Images for the same architecture come first, then
// those that use more of the device.
static ImageFit fitOther(const ImageFacts &image, const Target &device) {
  auto features = static_cast<int32_t>(
      std::min<size_t>(split(image.target.features).size(), 100));
  bool isSameArch = image.target.arch == device.arch;
  return {(isSameArch ? 300 : 100) + features, "the driver decides"};
}

static constexpr struct {
  std::string_view deviceType;
  ImageFit (*fit)(const ImageFacts &, const Target &);
} rules[] = {{"cpu", fitCpu}, {"cuda", fitCuda}, {"hip", fitHip}};

ImageFit imageFit(const ImageFacts &image, const Target &device) {
  if (image.target.backend != device.backend)
    return refused("for device type " + inQuotes(image.target.backend));
  if (image.target.warpSize && device.warpSize &&
      image.target.warpSize != device.warpSize)
    return refused("for " + std::to_string(image.target.warpSize) +
                   " threads in lock step, the device has " +
                   std::to_string(device.warpSize));
  if (image.target.arch == device.arch &&
      image.target.features == device.features)
    return {exactScore, "exact"};
  for (const auto &rule : rules)
    if (rule.deviceType == device.backend)
      return rule.fit(image, device);
  return fitOther(image, device);
}

} // namespace nereid::host
