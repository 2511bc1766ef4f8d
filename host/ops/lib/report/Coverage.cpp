// Coverage.cpp - which shapes are tuned where.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Figures.h"
#include "report/Labels.h"
#include "report/Markup.h"
#include "store/Key.h"

#include <algorithm>
#include <map>
#include <set>

namespace nereid::ops {

std::string coverageFigure(const std::vector<TunedResult> &rows) {
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

} // namespace nereid::ops
