// CurrentStream.cpp - each thread's choices, by plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CurrentStream.h"

#include <vector>

namespace nereid::host {

namespace {
/// What one thread has chosen of one plugin.
struct Choices {
  uint64_t plugin; // Plugin::serial, which no later plugin has
  uint32_t device = 0;
  std::vector<nereid_stream_t> streams; // by device
};
} // namespace

// A process has a few plugins, of which a thread uses one or two.
static thread_local std::vector<Choices> choices;

static const Choices *find(const Plugin &plugin) noexcept {
  for (const Choices &known : choices)
    if (known.plugin == plugin.serial)
      return &known;
  return nullptr;
}

static Choices &findOrMake(const Plugin &plugin) {
  if (const Choices *known = find(plugin))
    return const_cast<Choices &>(*known);
  return choices.emplace_back(Choices{plugin.serial, 0, {}});
}

uint32_t currentDevice(const Plugin &plugin) noexcept {
  const Choices *known = find(plugin);
  return known ? known->device : 0;
}

void setCurrentDevice(const Plugin &plugin, uint32_t device) {
  findOrMake(plugin).device = device;
}

nereid_stream_t currentStream(const Plugin &plugin, uint32_t device) noexcept {
  const Choices *known = find(plugin);
  return known && device < known->streams.size() ? known->streams[device] : 0;
}

void setCurrentStream(const Plugin &plugin, uint32_t device,
                      nereid_stream_t stream) {
  std::vector<nereid_stream_t> &streams = findOrMake(plugin).streams;
  if (device >= streams.size())
    streams.resize(device + 1);
  streams[device] = stream;
}

} // namespace nereid::host
