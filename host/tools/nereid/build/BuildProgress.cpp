// BuildProgress.cpp - a step as a bar, a line or JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/BuildProgress.h"

#include "Text.h"
#include "text/ShortTarget.h"

#include <cstdio>

namespace nereid::tool {

BuildProgress::BuildProgress(ProgressMode mode, size_t total)
    : mode(mode), total(total) {}

BuildProgress::~BuildProgress() {
  if (mode == ProgressMode::Bar && done)
    eraseBar();
}

void BuildProgress::draw(const std::string &last) {
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  auto count = static_cast<double>(done), all = static_cast<double>(total);
  drawBar(count / all, std::to_string(done) + '/' + std::to_string(total),
          spent.count() / count * (all - count), last);
}

void BuildProgress::step(const std::string &kernel, const std::string &target,
                         std::chrono::nanoseconds time, bool isCached,
                         bool isOk) {
  std::lock_guard lock(mutex);
  ++done;
  const char *result = !isOk ? "failed" : isCached ? "cached" : "compiled";
  std::string duration = durationText(static_cast<double>(time.count()));
  switch (mode) {
  case ProgressMode::Bar:
    return draw(kernel + ' ' + shortTarget(target));
  case ProgressMode::Plain:
    std::fprintf(stderr, "[%zu/%zu] %s %s: %s in %s\n", done, total,
                 printable(kernel).c_str(),
                 printable(shortTarget(target)).c_str(), result,
                 duration.c_str());
    return;
  case ProgressMode::JsonLines:
    return writeJsonLine({{"done", done},
                          {"total", total},
                          {"kernel", kernel},
                          {"target", target},
                          {"result", result},
                          {"nanoseconds", time.count()}});
  case ProgressMode::None:
    return;
  }
}

} // namespace nereid::tool
