// backend.cpp - which Python class compiles.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#include "worker/Frame.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace nereid::triton {

namespace fs = std::filesystem;
using worker::Json;

// Of Triton itself the id is "triton", and there is no file.
Backend Backend::read(const std::string &pluginPath, const std::string &id) {
  Backend backend;
  backend.id = id;
  backend.deviceType = id;
  fs::path folder = fs::path(pluginPath).parent_path() / id;
  backend.worker = folder / "nereid_triton_worker.py";
  if (id == "triton")
    return backend;
  std::string path = folder / "backend.json";
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  Json json = Json::parse(text, nullptr, false);
  auto member = [&](const char *name) {
    auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
  };
  if (!json.is_object() || member("class").empty() ||
      member("target").empty()) {
    backend.problem = "'" + path +
                      "' is not a JSON object with \"class\" "
                      "(\"module:Class\") and \"target\"";
    return backend;
  }
  backend.name = member("class");
  backend.deviceType = member("target");
  if (auto list = json.find("folders"); list != json.end() && list->is_array())
    for (const Json &each : *list)
      if (each.is_string())
        backend.folders.push_back(
            (folder / each.get<std::string>()).lexically_normal());
  return backend;
}

} // namespace nereid::triton
