// Parts.h - work on long arrays, in parts on the machine's threads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_PARTS_H
#define NEREID_TOOLS_PARTS_H

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace nereid::tools {

/// Into how many parts \p count elements go: one unless there are so many that
/// a thread pays.
inline uint64_t partsOf(uint64_t count) {
  constexpr uint64_t fewest = uint64_t(1) << 18, mostThreads = 16;
  return std::clamp<uint64_t>(
      count / fewest, 1,
      std::min<uint64_t>(mostThreads,
                         std::max(1u, std::thread::hardware_concurrency())));
}

/// Calls \p work(part, first, last) for each part of [0, \p count), at the same
/// time. It must not throw.
template <class Work> void inParts(uint64_t count, const Work &work) {
  uint64_t parts = partsOf(count);
  auto first = [&](uint64_t part) {
    return count / parts * part + std::min(part, count % parts);
  };
  std::vector<std::jthread> threads;
  for (uint64_t part = 1; part < parts; ++part)
    threads.emplace_back(
        [&, part] { work(part, first(part), first(part + 1)); });
  work(uint64_t(0), first(0), first(1));
}

} // namespace nereid::tools

#endif // NEREID_TOOLS_PARTS_H
