// reports.cpp - reads services blocks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "reports.h"

#include "common/print_format.h"
#include "services.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

namespace nereid::vulkan {

using namespace services;

bool KernelSites::hasPrints() const {
  return std::any_of(sites.begin(), sites.end(),
                     [](const Site &site) { return site.isPrint; });
}

uint64_t servicesSize(const KernelSites &sites, uint64_t printBuffer) {
  uint64_t size = kRecords * sizeof(uint32_t);
  return sites.hasPrints() ? std::max(size, printBuffer / 4 * 4) : size;
}

void prepareServices(const PendingReport &report) {
  std::array<uint32_t, kRecords> words{};
  words[kLowestFault] = kLastProgram + 1;
  words[kCapacity] =
      static_cast<uint32_t>(report.size / sizeof(uint32_t) - kRecords);
  std::memcpy(report.block, words.data(), sizeof words);
}

namespace {
/// Programs in the order of the grid: along x first.
using Program = std::array<uint32_t, 3>; // z, y, x

struct Record {
  Program program;
  uint32_t sequence;
  uint32_t site;
  const uint32_t *elements;
};
} // namespace

static Program programAt(const uint32_t *words) {
  return {words[2], words[1], words[0]};
}

static std::string programText(const Program &program) {
  return plugin::formatProgram(program[2], program[1], program[0]);
}

static std::string unknownSite(uint32_t number, const KernelSites &sites) {
  return "kernel '" + sites.kernel + "' reported site " +
         std::to_string(number) + ", it has " +
         std::to_string(sites.sites.size());
}

/// The fault of the program that comes first.
static std::string readFaults(std::span<const uint32_t> words,
                              const KernelSites &sites) {
  uint32_t count = std::min(words[kFaultCount], kMostFaults);
  const uint32_t *first = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t *entry = words.data() + kFaults + i * kFaultWords;
    if (!first || programAt(entry + 1) < programAt(first + 1))
      first = entry;
  }
  if (!first)
    return {};
  uint32_t site = first[0] - 1;
  if (site >= sites.sites.size() || sites.sites[site].isPrint)
    return unknownSite(site, sites);
  return "kernel '" + sites.kernel + "', program " +
         programText(programAt(first + 1)) + ": " + sites.sites[site].text;
}

/// Stops at what is not a record, and says why in `problem`.
static std::vector<Record> readRecords(std::span<const uint32_t> words,
                                       const KernelSites &sites,
                                       std::string &problem) {
  std::vector<Record> records;
  uint64_t size = std::min<uint64_t>(words[kCursor], words.size() - kRecords);
  words = words.subspan(kRecords, size);
  while (words.size() >= kRecordElements && words[kRecordSite]) {
    uint32_t site = words[kRecordSite] - 1;
    if (site >= sites.sites.size() || !sites.sites[site].isPrint) {
      problem = unknownSite(site, sites);
      break;
    }
    const Site &print = sites.sites[site];
    uint64_t needed = kRecordElements + print.elements() * print.words();
    if (needed > words.size())
      break; // it did not fit
    records.push_back({programAt(words.data() + kRecordProgram),
                       words[kRecordSequence], site,
                       words.data() + kRecordElements});
    words = words.subspan(needed);
  }
  return records;
}

static uint32_t bytesOf(std::string_view type) {
  if (type == "i1" || type.ends_with("8"))
    return 1;
  if (type.ends_with("16"))
    return 2;
  return type.ends_with("32") ? 4 : 8;
}

static std::string formatRecord(const Record &record, const Site &site) {
  // Elements as they are in memory, from whole words.
  uint64_t count = site.elements();
  uint32_t bytes = bytesOf(site.type);
  std::string data(count * bytes, '\0');
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(data.data() + i * bytes, record.elements + i * site.words(),
                bytes);
  return plugin::formatPrint(
      {{record.program[2], record.program[1], record.program[0]},
       site.text,
       site.type,
       site.isHex,
       site.shape,
       data.data(),
       count});
}

LaunchReport readServices(const PendingReport &report) {
  const KernelSites &sites = *report.sites;
  // A copy of what was written: a kernel that still runs must not change what
  // was checked.
  std::vector<uint32_t> words(kRecords);
  std::memcpy(words.data(), report.block, kRecords * sizeof(uint32_t));
  uint64_t capacity = report.size / sizeof(uint32_t) - kRecords;
  uint64_t used = std::min<uint64_t>(words[kCursor], capacity);
  words.resize(kRecords + used);
  std::memcpy(words.data() + kRecords,
              report.block + kRecords * sizeof(uint32_t),
              used * sizeof(uint32_t));

  LaunchReport out;
  out.fault = readFaults(words, sites);
  out.dropped = words[kDropped];
  std::string problem;
  std::vector<Record> records = readRecords(words, sites, problem);
  if (out.fault.empty())
    out.fault = problem;
  std::sort(records.begin(), records.end(),
            [](const Record &x, const Record &y) {
              return std::tie(x.program, x.sequence, x.site) <
                     std::tie(y.program, y.sequence, y.site);
            });
  for (const Record &record : records)
    out.lines += formatRecord(record, sites.sites[record.site]);
  return out;
}

} // namespace nereid::vulkan
