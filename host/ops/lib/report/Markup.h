// Markup.h - pieces of a page: escaped text, tables, drawings, axes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_REPORT_MARKUP_H
#define NEREID_OPS_REPORT_MARKUP_H

#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

/// \p text as content or as the value of an attribute.
std::string escapeMarkup(std::string_view text);

/// At most \p limit characters, the last of them an ellipsis if it was longer.
std::string shorten(std::string_view text, size_t limit);

/// "12.3 us"
std::string timeText(double nanoseconds);
/// Three significant digits.
std::string numberText(double number);

/// A table with a caption; the first column heads its rows.
class HtmlTable {
public:
  HtmlTable(const std::string &caption, const std::vector<std::string> &heads);
  void add(const std::vector<std::string> &cells);
  std::string html() const;

private:
  std::string text;
};

/// A drawing whose parts are given from back to front. Classes are those of the
/// page's style.
class Drawing {
public:
  Drawing(double width, double height) : width(width), height(height) {}

  void rect(double x, double y, double w, double h, std::string_view style,
            double opacity = 1);
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void path(const std::vector<std::pair<double, double>> &points,
            std::string_view style);
  /// One of several shapes, so that colour is not the only difference.
  void marker(double x, double y, size_t shape, std::string_view style);
  /// \p anchor: "start", "middle" or "end".
  void text(double x, double y, std::string_view anchor,
            std::string_view content, std::string_view style = {});

  /// The drawing and its table in a figure.
  std::string figure(const std::string &id, const std::string &title,
                     const std::string &description,
                     const HtmlTable &table) const;

private:
  double width, height;
  std::string parts;
};

/// Maps values to places, by their logarithm if they are all positive.
class Scale {
public:
  Scale(double least, double most, double from, double to);
  double operator()(double value) const;
  /// A few round values within the range.
  std::vector<double> ticks(bool isBinary) const;

private:
  double least, most, from, to;
  bool isLogarithmic;
};

} // namespace nereid::ops

#endif // NEREID_OPS_REPORT_MARKUP_H
