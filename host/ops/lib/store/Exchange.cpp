// Exchange.cpp - reads and writes files of tuned results.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Exchange.h"
#include "store/JsonTree.h"
#include "store/Key.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace nereid::ops {

using host::Failure;
using host::Result;
using Json = nlohmann::ordered_json;
using Results = std::vector<TunedResult>;

static constexpr std::string_view formatWord = "nereid-tuned-results";
static constexpr int64_t formatVersion = 1;
// Compilers that stand for the tuners of others.
static constexpr std::string_view ortPlugin = "onnxruntime";
static constexpr std::string_view pytorchPlugin = "pytorch";
static constexpr std::string_view foreignProtocol = "tunable-op";

const std::vector<std::string> &formatNames() {
  static const std::vector<std::string> names = {"json", "ort", "pytorch"};
  return names;
}

namespace {
/// Mistakes in one file.
class Mistakes {
public:
  explicit Mistakes(std::string_view name) : name(name) {}

  void add(size_t line, const std::string &text) {
    if (++count <= limit)
      lines += (lines.empty() ? "" : "\n") + std::string(name) + ": line " +
               std::to_string(line) + ": " + text;
  }
  explicit operator bool() const { return count; }
  Failure failure() const {
    std::string text = lines;
    if (count > limit)
      text += "\nnote: " + std::to_string(count - limit) + " more";
    return {NEREID_INVALID_ARGUMENT, text};
  }

private:
  static constexpr size_t limit = 20;
  std::string_view name;
  std::string lines;
  size_t count = 0;
};
} // namespace

// ------------------------------------------------------------------- our JSON

// Fields that hold the text of an object, and are objects in the file.
static bool isObjectField(std::string_view name) {
  return name == "key_exact" || name == "key_bucket" || name == "configuration";
}

Json rowJson(const TunedResult &result) {
  Json row = Json::object();
  visitFields(result, [&](const char *name, const auto &field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>)
      if (isObjectField(name)) {
        row[name] = Json::parse(field, nullptr, false);
        return;
      }
    row[name] = field;
  });
  return row;
}

static Exported exportJson(const Results &results) {
  Exported out;
  out.text = "{\n\"format\": \"" + std::string(formatWord) +
             "\",\n\"version\": " + std::to_string(formatVersion) +
             ",\n\"results\": [";
  // A line each, so that an error in an edited file is easy to find, and two
  // exports are easy to compare.
  for (const TunedResult &result : results)
    out.text +=
        (out.written++ ? ",\n" : "\n") +
        rowJson(result).dump(-1, ' ', false, Json::error_handler_t::replace);
  out.text += "\n]\n}\n";
  return out;
}

static bool readField(const JsonTree &value, std::string_view name,
                      std::string &field) {
  if (isObjectField(name) && value.isObject()) {
    field = canonicalObject(value.value());
    return true;
  }
  if (!value.isString() || isObjectField(name))
    return false;
  field = value.scalar.get<std::string>();
  return true;
}

static bool readField(const JsonTree &value, std::string_view, bool &field) {
  if (!value.scalar.is_boolean())
    return false;
  field = value.scalar.get<bool>();
  return true;
}

static bool readField(const JsonTree &value, std::string_view, double &field) {
  if (!value.scalar.is_number())
    return false;
  field = value.scalar.get<double>();
  return true;
}

static bool readField(const JsonTree &value, std::string_view, int64_t &field) {
  if (!value.scalar.is_number_integer() ||
      (value.scalar.is_number_unsigned() &&
       value.scalar.get<uint64_t>() > uint64_t(INT64_MAX)))
    return false;
  field = value.scalar.get<int64_t>();
  return true;
}

template <typename Field> static const char *wordFor(std::string_view name) {
  if (isObjectField(name))
    return "an object";
  if (std::is_same_v<Field, std::string>)
    return "a string";
  if (std::is_same_v<Field, bool>)
    return "true or false";
  return std::is_same_v<Field, double> ? "a number" : "an integer";
}

