// Profile.cpp - samples by place.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "profile/Profile.h"

#include "Text.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace nereid::tool {

Profile::Profile(const std::vector<uintptr_t> &addresses,
                 std::string_view kernelImage)
    : total(addresses.size()) {
  SourceLines lines(kernelImage);
  hasLines = lines.hasLibrary();
  std::map<CodePlace, uint64_t> places;
  for (uintptr_t address : addresses)
    ++places[lines.find(address)];
  for (const auto &[place, samples] : places)
    rows.push_back({place, samples});
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
    return std::tie(b.samples, a.place) < std::tie(a.samples, b.place);
  });
}

std::string Profile::text() const {
  Table table({"time", "object", "function", "line"});
  table.alignRight(0);
  for (const Row &row : rows) {
    double share =
        100 * static_cast<double>(row.samples) / static_cast<double>(total);
    if (share < 1)
      break;
    std::string line = row.place.file;
    if (!line.empty() && row.place.line)
      line += ':' + std::to_string(row.place.line);
    table.add(
        {threeDigits(share) + "%", row.place.object, row.place.function, line});
  }
  std::string text = '\n' + countText(total, "sample") +
                     " of processor time, places from 1% up\n" + table.text();
  if (!hasLines)
    text += "no source lines: this machine has no libdw.so.1 (elfutils)\n";
  return text;
}

Json Profile::json() const {
  Json places = Json::array();
  for (const auto &[place, samples] : rows)
    places.push_back({{"object", place.object},
                      {"function", place.function},
                      {"file", place.file},
                      {"line", place.line},
                      {"samples", samples}});
  return {{"samples", total}, {"has_lines", hasLines}, {"places", places}};
}

} // namespace nereid::tool
