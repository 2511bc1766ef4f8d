// BuildProgress.cpp - draws the bar, and writes the lines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/BuildProgress.h"

#include "Text.h"
#include "text/ShortTarget.h"
#include "text/Suggestions.h"

#include <cstdio>
#include <unistd.h>

namespace nereid::tool {

Expected<BuildProgress::Mode>
BuildProgress::parseMode(const std::string &name) {
  if (name.empty() || name == "auto")
    return isatty(2) ? Bar : Plain;
  static const std::vector<std::string> names = {"bar", "plain", "json",
                                                 "none"};
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<Mode>(i);
  return invalid("--progress '" + name + "'" + suggestNames(name, names));
}

BuildProgress::BuildProgress(Mode mode, size_t total)
    : mode(mode), total(total) {}

BuildProgress::~BuildProgress() {
  if (mode == Bar && done)
    std::fputs("\r\033[K", stderr);
}

// "[####------] 12/40, 0:07 left  softmax_f32 cpu:x86_64:x86-64-v3"
void BuildProgress::draw(const std::string &last) {
  static constexpr size_t width = 24;
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  auto left = static_cast<long>(spent.count() / static_cast<double>(done) *
                                static_cast<double>(total - done));
  std::string bar(width * done / total, '#');
  bar.resize(width, '-');
  std::fprintf(stderr, "\r\033[K[%s] %zu/%zu, %ld:%02ld left  %.40s",
               bar.c_str(), done, total, left / 60, left % 60,
               printable(last).c_str());
  std::fflush(stderr);
}

void BuildProgress::step(const std::string &kernel, const std::string &target,
                         std::chrono::nanoseconds time, bool isCached,
                         bool isOk) {
  std::lock_guard lock(mutex);
  ++done;
  const char *result = !isOk ? "failed" : isCached ? "cached" : "compiled";
  std::string duration = durationText(static_cast<double>(time.count()));
  switch (mode) {
  case Bar:
    return draw(kernel + ' ' + shortTarget(target));
  case Plain:
    std::fprintf(stderr, "[%zu/%zu] %s %s: %s in %s\n", done, total,
                 printable(kernel).c_str(),
                 printable(shortTarget(target)).c_str(), result,
                 duration.c_str());
    return;
  case JsonLines: {
    Json line = {{"done", done},     {"total", total},
                 {"kernel", kernel}, {"target", target},
                 {"result", result}, {"nanoseconds", time.count()}};
    std::fprintf(
        stderr, "%s\n",
        line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    return;
  }
  case None:
    return;
  }
}

} // namespace nereid::tool
