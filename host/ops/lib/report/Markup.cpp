// Markup.cpp - writes HTML and SVG.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "report/Markup.h"
#include "text/EscapeForTerminal.h"

#include <array>
#include <charconv>
#include <cmath>

namespace nereid::ops {

std::string escapeMarkup(std::string_view text) {
  std::string escaped;
  // Control characters and what is not UTF-8 have no place in XML either.
  for (char c : escapeForTerminal(text))
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  return escaped;
}

std::string shorten(std::string_view text, size_t limit) {
  size_t characters = 0, end = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    bool isStart = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (isStart && ++characters == limit)
      end = i;
    if (characters > limit)
      return std::string(text.substr(0, end)) + "\xe2\x80\xa6";
  }
  return std::string(text);
}

std::string numberText(double number) {
  std::array<char, 64> text;
  // From 1000 on, digits instead of an exponent.
  bool isLarge = std::abs(number) >= 999.5 && std::abs(number) < 1e15;
  auto [end, error] =
      isLarge ? std::to_chars(text.data(), text.data() + text.size(), number,
                              std::chars_format::fixed, 0)
              : std::to_chars(text.data(), text.data() + text.size(), number,
                              std::chars_format::general, 3);
  return {text.data(), error == std::errc() ? end : text.data()};
}

std::string timeText(double nanoseconds) {
  static constexpr std::array<const char *, 3> units = {" ns", " us", " ms"};
  for (const char *unit : units) {
    if (nanoseconds < 999.5)
      return numberText(nanoseconds) + unit;
    nanoseconds /= 1000;
  }
  return numberText(nanoseconds) + " s";
}

// ---------------------------------------------------------------------- table

HtmlTable::HtmlTable(const std::string &caption,
                     const std::vector<std::string> &heads) {
  text = "<table><caption>" + escapeMarkup(caption) + "</caption><thead><tr>";
  for (const std::string &head : heads)
    text += "<th scope=\"col\">" + escapeMarkup(head) + "</th>";
  text += "</tr></thead><tbody>\n";
}

void HtmlTable::add(const std::vector<std::string> &cells) {
  text += "<tr>";
  for (size_t i = 0; i < cells.size(); ++i)
    text += i ? "<td>" + escapeMarkup(cells[i]) + "</td>"
              : "<th scope=\"row\">" + escapeMarkup(cells[i]) + "</th>";
  text += "</tr>\n";
}

std::string HtmlTable::html() const { return text + "</tbody></table>\n"; }

// -------------------------------------------------------------------- drawing

// A tenth of a pixel is enough.
static std::string pixels(double value) {
  std::array<char, 64> text;
  auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(),
                    std::round(value * 10) / 10, std::chars_format::fixed, 1);
  std::string digits(text.data(), error == std::errc() ? end : text.data());
  if (digits.ends_with(".0"))
    digits.resize(digits.size() - 2);
  return digits;
}

static std::string attribute(std::string_view name, std::string_view value) {
  return ' ' + std::string(name) + "=\"" + escapeMarkup(value) + '"';
}

static std::string attribute(std::string_view name, double value) {
  return attribute(name, pixels(value));
}

void Drawing::rect(double x, double y, double w, double h,
                   std::string_view style, double opacity) {
  parts += "<rect" + attribute("x", x) + attribute("y", y) +
           attribute("width", w) + attribute("height", h) +
           attribute("class", style);
  if (opacity < 1)
    parts += attribute("fill-opacity", numberText(opacity));
  parts += "/>\n";
}

void Drawing::line(double x1, double y1, double x2, double y2,
                   std::string_view style) {
  parts += "<line" + attribute("x1", x1) + attribute("y1", y1) +
           attribute("x2", x2) + attribute("y2", y2) +
           attribute("class", style) + "/>\n";
}

