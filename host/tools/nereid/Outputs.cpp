// Outputs.cpp - saves, compares and describes a kernel's tensors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Outputs.h"

#include "Files.h"
#include "Npy.h"
#include "Text.h"
#include "text/Suggestions.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace nereid::tool {

// "RTOL,ATOL"
static std::optional<Tolerance> parseTolerance(std::string_view text) {
  size_t comma = text.find(',');
  Tolerance tolerance = {};
  if (comma == text.npos ||
      !storeText(DType::F64, text.substr(0, comma), &tolerance.relative) ||
      !storeText(DType::F64, text.substr(comma + 1), &tolerance.absolute) ||
      !(tolerance.relative >= 0 && tolerance.absolute >= 0))
    return std::nullopt;
  return tolerance;
}

// Where the tolerances start, at a comma: after the name's last ".npy", and in
// a name without, two commas from the end.
static size_t toleranceStart(const std::string &file) {
  static constexpr std::string_view extension = ".npy";
  size_t dot = file.rfind(std::string(extension) + ',');
  if (dot != file.npos)
    return dot + extension.size();
  size_t last = file.ends_with(extension) ? file.npos : file.rfind(',');
  size_t first =
      last == file.npos || last == 0 ? last : file.rfind(',', last - 1);
  return first == file.npos ? last : first;
}

static Expected<OutputRequest> parseOutput(const std::string &option,
                                           const std::string &text) {
  size_t equals = text.find('=');
  bool isExpectation = option == "--expect";
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return invalid(option + " '" + text + "': expected N=FILE.npy" +
                   (isExpectation ? "[,RTOL,ATOL]" : "") +
                   ", N an argument's index or name");
  OutputRequest request{option, text.substr(0, equals), text.substr(equals + 1),
                        std::nullopt};
  if (!isExpectation)
    return request;
  size_t comma = toleranceStart(request.file);
  if (comma == request.file.npos)
    return request;
  std::string numbers = request.file.substr(comma + 1);
  request.tolerance = parseTolerance(numbers);
  if (!request.tolerance)
    return invalid("--expect '" + text + "': the tolerances are '" + numbers +
                   "', expected RTOL,ATOL, two numbers from 0");
  request.file.resize(comma);
  return request;
}

Expected<std::vector<OutputRequest>>
parseOutputs(const std::vector<std::string> &saves,
             const std::vector<std::string> &expectations) {
  std::vector<OutputRequest> requests;
  auto add = [&](const std::string &option,
                 const std::vector<std::string> &texts) -> Expected<void> {
    for (const std::string &text : texts) {
      Expected<OutputRequest> request = parseOutput(option, text);
      if (!request)
        return request.error();
      requests.push_back(std::move(*request));
    }
    return {};
  };
  Expected<void> added = add("--save", saves);
  if (added)
    added = add("--expect", expectations);
  if (!added)
    return added.error();
  return requests;
}

Outputs::Outputs(const Function &function,
                 const std::vector<ArgumentValue> &given)
    : function(function), given(given), arguments(given.size()) {}

Expected<size_t> Outputs::find(const OutputRequest &request) const {
  const std::string &name = request.argument;
  std::vector<std::string> names;
  for (size_t i = 0; i < given.size(); ++i) {
    names.push_back(function.arguments()[i].name);
    if (names.back() != name)
      continue;
    if (!given[i].isTensor)
      return invalid(request.option + ": argument '" + name +
                     "' is a scalar, expected a tensor");
    return i;
  }
  size_t index = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), index);
  bool isIndex = error == std::errc() && end == name.data() + name.size();
  if (!isIndex)
    return invalid(request.option + ": no argument '" + name + "'" +
                   suggestNames(name, names));
  if (index >= given.size())
    return invalid(request.option + ": no argument " + name +
                   ", expected 0 to " + std::to_string(given.size() - 1));
  if (!given[index].isTensor)
    return invalid(request.option + ": argument " + name + " '" + names[index] +
                   "' is a scalar, expected a tensor");
  return index;
}

Expected<void> Outputs::bindExpectation(const OutputRequest &request,
                                        size_t index) {
  const Array &tensor = given[index].array;
  Expected<Array> expected = readNpy(request.file, tensor.type());
  if (!expected)
    return expected.error();
  if (expected->shape() != tensor.shape())
    return invalid(request.file + ": the shape is " +
                   shapeText(expected->shape()) + ", argument " +
                   std::to_string(index) + " has " + shapeText(tensor.shape()));
  Tolerance tolerance =
      request.tolerance.value_or(defaultTolerance(tensor.type()));
  arguments[index].checks.push_back(
      {request.file, std::move(*expected), tolerance, {}});
  return {};
}

