// ModelFiles.cpp - the files of a pack as one JSON text, and back.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/PackFiles.h"
#include "support/Json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace nereid::ops {

using host::Json;

static constexpr const char *formatName = "nereid-pack";
static constexpr int formatVersion = 1;

// ---------------------------------------------------------------- writing

// Numbers that JSON does not have are objects.
static Json jsonOfScalar(const Value &value) {
  if (value.isBool())
    return value.truth();
  if (value.isInt())
    return value.integer();
  if (value.isString())
    return value.string();
  if (!value.isFloat())
    return nullptr;
  double number = value.number();
  if (std::isfinite(number))
    return number;
  const char *name = std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
  return {{"float", name}};
}

// [line, column, scalar], with the text behind it where it is another one;
// [line, column, [items]]; [line, column, {"map": [[key, value]]}].
static Json jsonOfNode(const yaml::Node &node) {
  Json json = Json::array({node.line, node.column});
  if (node.isScalar()) {
    json.push_back(jsonOfScalar(node.value));
    if (!node.isString() || node.text != node.value.string())
      json.push_back(node.text);
    return json;
  }
  Json members = Json::array();
  for (const yaml::NodePtr &item : node.items)
    members.push_back(jsonOfNode(*item));
  for (const yaml::Entry &entry : node.entries)
    members.push_back(
        Json::array({jsonOfNode(*entry.key), jsonOfNode(*entry.value)}));
  json.push_back(node.isSequence() ? members : Json{{"map", members}});
  return json;
}

namespace {
/// Collects the files of a directory that a pack is read from.
class ModelWriter {
public:
  explicit ModelWriter(std::string directory)
      : directory(std::move(directory)) {}

  Outcome addLayer(const std::string &folder) {
    for (Outcome added :
         {addTrees(folder + "ops/", ".yaml"), addTexts(folder + "ops/", ".py"),
          addTree(folder + "tune_configs.yaml")})
      if (!added)
        return added;
    return {};
  }
  Outcome addTree(const std::string &path) {
    if (!files.has(directory + path))
      return {};
    std::vector<Problem> problems;
    yaml::NodePtr root = files.tree(directory + path, problems);
    if (!root)
      return Failure{NEREID_INVALID_ARGUMENT, problems[0].message()};
    trees.emplace(path, jsonOfNode(*root));
    return {};
  }
  Outcome addTrees(const std::string &folder, std::string_view suffix) {
    for (const std::string &name : files.filesIn(directory + folder, suffix))
      if (Outcome added = addTree(folder + name); !added)
        return added;
    return {};
  }
  Outcome addTexts(const std::string &folder, std::string_view suffix) {
    for (const std::string &name : files.filesIn(directory + folder, suffix)) {
      Result<std::string> text = files.text(directory + folder + name);
      if (!text)
        return text.failure();
      texts.emplace(folder + name, std::move(*text));
    }
    return {};
  }

  const std::string directory; // with a '/' behind it
  DirectoryFiles files;
  std::map<std::string, Json> trees;
  std::map<std::string, std::string> texts;
};
} // namespace

Result<std::string> ModelFiles::write(const std::string &directory) {
  ModelWriter writer(directory + "/");
  for (Outcome added : {writer.addTree("vendor.yaml"), writer.addLayer(""),
                        writer.addTexts("tuned/", ".json")})
    if (!added)
      return added.failure();
  for (const char *kind : {"arch/", "compiler/"})
    for (const std::string &name :
         writer.files.foldersIn(writer.directory + kind))
      if (Outcome added = writer.addLayer(kind + name + "/"); !added)
        return added.failure();
  Json trees = Json::object(), texts = Json::object();
  for (auto &[path, tree] : writer.trees)
    trees[path] = std::move(tree);
  for (auto &[path, text] : writer.texts)
    texts[path] = std::move(text);
  try {
    return Json{{"format", formatName},
                {"version", formatVersion},
                {"trees", std::move(trees)},
                {"texts", std::move(texts)}}
        .dump();
  } catch (const Json::exception &) {
    return Failure{NEREID_INVALID_ARGUMENT,
                   directory + ": a file of the pack is not UTF-8 text"};
  }
}

