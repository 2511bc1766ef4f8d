// Manifest.cpp - reads manifests; tests/kernels/README.md describes them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Manifest.h"

#include "Files.h"

#include <filesystem>

namespace nereid::tool {

// "33,781"
static std::string joined(const Json &numbers) {
  std::string text;
  for (const Json &number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number.get<uint64_t>());
  return text;
}

static std::string numberText(const Json &value) {
  return value.is_boolean() ? std::to_string(value.get<bool>()) : value.dump();
}

// The same numbers at each run; integers are small, since they may be indices.
static std::string randomText(const std::string &dtype, size_t index) {
  std::string seed = std::to_string(index + 1);
  return "random:" + seed + (dtype.starts_with('i') ? ":0:2" : "");
}

static std::string argumentText(const Json &argument, size_t index,
                                const std::filesystem::path &folder) {
  std::string dtype = argument.at("dtype");
  if (argument.at("kind") == "scalar")
    return dtype + '=' + numberText(argument.at("value"));
  std::string start = dtype + '[' + joined(argument.at("shape")) + "]=";
  if (argument.contains("file"))
    return start + '@' +
           (folder / argument.at("file").get<std::string>()).string();
  const Json &fill = argument.at("fill");
  return start + (fill == "random" ? randomText(dtype, index)
                                   : "full:" + numberText(fill));
}

static std::string expectationText(const Json &output,
                                   const std::filesystem::path &folder) {
  return std::to_string(output.at("arg").get<size_t>()) + '=' +
         (folder / output.at("expected").get<std::string>()).string() + ',' +
         output.at("rtol").dump() + ',' + output.at("atol").dump();
}

static Manifest readJson(const Json &json,
                         const std::filesystem::path &folder) {
  Manifest manifest;
  manifest.kernel = (folder / json.at("ttir").get<std::string>()).string();
  manifest.grid = joined(json.at("grid"));
  for (const Json &argument : json.at("args"))
    manifest.arguments.push_back(
        argumentText(argument, manifest.arguments.size(), folder));
  for (const Json &output : json.value("outputs", Json::array()))
    if (output.contains("expected"))
      manifest.expectations.push_back(expectationText(output, folder));
  const Json work = json.value("work", Json::object());
  if (work.contains("bytes"))
    manifest.bytes = work.at("bytes").dump();
  if (work.contains("flops"))
    manifest.flops = work.at("flops").dump();
  return manifest;
}

bool Manifest::isNamedBy(const std::string &kernel) {
  return kernel.ends_with(".json");
}

Expected<Manifest> Manifest::read(const std::string &path) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return text.error();
  try {
    return readJson(Json::parse(*text),
                    std::filesystem::path(path).parent_path());
  } catch (const Json::exception &exception) {
    return invalid(path + ": not a kernel's manifest: " + exception.what());
  }
}

} // namespace nereid::tool
