// ProgressMode.cpp - reads the mode, draws the bar, and writes JSON in lines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ProgressMode.h"

#include "Text.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>
#include <vector>

namespace nereid::tool {

Expected<ProgressMode> parseProgressMode(const std::string &name) {
  if (name.empty() || name == "auto")
    return isatty(2) ? ProgressMode::Bar : ProgressMode::Plain;
  static const std::vector<std::string> names = {"bar", "plain", "json",
                                                 "none"};
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<ProgressMode>(i);
  return invalid("--progress '" + name + "'" + suggestNames(name, names));
}

void drawBar(double part, const std::string &counts, double left,
             const std::string &last) {
  static constexpr size_t width = 24;
  std::string bar(static_cast<size_t>(width * std::clamp(part, 0.0, 1.0)), '#');
  bar.resize(width, '-');
  long rest = std::lround(left);
  std::fprintf(stderr, "\r\033[K[%s] %s, %ld:%02ld left  %.40s", bar.c_str(),
               counts.c_str(), rest / 60, rest % 60, printable(last).c_str());
  std::fflush(stderr);
}

void eraseBar() { std::fputs("\r\033[K", stderr); }

void writeJsonLine(const Json &event) {
  std::fprintf(
      stderr, "%s\n",
      event.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

} // namespace nereid::tool