// ---------------------------------------------------------------- reading

namespace {
/// Reads trees, all of which together are bounded.
class TreeReader {
public:
  yaml::NodePtr read(const Json &json, size_t depth = 1);

private:
  bool readScalar(const Json &json, yaml::Node &node);
  bool readMembers(const Json &json, yaml::Node &node, size_t depth);
  uint64_t nodes = 0;
};
} // namespace

static bool isPlace(const Json &json) {
  return json.is_number_unsigned() && json.get<uint64_t>() <= UINT32_MAX;
}

bool TreeReader::readScalar(const Json &json, yaml::Node &node) {
  if (json.is_boolean()) {
    node.value = Value(json.get<bool>());
  } else if (json.is_number_float()) {
    node.value = Value(json.get<double>());
  } else if (json.is_number_integer()) {
    if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX)
      return false;
    node.value = Value(json.get<int64_t>());
  } else if (json.is_string()) {
    node.value = Value(json.get<std::string>());
  } else if (json.is_object()) {
    std::string name =
        json.size() == 1 && json.contains("float") && json["float"].is_string()
            ? json["float"].get<std::string>()
            : "";
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (name == "nan")
      node.value = Value(std::numeric_limits<double>::quiet_NaN());
    else if (name == "inf" || name == "-inf")
      node.value = Value(name == "inf" ? infinity : -infinity);
    else
      return false;
  } else if (!json.is_null()) {
    return false;
  }
  return true;
}

bool TreeReader::readMembers(const Json &json, yaml::Node &node, size_t depth) {
  node.kind =
      json.is_array() ? yaml::Node::Kind::Sequence : yaml::Node::Kind::Mapping;
  const Json &members = json.is_array() ? json : json["map"];
  if (!members.is_array())
    return false;
  std::set<std::string> keys;
  for (const Json &member : members) {
    if (node.isSequence()) {
      node.items.push_back(read(member, depth + 1));
      if (!node.items.back())
        return false;
      node.size += node.items.back()->size;
      continue;
    }
    if (!member.is_array() || member.size() != 2)
      return false;
    yaml::Entry entry{read(member[0], depth + 1), read(member[1], depth + 1)};
    if (!entry.key || !entry.value || !entry.key->isScalar() ||
        !keys.insert(entry.key->value.repr()).second)
      return false;
    node.size += entry.key->size + entry.value->size;
    node.entries.push_back(std::move(entry));
  }
  return true;
}

// Null if it is not a tree.
yaml::NodePtr TreeReader::read(const Json &json, size_t depth) {
  if (depth > yaml::deepestDocument + 1 || ++nodes > yaml::largestTree ||
      !json.is_array() || json.size() < 3 || json.size() > 4 ||
      !isPlace(json[0]) || !isPlace(json[1]))
    return nullptr;
  auto node = std::make_shared<yaml::Node>();
  node->line = json[0].get<uint32_t>();
  node->column = json[1].get<uint32_t>();
  const Json &value = json[2];
  bool isMapping = value.is_object() && value.contains("map");
  if (value.is_array() || isMapping) {
    if (json.size() != 3 || !readMembers(value, *node, depth))
      return nullptr;
    return node;
  }
  if (!readScalar(value, *node) || (json.size() == 4 && !json[3].is_string()) ||
      (json.size() == 3 && !node->value.isString()))
    return nullptr;
  node->text =
      json.size() == 4 ? json[3].get<std::string>() : node->value.string();
  return node;
}

// Paths are joined with others: none leads out of the pack.
static bool isPathInPack(const std::string &path) {
  if (path.empty() || path.find('\0') != path.npos)
    return false;
  for (size_t start = 0; start <= path.size();) {
    size_t end = std::min(path.find('/', start), path.size());
    std::string part = path.substr(start, end - start);
    if (part.empty() || part[0] == '.')
      return false;
    start = end + 1;
  }
  return true;
}