void Drawing::path(const std::vector<std::pair<double, double>> &points,
                   std::string_view style) {
  std::string list;
  for (auto [x, y] : points)
    list += (list.empty() ? "" : " ") + pixels(x) + ',' + pixels(y);
  parts += "<polyline" + attribute("points", list) + attribute("class", style) +
           "/>\n";
}

void Drawing::marker(double x, double y, size_t shape, std::string_view style) {
  if (shape % 3 == 0)
    parts += "<circle" + attribute("cx", x) + attribute("cy", y) +
             attribute("r", 3.5) + attribute("class", style) + "/>\n";
  else if (shape % 3 == 1)
    rect(x - 3, y - 3, 6, 6, style);
  else
    parts += "<polygon" +
             attribute("points", pixels(x) + ',' + pixels(y - 4) + ' ' +
                                     pixels(x + 4) + ',' + pixels(y + 3) + ' ' +
                                     pixels(x - 4) + ',' + pixels(y + 3)) +
             attribute("class", style) + "/>\n";
}

void Drawing::text(double x, double y, std::string_view anchor,
                   std::string_view content, std::string_view style) {
  if (content.empty())
    return;
  parts += "<text" + attribute("x", x) + attribute("y", y) +
           attribute("text-anchor", anchor);
  if (!style.empty())
    parts += attribute("class", style);
  parts += '>' + escapeMarkup(content) + "</text>\n";
}

std::string Drawing::figure(const std::string &id, const std::string &title,
                            const std::string &description,
                            const HtmlTable &table) const {
  return "<figure>\n<figcaption>" + escapeMarkup(title) +
         "</figcaption>\n<svg" +
         attribute("viewBox", "0 0 " + pixels(width) + ' ' + pixels(height)) +
         attribute("width", width) + attribute("height", height) +
         " role=\"img\"" +
         attribute("aria-labelledby", id + "-title " + id + "-text") +
         ">\n<title" + attribute("id", id + "-title") + '>' +
         escapeMarkup(title) + "</title>\n<desc" +
         attribute("id", id + "-text") + '>' + escapeMarkup(description) +
         "</desc>\n" + parts +
         "</svg>\n<details><summary>The numbers</summary>\n" + table.html() +
         "</details>\n</figure>\n";
}

// ---------------------------------------------------------------------- scale

Scale::Scale(double least, double most, double from, double to)
    : least(least), most(most), from(from), to(to), isLogarithmic(least > 0) {
  if (least == most) {
    this->least = isLogarithmic ? least / 2 : least - 1;
    this->most = isLogarithmic ? most * 2 : most + 1;
  }
}

double Scale::operator()(double value) const {
  double part = isLogarithmic ? std::log(value / least) / std::log(most / least)
                              : (value - least) / (most - least);
  return from + part * (to - from);
}

std::vector<double> Scale::ticks(bool isBinary) const {
  std::vector<double> found;
  if (!isLogarithmic) {
    double step = std::pow(10, std::floor(std::log10(most - least)));
    for (double value = std::ceil(least / step) * step; value <= most;
         value += step)
      found.push_back(value);
  } else if (isBinary) {
    int first = static_cast<int>(std::ceil(std::log2(least) - 1e-9));
    int last = static_cast<int>(std::floor(std::log2(most) + 1e-9));
    int step = std::max(1, (last - first) / 8 + 1);
    for (int power = first; power <= last; power += step)
      found.push_back(std::exp2(power));
  } else {
    bool isWide = most / least > 1000;
    for (int power = static_cast<int>(std::floor(std::log10(least)));
         power <= static_cast<int>(std::ceil(std::log10(most))); ++power)
      for (double digit : {1.0, 2.0, 5.0})
        if (double value = digit * std::pow(10, power);
            value >= least && value <= most && (digit == 1 || !isWide))
          found.push_back(value);
  }
  // A range between two round values has none.
  if (found.empty())
    found = {least, most};
  return found;
}

} // namespace nereid::ops
