// TargetText.cpp - reads targets.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "TargetText.h"

#include "text/ShortTarget.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace nereid::tools {

// Fields between colons, without the backslashes that protect some.
static std::vector<std::string> splitFields(std::string_view text) {
  std::vector<std::string> fields(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      fields.back() += text[++i];
    else if (text[i] == ':')
      fields.emplace_back();
    else
      fields.back() += text[i];
  }
  return fields;
}

static bool isNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

bool TargetText::isInFull(std::string_view text) {
  std::vector<std::string> fields = splitFields(text);
  return fields.size() > 2 || (fields.size() == 2 && !isNumber(fields[1]));
}

static Error malformed(std::string_view text, const std::string &problem) {
  return invalid("target '" + shortTarget(text) + "': " + problem +
                 ", expected TYPE:ARCH[:FEATURES[:WARP]], as in "
                 "'cpu:x86_64:znver4', or a device, as in 'cpu:1'");
}

Expected<TargetText> TargetText::parse(std::string_view text) {
  std::vector<std::string> fields = splitFields(text);
  if (fields.size() > 4)
    return malformed(text, std::to_string(fields.size()) + " fields");
  fields.resize(4);
  TargetText target = {fields[0], fields[1], fields[2]};
  if (target.deviceType.empty())
    return malformed(text, "no device type");
  if (target.arch.empty())
    return malformed(text, "no architecture");
  const std::string &warp = fields[3];
  if (warp.empty())
    return target;
  auto [end, error] =
      std::from_chars(warp.data(), warp.data() + warp.size(), target.warpSize);
  if (error != std::errc() || end != warp.data() + warp.size() ||
      target.warpSize < 0)
    return malformed(text, "'" + warp + "' is not a warp size");
  return target;
}

// A field whose colons and backslashes are protected.
static std::string fieldOf(nereid_string_t text) {
  std::string field;
  for (char c : detail::view(text)) {
    if (c == ':' || c == '\\')
      field += '\\';
    field += c;
  }
  return field;
}

std::string TargetText::write(const nereid_target_t &target) {
  return fieldOf(target.backend) + ':' + fieldOf(target.arch) + ':' +
         fieldOf(target.features) + ':' + std::to_string(target.warp_size);
}

nereid_target_t TargetText::get() const {
  auto target = detail::sized<nereid_target_t>();
  target.warp_size = warpSize;
  target.backend = detail::borrow(deviceType);
  target.arch = detail::borrow(arch);
  target.features = detail::borrow(features);
  return target;
}

} // namespace nereid::tools
