// Report.cpp - the page and its figures.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Report.h"
#include "report/Markup.h"
#include "store/Key.h"
#include "store/Merge.h"
#include "store/Places.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace nereid::ops {

using Json = nlohmann::ordered_json;

// How much of one kind a figure shows.
static constexpr size_t seriesLimit = 6;
static constexpr size_t columnLimit = 12;
static constexpr size_t rowLimit = 40;
static constexpr size_t changeLimit = 40;
static constexpr size_t nameLimit = 48;

static constexpr std::string_view style = R"css(
:root{color-scheme:light dark;--page:#fff;--ink:#1c1c1c;--faint:#6a6a6a;
--rule:#c8c8c8;--c0:#0060a8;--c1:#b34700;--c2:#00704a;--c3:#8a3f7a;--c4:#7a5b00;
--c5:#444;--good:#0a7a50;--bad:#b3261e;--heat:#e08a00}
@media (prefers-color-scheme:dark){:root{--page:#141414;--ink:#ececec;
--faint:#a8a8a8;--rule:#4a4a4a;--c0:#6cb6ff;--c1:#ff9e64;--c2:#5fd3a2;--c3:#dba0d0;
--c4:#e0c060;--c5:#ccc;--good:#4fce99;--bad:#ff8a80;--heat:#b36b00}}
body{margin:2rem auto;max-width:60rem;padding:0 1rem;background:var(--page);
color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
figure{margin:1.5rem 0}figcaption{font-weight:600}
svg{max-width:100%;height:auto;font-size:12px}svg text{fill:var(--ink)}
svg text.faint{fill:var(--faint)}
.rule{stroke:var(--rule);fill:none}.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}
.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}.s5{stroke:var(--c5)}
polyline{fill:none;stroke-width:2}.s1,.s4{stroke-dasharray:6 3}.s2,.s5{stroke-dasharray:2 3}
.m0{fill:var(--c0)}.m1{fill:var(--c1)}.m2{fill:var(--c2)}.m3{fill:var(--c3)}
.m4{fill:var(--c4)}.m5{fill:var(--c5)}.heat{fill:var(--heat)}.good{fill:var(--good)}
.bad{fill:var(--bad)}.hole{fill:none;stroke:var(--rule);stroke-dasharray:3 3}
.box{fill:none;stroke:var(--ink);stroke-width:2}
table{border-collapse:collapse;font-size:.875rem}caption{text-align:left;color:var(--faint)}
th,td{border-bottom:1px solid var(--rule);padding:.2rem .8rem .2rem 0;text-align:left;
font-weight:400;overflow-wrap:anywhere}thead th{font-weight:600}
)css";

namespace {
/// The page, which never grows beyond its limit.
class Page {
public:
  explicit Page(std::string head) : text(std::move(head)) {}

  void heading(const std::string &title) {
    pending = "<h2>" + escapeMarkup(title) + "</h2>\n";
  }
  /// Adds a piece, and the heading before it, or counts it as left out.
  void add(const std::string &piece) {
    if (text.size() + pending.size() + piece.size() + reserve > reportLimit) {
      ++leftOut;
      return;
    }
    text += pending + piece;
    pending.clear();
  }
  std::string finish() {
    if (leftOut)
      text += "<p>" + std::to_string(leftOut) +
              " more figures or tables are left out to keep this file "
              "small; 'nereid tune list' has all results.</p>\n";
    return std::move(text) + "</main>\n</body>\n</html>\n";
  }

private:
  static constexpr size_t reserve = 1000; // for the end
  std::string text, pending;
  size_t leftOut = 0;
};

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

static std::string leftOutText(size_t count, const char *what) {
  return count
             ? "; " + std::to_string(count) + " more " + what + " are left out"
             : "";
}

static std::string deviceText(const Place &place) {
  std::string text(place.deviceArchitecture);
  if (!place.deviceName.empty())
    text += (text.empty() ? "" : ", ") + std::string(place.deviceName);
  return text.empty() ? "unknown device" : text;
}

// A label of at most 58 characters, in which neither part hides the other.
static std::string shapeText(std::string_view name, std::string_view shape) {
  return shorten(name, 23) + ' ' + shorten(shape, 34);
}

static std::string configurationText(const TunedResult &result) {
  std::string text = result.variant;
  std::string values = objectText(result.configuration);
  if (!text.empty() && !values.empty())
    text += ' ';
  return text + values;
}

// -------------------------------------------------------------------- summary

static std::string summary(const Report &report) {
  std::set<std::string_view> operators, keys, devices;
  std::map<std::string_view, size_t> statuses;
  for (const TunedResult &row : report.rows) {
    operators.insert(row.operatorName);
    devices.insert(row.device.architecture);
    ++statuses[row.status];
  }
  std::set<std::pair<std::string_view, std::string_view>> shapes;
  for (const TunedResult &row : report.rows)
    shapes.insert({row.operatorName, row.key});
  HtmlTable table("What the store has", {"What", "How many"});
  table.add({"results", std::to_string(report.rows.size())});
  table.add({"operators", std::to_string(operators.size())});
  table.add({"shapes", std::to_string(shapes.size())});
  table.add({"architectures", std::to_string(devices.size())});
  for (const auto &[status, count] : statuses)
    table.add({"results that are '" + std::string(status) + "'",
               std::to_string(count)});
  return table.html();
}

// ----------------------------------------------------------- time over shape

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

// ------------------------------------------------------ map of configurations

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

// ------------------------------------------------------------------- coverage

static std::string coverage(const std::vector<TunedResult> &rows) {
  // By operator and bucket, then by architecture.
  std::map<std::pair<std::string_view, std::string_view>,
           std::map<std::string_view, std::vector<const TunedResult *>>>
      shapes;
  std::set<std::string_view> all;
  for (const TunedResult &row : rows) {
    shapes[{row.operatorName, row.bucket}][row.device.architecture].push_back(
        &row);
    all.insert(row.device.architecture);
  }
  std::vector<std::string_view> columns(all.begin(), all.end());
  size_t leftOut = columns.size() - std::min(columnLimit, columns.size());
  columns.resize(std::min(columnLimit, columns.size()));
  size_t rowsLeftOut = shapes.size() - std::min(rowLimit, shapes.size());
  constexpr double left = 420, top = 34, wide = 84, high = 22;
  size_t count = std::min(rowLimit, shapes.size());
  Drawing drawing(left + wide * static_cast<double>(columns.size()) + 10,
                  top + high * static_cast<double>(count) + 8);
  HtmlTable table("Best time for each shape and architecture",
                  {"Operator", "Shape", "Architecture", "State", "Time"});
  for (size_t column = 0; column < columns.size(); ++column)
    drawing.text(
        left + wide * (static_cast<double>(column) + 0.5), 22, "middle",
        columns[column].empty() ? "unknown" : shorten(columns[column], 12),
        "faint");
  size_t row = 0;
  for (const auto &[shape, cells] : shapes) {
    if (row == count)
      break;
    double y = top + high * static_cast<double>(row++);
    std::string text = objectText(shape.second);
    drawing.text(left - 8, y + 15, "end", shapeText(shape.first, text));
    for (size_t column = 0; column < columns.size(); ++column) {
      double x = left + wide * static_cast<double>(column);
      auto cell = cells.find(columns[column]);
      std::string state = "hole", shown = "none";
      if (cell != cells.end()) {
        const TunedResult *best = nullptr;
        for (const TunedResult *result : cell->second)
          if (result->isOk() && result->median > 0 &&
              (!best || result->median < best->median))
            best = result;
        bool isAnyOk = std::any_of(
            cell->second.begin(), cell->second.end(),
            [](const TunedResult *result) { return result->isOk(); });
        state = isAnyOk ? "tuned" : "only failures";
        shown = best ? timeText(best->median) : isAnyOk ? "no time" : "failed";
      }
      if (state == "hole")
        drawing.rect(x + 1, y + 1, wide - 2, high - 2, "hole");
      else
        drawing.rect(x + 1, y + 1, wide - 2, high - 2,
                     state == "tuned" ? "good" : "bad", 0.25);
      drawing.text(x + wide / 2, y + 15, "middle", shown,
                   state == "hole" ? "faint" : "");
      table.add({std::string(shape.first), shorten(text, nameLimit),
                 std::string(columns[column]), state, shown});
    }
  }
  return drawing.figure(
      "coverage", "Coverage by shape and architecture",
      "The best time for each operator and shape, of each architecture; dashed "
      "cells are holes" +
          leftOutText(leftOut, "architectures") +
          leftOutText(rowsLeftOut, "shapes"),
      table);
}

// ----------------------------------------------------------------- difference

static std::string sideText(const Json &side) {
  if (!side.is_object())
    return "none";
  std::string text = timeText(side.value("median_ns", 0.0));
  for (const std::string &part :
       {side.value("variant", ""), objectText(side["configuration"].dump())})
    if (!part.empty())
      text += ' ' + part;
  return shorten(text, nameLimit + 10);
}

static std::string difference(const Report &report) {
  Json diff = diffResults(report.before, report.rows);
  HtmlTable counts("Results compared with " + shorten(report.beforeName, 100),
                   {"Verdict", "How many"});
  for (const auto &[verdict, count] : diff["counts"].items())
    counts.add({verdict, std::to_string(count.get<uint64_t>())});

  std::vector<const Json *> winners;
  for (const Json &winner : diff["winners"])
    if (winner.contains("ratio"))
      winners.push_back(&winner);
  auto change = [](const Json *winner) {
    return std::log2((*winner)["ratio"].get<double>());
  };
  std::sort(winners.begin(), winners.end(), [&](const Json *a, const Json *b) {
    return std::abs(change(a)) > std::abs(change(b));
  });
  size_t leftOut = winners.size() - std::min(changeLimit, winners.size());
  winners.resize(std::min(changeLimit, winners.size()));
  if (winners.empty())
    return counts.html();

  double widest = std::max(std::abs(change(winners[0])), 0.1);
  constexpr double middle = 600, reach = 120, high = 22, top = 28;
  Drawing drawing(800, top + high * static_cast<double>(winners.size()) + 8);
  HtmlTable table(
      "Winners before and after",
      {"Operator", "Shape", "Device", "Before", "After", "Ratio", "Verdict"});
  drawing.text(middle - 6, 16, "end", "faster", "faint");
  drawing.text(middle + 6, 16, "start", "slower", "faint");
  for (size_t row = 0; row < winners.size(); ++row) {
    const Json &winner = *winners[row];
    double y = top + high * static_cast<double>(row);
    double size = change(&winner) / widest * reach;
    std::string verdict = winner.value("verdict", "");
    std::string shape = objectText(winner["key"].dump());
    std::string ratio = numberText(winner["ratio"].get<double>());
    drawing.text(middle - reach - 50, y + 15, "end",
                 shapeText(winner.value("operator", ""), shape));
    drawing.rect(std::min(middle, middle + size), y + 4, std::abs(size),
                 high - 8,
                 verdict == "slower"   ? "bad"
                 : verdict == "faster" ? "good"
                                       : "m5");
    drawing.text(middle + size + (size < 0 ? -5 : 5), y + 15,
                 size < 0 ? "end" : "start", ratio);
    table.add({winner.value("operator", ""), shorten(shape, nameLimit),
               winner.value("device_architecture", ""),
               sideText(winner["before"]), sideText(winner["after"]), ratio,
               verdict});
  }
  drawing.line(middle, top, middle,
               top + high * static_cast<double>(winners.size()), "rule");
  return counts.html() +
         drawing.figure("difference", "Winners, time after / time before",
                        "How much faster or slower the winner of each shape "
                        "became, the largest changes first; grey is within the "
                        "noise" +
                            leftOutText(leftOut, "shapes"),
                        table);
}

// ----------------------------------------------------------------------- page

static std::string head(const Report &report) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
         "charset=\"utf-8\"/>\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"/>\n<title>Tuned "
         "results</title>\n<style>" +
         std::string(style) +
         "</style>\n</head>\n<body>\n<main>\n<h1>Tuned "
         "results</h1>\n<p>Store: " +
         escapeMarkup(shorten(report.name, 200)) + "</p>\n";
}

static void addOperators(Page &page, const Places &places) {
  std::map<std::string_view, std::vector<const Place *>> operators;
  for (const auto &[place, configurations] : places)
    operators[place.operatorName].push_back(&place);
  size_t number = 0;
  for (const auto &[name, of] : operators) {
    page.heading(shorten(name, 100));
    std::string id = "f" + std::to_string(number++);
    if (std::optional<std::string> axis = axisOf(of))
      if (Series series = seriesOf(places, of, *axis); isChart(series))
        page.add(chart(id + "a", shorten(name, 60), *axis, std::move(series)));
    // The shape with the most configurations shows the landscape best.
    const Place *richest = *std::max_element(
        of.begin(), of.end(), [&](const Place *a, const Place *b) {
          return places.at(*a).size() < places.at(*b).size();
        });
    if (auto map = mapOf(places.at(*richest)))
      page.add(mapFigure(id + "b", *richest, std::move(*map)));
  }
}

std::string reportHtml(const Report &report) {
  Page page(head(report));
  page.add(summary(report));
  if (!report.beforeName.empty()) {
    page.heading("Difference");
    page.add(difference(report));
  }
  if (!report.rows.empty()) {
    page.heading("Coverage");
    page.add(coverage(report.rows));
  }
  addOperators(page, placesOf(report.rows));
  return page.finish();
}

} // namespace nereid::ops
