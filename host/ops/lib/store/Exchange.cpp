// Exchange.cpp - reads and writes files of tuned results.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Exchange.h"
#include "store/JsonTree.h"
#include "store/formats/Formats.h"
#include "text/Suggestions.h"

namespace nereid::ops {

using host::Failure;
using host::Result;

const std::vector<std::string> &formatNames() {
  static const std::vector<std::string> names = {"json", "ort", "pytorch"};
  return names;
}

void Mistakes::add(size_t line, const std::string &text) {
  if (++count <= limit)
    lines += (lines.empty() ? "" : "\n") + std::string(name) + ": line " +
             std::to_string(line) + ": " + text;
}

Failure Mistakes::failure() const {
  std::string text = lines;
  if (count > limit)
    text += "\nnote: " + std::to_string(count - limit) + " more";
  return {NEREID_INVALID_ARGUMENT, text};
}

static Failure unknownFormat(std::string_view format) {
  return {NEREID_INVALID_ARGUMENT, "unknown format '" + std::string(format) +
                                       "'" +
                                       suggestNames(format, formatNames())};
}

Result<Exported> exportResults(const Results &results,
                               std::string_view format) {
  if (format == "json")
    return exportJson(results);
  if (format == "ort")
    return exportOrt(results);
  if (format == "pytorch")
    return exportPytorch(results);
  return unknownFormat(format);
}

// Our JSON is an object, that of ONNX Runtime an array.
static std::string_view recognize(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  char start = first == text.npos ? ' ' : text[first];
  return start == '{' ? "json" : start == '[' ? "ort" : "pytorch";
}

Result<Results> importResults(std::string_view text, std::string_view format,
                              std::string_view name) {
  if (format.empty())
    format = recognize(text);
  Results results;
  Mistakes mistakes(name);
  if (format == "pytorch") {
    importPytorch(text, mistakes, results);
  } else if (format == "json" || format == "ort") {
    Result<JsonTree> root = parseJsonTree(text);
    if (!root)
      return Failure{NEREID_INVALID_ARGUMENT,
                     std::string(name) + ": " + root.failure().text};
    if (format == "json")
      importJson(*root, mistakes, results);
    else
      importOrt(*root, mistakes, results);
  } else {
    return unknownFormat(format);
  }
  if (mistakes)
    return mistakes.failure();
  return results;
}

} // namespace nereid::ops