Result<std::unique_ptr<const ModelFiles>>
ModelFiles::read(std::string_view model, std::string path) {
  auto bad = [&](const std::string &text) {
    return Failure{NEREID_INVALID_ARGUMENT,
                   path + ": the model of its pack " + text};
  };
  Json json = Json::parse(model, nullptr, false);
  if (!json.is_object() || !json.contains("format") ||
      json["format"] != formatName || !json.contains("version") ||
      !json["version"].is_number_integer())
    return bad("is not one");
  if (json["version"] != formatVersion)
    return Failure{NEREID_INCOMPATIBLE,
                   path + ": the model of its pack has version " +
                       json["version"].dump() + ", this Nereid reads version " +
                       std::to_string(formatVersion) +
                       "; build the archive again, or update Nereid"};
  auto files = std::make_unique<ModelFiles>();
  files->root = path + "/";
  for (const char *part : {"trees", "texts"})
    if (!json.contains(part) || !json[part].is_object())
      return bad("has no '" + std::string(part) + "'");
  TreeReader reader;
  for (const auto &[name, tree] : json["trees"].items()) {
    yaml::NodePtr root = reader.read(tree);
    if (!isPathInPack(name) || !root)
      return bad("has a malformed tree");
    files->trees.emplace(name, std::move(root));
  }
  for (const auto &[name, text] : json["texts"].items()) {
    if (!isPathInPack(name) || !text.is_string())
      return bad("has a malformed text");
    files->texts.emplace(name, text.get<std::string>());
  }
  return std::unique_ptr<const ModelFiles>(std::move(files));
}

std::string ModelFiles::relative(const std::string &path) const {
  return path.starts_with(root) ? path.substr(root.size()) : path;
}

bool ModelFiles::has(const std::string &path) const {
  std::string name = relative(path);
  return trees.contains(name) || texts.contains(name);
}

// What follows the folder in the names that start with it.
template <typename Map, typename Visit>
static void visitIn(const Map &map, std::string folder, Visit visit) {
  while (folder.ends_with('/'))
    folder.pop_back();
  if (!folder.empty())
    folder += '/';
  for (auto at = map.lower_bound(folder);
       at != map.end() && at->first.starts_with(folder); ++at)
    visit(at->first.substr(folder.size()), at->second);
}

std::vector<std::string> ModelFiles::filesIn(const std::string &folder,
                                             std::string_view suffix) const {
  std::vector<std::string> names;
  auto add = [&](const std::string &name, const auto &) {
    if (name.find('/') == name.npos && name.ends_with(suffix))
      names.push_back(name);
  };
  visitIn(trees, relative(folder), add);
  visitIn(texts, relative(folder), add);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string>
ModelFiles::foldersIn(const std::string &folder) const {
  std::set<std::string> names;
  auto add = [&](const std::string &name, const auto &) {
    if (size_t end = name.find('/'); end != name.npos)
      names.insert(name.substr(0, end));
  };
  visitIn(trees, relative(folder), add);
  visitIn(texts, relative(folder), add);
  return {names.begin(), names.end()};
}

yaml::NodePtr ModelFiles::tree(const std::string &path,
                               std::vector<Problem> &problems) const {
  auto found = trees.find(relative(path));
  if (found != trees.end())
    return found->second;
  problems.push_back({path, 0, 0, "the archive does not have it"});
  return nullptr;
}

Result<std::string> ModelFiles::text(const std::string &path) const {
  auto found = texts.find(relative(path));
  if (found != texts.end())
    return found->second;
  return Failure{NEREID_NOT_FOUND, path + ": the archive does not have it"};
}

std::map<std::string, std::string>
ModelFiles::sourcesIn(const std::string &folder) const {
  std::map<std::string, std::string> sources;
  visitIn(texts, relative(folder),
          [&](const std::string &name, const std::string &text) {
            if (name.find('/') == name.npos && name.ends_with(".py"))
              sources.emplace(name, text);
          });
  return sources;
}

} // namespace nereid::ops
