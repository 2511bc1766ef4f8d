// Pytorch.cpp - the files of PyTorch's TunableOp.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Key.h"
#include "store/formats/TunableOp.h"

#include <set>

namespace nereid::ops {

// The compiler that stands for this tuner.
static constexpr std::string_view pytorchPlugin = "pytorch";

// The first \p count fields of a line; the last one has the rest. PyTorch does
// not quote.
static std::vector<std::string> split(std::string_view line, size_t count) {
  std::vector<std::string> fields;
  while (fields.size() + 1 < count) {
    size_t comma = line.find(',');
    if (comma == line.npos)
      break;
    fields.emplace_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  fields.emplace_back(line);
  return fields;
}

static void readPytorchLine(std::string_view line, size_t number,
                            const Validators &validators,
                            const std::string &origin, Mistakes &mistakes,
                            Results &results) {
  // operator, parameters, solution, milliseconds, and since PyTorch 2.6 the
  // parameters in words.
  std::vector<std::string> fields = split(line, 5);
  if (fields.size() < 3 || fields[0].empty() || fields[1].empty() ||
      fields[2].empty())
    return mistakes.add(number,
                        "expected 'operator,parameters,solution,milliseconds'");
  TunedResult result = foreignResult(pytorchPlugin, fields[0], fields[1]);
  if (fields.size() > 3) {
    std::optional<double> time = nanosecondsOf(fields[3]);
    if (!time)
      return mistakes.add(number,
                          "'" + fields[3] + "' is not a time in milliseconds");
    result.median = *time;
  }
  if (fields.size() > 4)
    result.note = fields[4];
  result.compiler.release = valueOr(validators, "PT_VERSION");
  result.compiler.dependencies = origin;
  result.device.architecture = valueOr(validators, "GCN_ARCH_NAME");
  result.device.driver = valueOr(validators, "ROCM_VERSION");
  // Text that is not UTF-8 would not make a key.
  std::string solution = fields[2];
  try {
    result.key = nlohmann::json{{"params", fields[1]}}.dump();
    result.configuration = nlohmann::json{{"solution", solution}}.dump();
  } catch (const nlohmann::json::exception &) {
    return mistakes.add(number, "not UTF-8 text");
  }
  if (Outcome checked = normalize(result); !checked)
    return mistakes.add(number, checked.failure().text);
  results.push_back(std::move(result));
}

void importPytorch(std::string_view text, Mistakes &mistakes,
                   Results &results) {
  std::vector<std::pair<size_t, std::string_view>> lines;
  Validators validators;
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.empty())
      continue;
    if (!line.starts_with("Validator,")) {
      lines.emplace_back(number, line);
      continue;
    }
    std::vector<std::string> fields = split(line, 3);
    if (fields.size() < 3 || fields[1].empty())
      mistakes.add(number, "expected 'Validator,name,value'");
    else if (!validators.emplace(fields[1], fields[2]).second)
      mistakes.add(number, "validator '" + fields[1] + "' is there twice");
  }
  std::string origin =
      canonicalObject(nlohmann::json{{"validators", validators}});
  for (const auto &[number, line] : lines)
    readPytorchLine(line, number, validators, origin, mistakes, results);
}

host::Result<Exported> exportPytorch(const Results &results) {
  Exported out;
  std::set<std::string> origins;
  std::string lines;
  for (const TunedResult *result : bestFirst(results)) {
    std::string parameters;
    nlohmann::json solution;
    if (!parametersOf(*result, pytorchPlugin, parameters, solution) ||
        !solution.is_string()) {
      ++out.leftOut;
      continue;
    }
    ++out.written;
    origins.insert(result->compiler.dependencies);
    lines += result->operatorName + ',' + parameters + ',' +
             solution.get<std::string>() + ',' +
             millisecondsText(result->median) +
             (result->note.empty() ? "" : ',' + result->note) + '\n';
  }
  // PyTorch checks them, so they must be true of all lines.
  if (origins.size() > 1)
    return host::Failure{
        NEREID_INVALID_ARGUMENT,
        "results of " + std::to_string(origins.size()) +
            " different sets of validators do not fit into one file "
            "of PyTorch\nnote: import each of them into a store of "
            "its own"};
  for (const std::string &origin : origins) {
    nlohmann::json set = nlohmann::json::parse(origin, nullptr, false);
    if (set.is_object() && set.contains("validators"))
      for (const auto &[name, value] : set["validators"].items())
        if (value.is_string())
          out.text +=
              "Validator," + name + ',' + value.get<std::string>() + '\n';
  }
  out.text += lines;
  return out;
}

} // namespace nereid::ops
