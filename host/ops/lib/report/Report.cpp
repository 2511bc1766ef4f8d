// Report.cpp - the page.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Report.h"
#include "report/Figures.h"
#include "report/Labels.h"
#include "report/Markup.h"
#include "store/Places.h"

#include <algorithm>
#include <map>
#include <set>

namespace nereid::ops {

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
} // namespace

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
    if (auto chart = timeChart(id + "a", name, places, of))
      page.add(*chart);
    // The shape with the most configurations shows the landscape best.
    const Place *richest = *std::max_element(
        of.begin(), of.end(), [&](const Place *a, const Place *b) {
          return places.at(*a).size() < places.at(*b).size();
        });
    if (auto map = configurationMap(id + "b", *richest, places.at(*richest)))
      page.add(*map);
  }
}

std::string reportHtml(const Report &report) {
  Page page(head(report));
  page.add(summary(report));
  if (!report.beforeName.empty()) {
    page.heading("Difference");
    page.add(differenceFigure(report));
  }
  if (!report.rows.empty()) {
    page.heading("Coverage");
    page.add(coverageFigure(report.rows));
  }
  addOperators(page, placesOf(report.rows));
  return page.finish();
}

} // namespace nereid::ops
