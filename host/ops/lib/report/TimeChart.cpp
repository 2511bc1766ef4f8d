// TimeChart.cpp - the time of winners over a shape.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Figures.h"
#include "report/Labels.h"
#include "report/Markup.h"
#include "store/Key.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace nereid::ops {

using Json = nlohmann::ordered_json;

namespace {
struct Point {
  double x;
  const TunedResult *winner;
};

/// A line of a chart, by its name.
using Series = std::map<std::string, std::vector<Point>>;
} // namespace

static std::string seriesClass(const char *kind, size_t index) {
  return kind + std::to_string(index % seriesLimit);
}

// The number of the keys that has most values, to be the horizontal axis.
static std::optional<std::string>
axisOf(const std::vector<const Place *> &places) {
  std::map<std::string, std::set<double>> values;
  for (const Place *place : places)
    for (const KeyMember &member : membersOf(place->key))
      if (member.isNumber)
        values[member.name].insert(member.number);
  std::optional<std::string> best;
  for (const auto &[name, numbers] : values)
    if (numbers.size() > 1 && (!best || numbers.size() > values[*best].size()))
      best = name;
  return best;
}

// "type=f32"
static std::string memberText(const KeyMember &member) {
  if (member.isNumber)
    return member.name + '=' + numberText(member.number);
  Json value = Json::parse(member.text, nullptr, false);
  return member.name + '=' +
         (value.is_string() ? value.get<std::string>() : member.text);
}

static Series seriesOf(const Places &places,
                       const std::vector<const Place *> &of,
                       const std::string &axis) {
  Series series;
  for (const Place *place : of) {
    const TunedResult *winner = winnerOf(places.at(*place));
    if (!winner || winner->median == 0)
      continue;
    std::string name;
    std::optional<double> x;
    for (const KeyMember &member : membersOf(place->key))
      if (member.name == axis && member.isNumber)
        x = member.number;
      else
        name += memberText(member) + ", ";
    name += deviceText(*place);
    if (!place->protocol.empty())
      name += ", " + std::string(place->protocol);
    if (x)
      series[name].push_back({*x, winner});
  }
  for (auto &[name, points] : series)
    std::sort(points.begin(), points.end(),
              [](const Point &a, const Point &b) { return a.x < b.x; });
  return series;
}

// A lone point is no line.
static bool isChart(const Series &series) {
  return std::any_of(series.begin(), series.end(),
                     [](const auto &line) { return line.second.size() > 1; });
}

// Those with the most points, and how many are left out.
static size_t cut(Series &series) {
  size_t leftOut = 0;
  for (; series.size() > seriesLimit; ++leftOut) {
    auto least = std::min_element(series.begin(), series.end(),
                                  [](const auto &a, const auto &b) {
                                    return a.second.size() < b.second.size();
                                  });
    series.erase(least);
  }
  return leftOut;
}

static void drawAxes(Drawing &drawing, const Scale &x, const Scale &y,
                     const std::string &axis) {
  for (double tick : x.ticks(true)) {
    drawing.line(x(tick), 20, x(tick), 280, "rule");
    drawing.text(x(tick), 296, "middle", numberText(tick), "faint");
  }
  for (double tick : y.ticks(false)) {
    drawing.line(80, y(tick), 620, y(tick), "rule");
    drawing.text(74, y(tick) + 4, "end", timeText(tick), "faint");
  }
  drawing.text(350, 316, "middle", axis);
}

static std::string chart(const std::string &id, std::string_view name,
                         const std::string &axis, Series series) {
  size_t leftOut = cut(series);
  double left = std::numeric_limits<double>::infinity(), low = left;
  double right = -left, high = -left;
  for (const auto &[line, points] : series)
    for (const Point &point : points) {
      left = std::min(left, point.x);
      right = std::max(right, point.x);
      low = std::min(low, point.winner->median);
      high = std::max(high, point.winner->median);
    }
  Scale x(left, right, 90, 610), y(low, high, 272, 28);
  Drawing drawing(700, 330 + 18.0 * static_cast<double>(series.size()));
  drawAxes(drawing, x, y, axis);
  HtmlTable table("Median time of the winner",
                  {"Where", axis, "Time", "Spread", "Configuration"});
  size_t index = 0;
  for (const auto &[line, points] : series) {
    std::vector<std::pair<double, double>> places;
    for (const Point &point : points)
      places.emplace_back(x(point.x), y(point.winner->median));
    drawing.path(places, seriesClass("s", index));
    for (auto [across, up] : places)
      drawing.marker(across, up, index, seriesClass("m", index));
    double legend = 340 + 18.0 * static_cast<double>(index);
    drawing.marker(90, legend - 4, index, seriesClass("m", index));
    drawing.text(102, legend, "start", shorten(line, 84));
    for (const Point &point : points)
      table.add({shorten(line, nameLimit), numberText(point.x),
                 timeText(point.winner->median), timeText(point.winner->spread),
                 shorten(configurationText(*point.winner), nameLimit)});
    ++index;
  }
  return drawing.figure(id, std::string(name) + ": time over " + axis,
                        "Median time of the winning configuration over " +
                            axis +
                            ", both axes logarithmic, one line for "
                            "each device and the rest of the key" +
                            leftOutText(leftOut, "lines"),
                        table);
}

std::optional<std::string> timeChart(const std::string &id,
                                     std::string_view name,
                                     const Places &places,
                                     const std::vector<const Place *> &of) {
  std::optional<std::string> axis = axisOf(of);
  if (!axis)
    return std::nullopt;
  Series series = seriesOf(places, of, *axis);
  if (!isChart(series))
    return std::nullopt;
  return chart(id, shorten(name, 60), *axis, std::move(series));
}

} // namespace nereid::ops