Expected<void> Outputs::bind(std::vector<OutputRequest> requests) {
  for (OutputRequest &request : requests) {
    Expected<size_t> index = find(request);
    if (!index)
      return index.error();
    if (!request.isExpectation()) {
      if (Expected<void> checked = checkWritable(request.file); !checked)
        return checked;
      arguments[*index].saves.push_back(std::move(request.file));
    } else if (Expected<void> bound = bindExpectation(request, *index); !bound)
      return bound;
  }
  return {};
}

Expected<void> Outputs::finish(const KernelCall &call) {
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].isTensor)
      continue;
    Expected<Array> now = call.read(i);
    if (!now)
      return now.error();
    arguments[i].isChanged =
        now->size() != 0 &&
        std::memcmp(now->data(), given[i].array.data(), now->size()) != 0;
    for (const std::string &file : arguments[i].saves)
      if (Expected<void> written = writeNpy(file, *now); !written)
        return written;
    for (Check &check : arguments[i].checks)
      check.result = compareArrays(*now, check.expected, check.tolerance);
  }
  return {};
}

bool Outputs::matches() const {
  for (const Argument &argument : arguments)
    for (const Check &check : argument.checks)
      if (!check.result.matches())
        return false;
  return true;
}

std::string Outputs::typeText(size_t index) const {
  const Array &array = given[index].array;
  std::string text(dtypeName(array.type()));
  return given[index].isTensor ? text + shapeText(array.shape()) : text;
}

static std::string checkText(const std::string &file, const Comparison &result,
                             const Shape &shape) {
  std::string errors = " (max abs " + numberText(result.maxAbsolute) +
                       ", max rel " + numberText(result.maxRelative) + ")";
  if (result.matches())
    return "matches " + file + errors;
  return "DIFFERS from " + file + errors + ": " +
         describeMismatch(result, shape);
}

std::string Outputs::text() const {
  Table table({"", "argument", "type", "result"});
  table.alignRight(0);
  for (size_t i = 0; i < given.size(); ++i) {
    std::string number = std::to_string(i);
    std::string name = function.arguments()[i].name;
    const Array &array = given[i].array;
    if (!given[i].isTensor) {
      table.add({number, name, typeText(i),
                 numberText(loadNumber(array.type(), array.data()))});
      continue;
    }
    std::vector<std::string> lines = {arguments[i].isChanged ? "changed"
                                                             : "unchanged"};
    for (const std::string &file : arguments[i].saves)
      lines.push_back("saved as " + file);
    for (const Check &check : arguments[i].checks)
      lines.push_back(checkText(check.file, check.result, array.shape()));
    table.add({number, name, typeText(i), lines.front()});
    for (size_t line = 1; line < lines.size(); ++line)
      table.add({"", "", "", lines[line]});
  }
  return table.text();
}

// JSON has no infinity or NaN.
static Json numberJson(double value) {
  if (std::isfinite(value))
    return value;
  return numberText(value);
}

static Json scalarJson(const Array &scalar) {
  if (isFloat(scalar.type()))
    return numberJson(loadNumber(scalar.type(), scalar.data()));
  return loadInteger(scalar.type(), scalar.data());
}

static Json checkJson(const std::string &file, Tolerance tolerance,
                      const Comparison &result, const Shape &shape) {
  Json json = {{"file", file},
               {"rtol", tolerance.relative},
               {"atol", tolerance.absolute},
               {"matches", result.matches()},
               {"mismatches", result.mismatches},
               {"max_abs", numberJson(result.maxAbsolute)},
               {"max_rel", numberJson(result.maxRelative)}};
  if (!result.matches())
    json["first"] = {{"index", unflatten(shape, result.firstIndex)},
                     {"found", numberJson(result.firstFound)},
                     {"expected", numberJson(result.firstExpected)}};
  return json;
}

Json Outputs::json() const {
  Json list = Json::array();
  for (size_t i = 0; i < given.size(); ++i) {
    const Array &array = given[i].array;
    Json json = {{"index", i},
                 {"name", function.arguments()[i].name},
                 {"dtype", dtypeName(array.type())}};
    if (!given[i].isTensor) {
      json["value"] = scalarJson(array);
      list.push_back(std::move(json));
      continue;
    }
    json["shape"] = array.shape();
    json["changed"] = arguments[i].isChanged;
    json["saved"] = arguments[i].saves;
    json["expected"] = Json::array();
    for (const Check &check : arguments[i].checks)
      json["expected"].push_back(
          checkJson(check.file, check.tolerance, check.result, array.shape()));
    list.push_back(std::move(json));
  }
  return list;
}

} // namespace nereid::tool