static void readRow(const JsonTree &row, Mistakes &mistakes, Results &results) {
  if (!row.isObject())
    return mistakes.add(row.line, "expected a result, an object");
  TunedResult result;
  std::vector<std::string> names;
  bool isGood = true;
  visitFields(result, [&](const char *name, auto &field) {
    names.emplace_back(name);
    const JsonTree *value = row.find(name);
    if (!value || readField(*value, name, field))
      return;
    isGood = false;
    mistakes.add(value->line, "'" + std::string(name) + "' is not " +
                                  wordFor<std::decay_t<decltype(field)>>(name));
  });
  for (const auto &[name, value] : row.members)
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      isGood = false;
      mistakes.add(value.line,
                   "unknown member '" + name + "'" + suggestNames(name, names));
    }
  for (const char *name : {"operator", "key_exact", "configuration", "status"})
    if (!row.find(name)) {
      isGood = false;
      mistakes.add(row.line, "a result without '" + std::string(name) + "'");
    }
  if (!isGood)
    return;
  if (Outcome checked = normalize(result); !checked)
    return mistakes.add(row.line, checked.failure().text);
  results.push_back(std::move(result));
}

static void importJson(const JsonTree &root, Mistakes &mistakes,
                       Results &results) {
  const JsonTree *format = root.find("format");
  const JsonTree *version = root.find("version");
  const JsonTree *rows = root.find("results");
  if (!format || !format->isString() || format->scalar != formatWord)
    return mistakes.add(root.line, "expected an object with \"format\": \"" +
                                       std::string(formatWord) + "\"");
  if (!version || version->scalar != formatVersion)
    return mistakes.add(version ? version->line : root.line,
                        "\"version\" is not " + std::to_string(formatVersion) +
                            ", the one that this Nereid reads");
  if (!rows || !rows->isArray())
    return mistakes.add(rows ? rows->line : root.line,
                        "\"results\" is not an array");
  for (const JsonTree &row : rows->items)
    readRow(row, mistakes, results);
}

// ------------------------------------------------------------- ONNX Runtime

using Validators = std::map<std::string, std::string>;

static std::string valueOr(const Validators &validators, const char *name) {
  auto found = validators.find(name);
  return found == validators.end() ? "" : found->second;
}

static TunedResult foreignResult(std::string_view plugin,
                                 const std::string &operatorName,
                                 const std::string &parameters) {
  TunedResult result;
  result.operatorName = operatorName;
  result.key = canonicalObject(nlohmann::json{{"params", parameters}});
  result.status = status::ok;
  result.protocol = foreignProtocol;
  result.compiler.plugin = plugin;
  return result;
}

static Validators readValidators(const JsonTree *value, size_t line,
                                 Mistakes &mistakes) {
  Validators validators;
  if (!value || !value->isObject()) {
    mistakes.add(value ? value->line : line, "'validators' is not an object");
    return validators;
  }
  for (const auto &[name, validator] : value->members)
    if (validator.isString())
      validators[name] = validator.scalar.get<std::string>();
    else
      mistakes.add(validator.line, "validator '" + name + "' is not a string");
  return validators;
}

static void importOrtSet(const JsonTree &set, Mistakes &mistakes,
                         Results &results) {
  const JsonTree *provider = set.find("ep");
  const JsonTree *operators = set.find("results");
  if (!provider || !provider->isString())
    return mistakes.add(set.line, "'ep', the execution provider, is missing");
  if (!operators || !operators->isObject())
    return mistakes.add(set.line, "'results' is not an object");
  Validators validators =
      readValidators(set.find("validators"), set.line, mistakes);
  std::string origin = canonicalObject(
      nlohmann::json{{"ep", provider->scalar}, {"validators", validators}});
  for (const auto &[name, kernels] : operators->members) {
    if (!kernels.isObject()) {
      mistakes.add(kernels.line, "'" + name + "' is not an object");
      continue;
    }
    for (const auto &[parameters, solution] : kernels.members) {
      if (!solution.scalar.is_number_integer()) {
        mistakes.add(solution.line,
                     "'" + parameters + "' is not the number of a kernel");
        continue;
      }
      TunedResult result = foreignResult(ortPlugin, name, parameters);
      result.configuration =
          canonicalObject(nlohmann::json{{"solution", solution.scalar}});
      result.compiler.release = valueOr(validators, "ORT_VERSION");
      result.compiler.build = valueOr(validators, "ORT_GIT_COMMIT");
      result.compiler.dependencies = origin;
      result.device.name = valueOr(validators, "DEVICE_MODEL");
      if (Outcome checked = normalize(result); !checked)
        mistakes.add(solution.line, checked.failure().text);
      else
        results.push_back(std::move(result));
    }
  }
}

