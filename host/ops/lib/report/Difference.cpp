// Difference.cpp - results compared with those of another store.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Figures.h"
#include "report/Labels.h"
#include "report/Markup.h"
#include "store/Key.h"
#include "store/Merge.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nereid::ops {

using Json = nlohmann::ordered_json;

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

std::string differenceFigure(const Report &report) {
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

} // namespace nereid::ops
