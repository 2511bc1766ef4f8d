// Labels.cpp - what figures call things.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Labels.h"
#include "report/Markup.h"
#include "store/Record.h"

namespace nereid::ops {

std::string leftOutText(size_t count, const char *what) {
  return count
             ? "; " + std::to_string(count) + " more " + what + " are left out"
             : "";
}

std::string deviceText(const Place &place) {
  std::string text(place.deviceArchitecture);
  if (!place.deviceName.empty())
    text += (text.empty() ? "" : ", ") + std::string(place.deviceName);
  return text.empty() ? "unknown device" : text;
}

std::string shapeText(std::string_view name, std::string_view shape) {
  return shorten(name, 23) + ' ' + shorten(shape, 34);
}

std::string configurationText(const TunedResult &result) {
  std::string text = result.variant;
  std::string values = objectText(result.configuration);
  if (!text.empty() && !values.empty())
    text += ' ';
  return text + values;
}

} // namespace nereid::ops