static void importOrt(const JsonTree &root, Mistakes &mistakes,
                      Results &results) {
  if (!root.isArray())
    return mistakes.add(root.line, "expected an array of tuning results");
  for (const JsonTree &set : root.items)
    importOrtSet(set, mistakes, results);
}

// The parameters of a result that was imported; nothing of another.
static bool parametersOf(const TunedResult &result, std::string_view plugin,
                         std::string &parameters, nlohmann::json &solution) {
  if (result.compiler.plugin != plugin || !result.isOk())
    return false;
  nlohmann::json key = nlohmann::json::parse(result.key, nullptr, false);
  nlohmann::json configuration =
      nlohmann::json::parse(result.configuration, nullptr, false);
  if (!key.is_object() || !key.contains("params") ||
      !key["params"].is_string() || !configuration.is_object() ||
      !configuration.contains("solution"))
    return false;
  parameters = key["params"].get<std::string>();
  solution = configuration["solution"];
  return true;
}

static std::string millisecondsText(double nanoseconds) {
  std::array<char, 64> text;
  auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), nanoseconds / 1e6,
                    std::chars_format::general, 9);
  return {text.data(), error == std::errc() ? end : text.data()};
}

// A time in milliseconds, in nanoseconds; nothing if \p text is none.
static std::optional<double> nanosecondsOf(std::string_view text) {
  double time = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(time >= 0) || std::isinf(time))
    return std::nullopt;
  // What no clock can tell apart from 0 may be inexact, too.
  return time < 1e-9 ? 0 : time * 1e6;
}

namespace {
// A result that is written, in an order that those read again have, too.
struct Written {
  const TunedResult *result;
  double median; // as it is read again

  explicit Written(const TunedResult &result)
      : result(&result),
        median(nanosecondsOf(millisecondsText(result.median)).value_or(0)) {}

  auto order() const {
    return std::tuple_cat(std::tuple(median == 0, median, -result->time),
                          result->identity(), std::tie(result->note));
  }
};
} // namespace

// The results that \p plugin may have one of for each parameter set, the best
// first: the fastest, then the newest.
static std::vector<const TunedResult *> ordered(const Results &results) {
  std::vector<Written> all(results.begin(), results.end());
  std::sort(all.begin(), all.end(), [](const Written &a, const Written &b) {
    return a.order() < b.order();
  });
  std::vector<const TunedResult *> sorted;
  for (const Written &one : all)
    sorted.push_back(one.result);
  return sorted;
}

static Exported exportOrt(const Results &results) {
  Exported out;
  // By origin, operator and parameters.
  std::map<std::string,
           std::map<std::string, std::map<std::string, nlohmann::json>>>
      sets;
  for (const TunedResult *result : ordered(results)) {
    std::string parameters;
    nlohmann::json solution;
    bool isAdded = parametersOf(*result, ortPlugin, parameters, solution) &&
                   solution.is_number_integer() &&
                   sets[result->compiler.dependencies][result->operatorName]
                       .emplace(parameters, solution)
                       .second;
    ++(isAdded ? out.written : out.leftOut);
  }
  nlohmann::json list = nlohmann::json::array();
  for (const auto &[origin, operators] : sets) {
    nlohmann::json set = nlohmann::json::parse(origin, nullptr, false);
    if (!set.is_object())
      set = {{"ep", ""}, {"validators", nlohmann::json::object()}};
    set["results"] = operators;
    list.push_back(std::move(set));
  }
  out.text =
      list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  return out;
}

// ------------------------------------------------------------------- PyTorch

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

static void importPytorch(std::string_view text, Mistakes &mistakes,
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

static Result<Exported> exportPytorch(const Results &results) {
  Exported out;
  std::set<std::string> origins;
  std::string lines;
  for (const TunedResult *result : ordered(results)) {
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
    return Failure{NEREID_INVALID_ARGUMENT,
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

// ------------------------------------------------------------------- dispatch

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
