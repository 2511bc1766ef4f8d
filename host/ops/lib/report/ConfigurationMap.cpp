// ConfigurationMap.cpp - the times of configurations by two of their values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Figures.h"
#include "report/Labels.h"
#include "report/Markup.h"
#include "store/Key.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

namespace nereid::ops {

using Json = nlohmann::ordered_json;

namespace {
/// The two values of configurations that vary most, and the best times by them.
struct ConfigurationMap {
  std::array<std::string, 2> names;
  // The values as JSON, sorted as numbers where they are.
  std::array<std::vector<std::string>, 2> values;
  std::map<std::pair<std::string, std::string>, const TunedResult *> best;
  double fastest = std::numeric_limits<double>::infinity();
};
} // namespace

static bool isLess(const std::string &a, const std::string &b) {
  Json left = Json::parse(a, nullptr, false);
  Json right = Json::parse(b, nullptr, false);
  if (left.is_number() && right.is_number())
    return left.get<double>() < right.get<double>();
  return a < b;
}

static std::optional<ConfigurationMap>
mapOf(const Configurations &configurations) {
  std::map<std::string, std::set<std::string>> values;
  std::vector<std::pair<const TunedResult *, Json>> rows;
  for (const auto &[name, row] : configurations) {
    if (!row->isOk() || row->median == 0)
      continue;
    Json configuration = Json::parse(row->configuration, nullptr, false);
    if (!row->variant.empty())
      configuration["variant"] = row->variant;
    for (const auto &[member, value] : configuration.items())
      values[member].insert(value.dump());
    rows.emplace_back(row, std::move(configuration));
  }
  ConfigurationMap map;
  for (std::string &name : map.names) {
    size_t most = 1;
    for (const auto &[candidate, found] : values)
      if (found.size() > most && candidate != map.names[0]) {
        most = found.size();
        name = candidate;
      }
  }
  if (map.names[0].empty())
    return std::nullopt;
  for (const auto &[row, configuration] : rows) {
    std::array<std::string, 2> cell;
    for (size_t i = 0; i < 2; ++i)
      if (auto value = configuration.find(map.names[i]);
          value != configuration.end())
        cell[i] = value->dump();
    const TunedResult *&best = map.best[{cell[0], cell[1]}];
    if (!best || row->median < best->median)
      best = row;
    map.fastest = std::min(map.fastest, row->median);
  }
  for (const auto &[cell, row] : map.best) {
    std::array<const std::string *, 2> pair = {&cell.first, &cell.second};
    for (size_t i = 0; i < 2; ++i)
      if (auto &list = map.values[i];
          std::find(list.begin(), list.end(), *pair[i]) == list.end())
        list.push_back(*pair[i]);
  }
  for (auto &list : map.values)
    std::sort(list.begin(), list.end(), isLess);
  return map;
}

static std::string mapFigure(const std::string &id, const Place &place,
                             ConfigurationMap map) {
  size_t leftOut = 0;
  for (size_t i = 0; i < 2; ++i) {
    size_t limit = i ? columnLimit : rowLimit / 2;
    leftOut += map.values[i].size() - std::min(limit, map.values[i].size());
    map.values[i].resize(std::min(limit, map.values[i].size()));
  }
  constexpr double left = 130, top = 44, wide = 68, high = 26;
  double width = left + wide * static_cast<double>(map.values[1].size()) + 20;
  double height = top + high * static_cast<double>(map.values[0].size()) + 10;
  Drawing drawing(std::max(width, 360.0), height);
  const std::string &down = map.names[0], &across = map.names[1];
  drawing.text(left - 8, top - 10, "end", shorten(down, 16));
  drawing.text(left, 16, "start", shorten(across, 30));
  HtmlTable table("Best time for each pair of values",
                  {down, across.empty() ? "-" : across, "Time",
                   "Times the best", "Configuration"});
  for (size_t column = 0; column < map.values[1].size(); ++column)
    drawing.text(left + wide * (static_cast<double>(column) + 0.5), top - 10,
                 "middle", shorten(map.values[1][column], 9), "faint");
  for (size_t row = 0; row < map.values[0].size(); ++row) {
    double y = top + high * static_cast<double>(row);
    drawing.text(left - 8, y + 17, "end", shorten(map.values[0][row], 16),
                 "faint");
    for (size_t column = 0; column < map.values[1].size(); ++column) {
      double x = left + wide * static_cast<double>(column);
      auto found = map.best.find({map.values[0][row], map.values[1][column]});
      if (found == map.best.end()) {
        drawing.rect(x + 1, y + 1, wide - 2, high - 2, "hole");
        continue;
      }
      double ratio = found->second->median / map.fastest;
      // Fast is bright; text stays readable on half of the colour.
      drawing.rect(x + 1, y + 1, wide - 2, high - 2, "heat",
                   std::clamp(0.55 / (ratio * ratio), 0.03, 0.55));
      if (ratio == 1)
        drawing.rect(x + 2, y + 2, wide - 4, high - 4, "box");
      drawing.text(x + wide / 2, y + 17, "middle", numberText(ratio));
      table.add({map.values[0][row], map.values[1][column],
                 timeText(found->second->median), numberText(ratio),
                 shorten(configurationText(*found->second), nameLimit)});
    }
  }
  std::string title = std::string(place.operatorName) + ' ' +
                      objectText(place.key) + " on " + deviceText(place);
  return drawing.figure(
      id, shorten(title, 100),
      "Time of the best configuration for each " + down +
          (across.empty() ? "" : " and " + across) +
          ", as a multiple of the best of all, which has a frame; dashed: not "
          "measured" +
          leftOutText(leftOut, "values"),
      table);
}

std::optional<std::string>
configurationMap(const std::string &id, const Place &place,
                 const Configurations &configurations) {
  std::optional<ConfigurationMap> map = mapOf(configurations);
  if (!map)
    return std::nullopt;
  return mapFigure(id, place, std::move(*map));
}

} // namespace nereid::ops
