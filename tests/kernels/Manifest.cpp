// Manifest.cpp - reads manifests; what is wrong with one is an exception of
// the JSON library or an Error, both told with the manifest's name.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Manifest.h"

#include "Files.h"
#include "Npy.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace nereid::test {

using Json = nlohmann::json;

static Expected<DType> readDType(const Json &argument) {
  std::string name = argument.at("dtype");
  std::optional<DType> type = parseDType(name);
  if (!type)
    return invalid("unknown dtype '" + name + "'");
  return *type;
}

static void storeJson(DType type, const Json &value, void *element) {
  if (value.is_boolean())
    storeInteger(type, value.get<bool>(), element);
  else if (value.is_number_integer())
    storeInteger(type, value.get<int64_t>(), element);
  else
    storeNumber(type, value.get<double>(), element);
}

static Expected<Array> readTensor(const Json &argument, DType type,
                                  const std::filesystem::path &folder) {
  Shape shape = argument.at("shape");
  if (argument.contains("file")) {
    std::string file = argument.at("file");
    Expected<Array> array = readNpy((folder / file).string(), type);
    if (array && array->shape() != shape)
      return invalid(file + ": the shape is " + shapeText(array->shape()) +
                     ", expected " + shapeText(shape));
    return array;
  }
  Expected<Array> array = Array::make(type, shape);
  if (!array)
    return array;
  const Json &fill = argument.at("fill");
  if (fill == "random") {
    array->fillRandom(0, isFloat(type) ? -1 : 0, isFloat(type) ? 1 : 2);
    return array;
  }
  unsigned char element[8] = {};
  storeJson(type, fill, element);
  array->fill(element);
  return array;
}

static Expected<ArgumentValue>
readArgument(const Json &argument, const std::filesystem::path &folder) {
  Expected<DType> type = readDType(argument);
  if (!type)
    return type.error();
  bool isTensor = argument.at("kind") == "tensor";
  Expected<Array> array =
      isTensor ? readTensor(argument, *type, folder) : Array::make(*type, {});
  if (!array)
    return array.error();
  if (!isTensor)
    storeJson(*type, argument.at("value"), array->data());
  return ArgumentValue{isTensor, std::move(*array)};
}

static Expected<ExpectedOutput>
readOutput(const Json &output, const std::vector<ArgumentValue> &values,
           const std::filesystem::path &folder) {
  ExpectedOutput result = {output.at("arg"), std::nullopt, {}};
  if (result.argument >= values.size() || !values[result.argument].isTensor)
    return invalid("output " + std::to_string(result.argument) +
                   " is not a tensor argument");
  if (!output.contains("expected"))
    return result;
  const Array &given = values[result.argument].array;
  std::string file = output.at("expected");
  Expected<Array> expected = readNpy((folder / file).string(), given.type());
  if (!expected)
    return expected.error();
  if (expected->shape() != given.shape())
    return invalid(file + ": the shape is " + shapeText(expected->shape()) +
                   ", the argument has " + shapeText(given.shape()));
  result.expected = std::move(*expected);
  result.tolerance = {output.at("rtol"), output.at("atol")};
  return result;
}

static Expected<Manifest> readJson(const Json &json,
                                   const std::filesystem::path &folder) {
  Manifest manifest;
  manifest.name = json.at("name");
  manifest.kernel = json.at("kernel");
  manifest.ttir = (folder / json.at("ttir").get<std::string>()).string();
  if (json.contains("raw"))
    manifest.raw = (folder / json.at("raw").get<std::string>()).string();
  const Json &grid = json.at("grid");
  manifest.grid = {grid.at(0), grid.at(1), grid.at(2)};
  for (const Json &argument : json.at("args")) {
    Expected<ArgumentValue> value = readArgument(argument, folder);
    if (!value)
      return value.error();
    manifest.values.push_back(std::move(*value));
  }
  for (const Json &output : json.at("outputs")) {
    Expected<ExpectedOutput> expected =
        readOutput(output, manifest.values, folder);
    if (!expected)
      return expected.error();
    manifest.outputs.push_back(std::move(*expected));
  }
  if (json.contains("expect_stdout")) {
    manifest.expectedStdout = json.at("expect_stdout");
    std::sort(manifest.expectedStdout->begin(), manifest.expectedStdout->end());
  }
  if (json.contains("expect_fault"))
    manifest.expectedFault = json.at("expect_fault");
  return manifest;
}

Expected<Manifest> Manifest::read(const std::string &path) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return text.error();
  try {
    return readJson(Json::parse(*text),
                    std::filesystem::path(path).parent_path());
  } catch (const Json::exception &exception) {
    return invalid(path + ": " + exception.what());
  }
}

} // namespace nereid::test
