// Pack.cpp - reads vendor.yaml and the folders of a pack.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/Pack.h"

#include "expr/Lexer.h"
#include "store/Exchange.h"
#include "support/Glob.h"
#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <set>

namespace nereid::ops {

static Disabled readDisabled(MappingReader &reader, Problems &problems) {
  Disabled disabled;
  const yaml::Node *node = reader.mappingOf("disabled");
  if (!node)
    return disabled;
  for (const yaml::Entry &entry : node->entries) {
    if (!entry.value->isString() || entry.value->text.empty())
      problems.add(*entry.value, "'" + escapeForTerminal(entry.key->text) +
                                     "' is disabled without a reason");
    disabled.insert_or_assign(entry.key->text, entry.value->text);
  }
  return disabled;
}

static std::vector<Family> readFamilies(const yaml::Node *node,
                                        Problems &problems) {
  std::vector<Family> families;
  if (!node)
    return families;
  for (const yaml::Entry &entry : node->entries) {
    Family family;
    family.name = entry.key->text;
    family.line = entry.key->line;
    if (entry.value->isSequence() || entry.value->isString()) {
      // The patterns alone.
      if (entry.value->isString())
        family.match.push_back(entry.value->text);
      for (const yaml::NodePtr &item : entry.value->items) {
        if (!item->isScalar())
          problems.add(*item, "architecture '" + family.name + "' has " +
                                  std::string(item->kindName()) +
                                  ", expected patterns");
        family.match.push_back(item->text);
      }
    } else {
      MappingReader reader(*entry.value, "architecture '" + family.name + "'",
                           problems);
      family.match = reader.strings("match");
      family.parent = reader.string("parent").value_or("");
      family.disabled = readDisabled(reader, problems);
      reader.finish();
    }
    families.push_back(std::move(family));
  }
  // Parents exist, and lead to an end.
  std::vector<std::string> names;
  for (const Family &family : families)
    names.push_back(family.name);
  for (const Family &family : families) {
    std::set<std::string> seen;
    for (const Family *at = &family; at && !at->parent.empty();) {
      if (!seen.insert(at->name).second) {
        problems.add(family.line, 1,
                     "architecture '" + family.name + "' is its own parent");
        break;
      }
      auto parent =
          std::find_if(families.begin(), families.end(),
                       [&](const Family &f) { return f.name == at->parent; });
      if (parent == families.end())
        problems.add(at->line, 1,
                     "'parent' of '" + at->name +
                         "': " + unknown("architecture", at->parent, names));
      at = parent == families.end() ? nullptr : &*parent;
    }
  }
  return families;
}

static void readDtypes(const yaml::Node *node, Vendor &vendor,
                       Problems &problems) {
  if (!node)
    return;
  for (const yaml::Entry &entry : node->entries) {
    if (!sizeOfDtype(entry.key->text))
      problems.add(*entry.key, unknown("type", entry.key->text, dtypeNames()));
    else if (!entry.value->isScalar() || !entry.value->value.isBool())
      problems.add(*entry.value, "'" + entry.key->text + "' is " +
                                     std::string(entry.value->kindName()) +
                                     ", expected true or false");
    else
      vendor.dtypes[entry.key->text] = entry.value->value.truth();
  }
}

static Vendor readVendor(const yaml::Node &root, bool isUser,
                         Problems &problems) {
  Vendor vendor;
  MappingReader reader(root, "the vendor", problems);
  if (!isUser)
    reader.require("vendor_name");
  vendor.name = reader.string("vendor_name").value_or(isUser ? "user" : "");
  vendor.deviceName = reader.string("device_name").value_or(vendor.name);
  vendor.queryCommand = reader.string("device_query_cmd").value_or("");
  // FlagGems' default: the device's name in capitals.
  std::string key = vendor.deviceName;
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  vendor.dispatchKey = reader.string("dispatch_key").value_or(key);
  vendor.tritonExtraName =
      reader.string("triton_extra_name").value_or(vendor.deviceName);
  vendor.trademark = reader.string("trademark").value_or("");
  if (!isUser)
    reader.require("targets");
  vendor.targets = reader.strings("targets");
  if (isUser && vendor.targets.empty())
    vendor.targets = {"*"};
  vendor.families = readFamilies(reader.mappingOf("architectures"), problems);
  readDtypes(reader.mappingOf("dtypes"), vendor, problems);
  vendor.disabled = readDisabled(reader, problems);
  if (const yaml::Node *options = reader.mappingOf("options"))
    for (const yaml::Entry &entry : options->entries) {
      if (!isName(entry.key->text) || !entry.value->isScalar())
        problems.add(*entry.key, "'" + escapeForTerminal(entry.key->text) +
                                     "' is not an option with a default");
      vendor.options.push_back({entry.key->text, entry.value->value});
    }
  reader.finish();
  return vendor;
}

namespace {

/// Reads the operators and configurations of one level.
class LayerReader {
public:
  LayerReader(const PackFiles &files, const Vendor &vendor,
              KernelFiles &kernels, std::vector<Problem> &problems)
      : files(files), vendor(vendor), kernels(kernels), problems(problems) {}

  Layer read(const std::string &directory, Layer::Level level,
             std::string selector);

private:
  void readOperators(Layer &layer);
  void checkTuning(const Layer &layer);
  void checkConfiguration(const Layer &layer, const Operator &op,
                          const Variant &variant);

  const PackFiles &files;
  const Vendor &vendor;
  KernelFiles &kernels;
  std::vector<Problem> &problems;
};

} // namespace

void LayerReader::readOperators(Layer &layer) {
  std::string folder = layer.directory + "/ops/";
  for (const std::string &name : files.filesIn(folder, ".yaml")) {
    std::string path = folder + name;
    yaml::NodePtr root = files.tree(path, problems);
    if (!root)
      continue;
    Problems fileProblems(path, problems);
    std::optional<Operator> op =
        readOperator(*root, path, kernels, fileProblems);
    if (!op)
      continue;
    auto [found, isNew] = layer.operators.try_emplace(op->name, *op);
    if (!isNew)
      fileProblems.add(*root, "operator '" + op->name + "' is also in " +
                                  found->second.file);
  }
}

// Names of a configuration that the variant's kernels do not have.
void LayerReader::checkConfiguration(const Layer &layer, const Operator &op,
                                     const Variant &variant) {
  const TunedOperator *tuned = layer.configs.find(variant.tune);
  if (!tuned)
    return;
  std::vector<std::string> known;
  for (const Step &step : variant.steps) {
    if (!step.isTuned)
      continue;
    Result<const KernelFunctions *> functions = kernels.of(step.file);
    if (functions)
      for (const Parameter &parameter :
           (*functions)->find(step.function)->second.parameters)
        if (parameter.isConstant)
          known.push_back(parameter.name);
  }
  Problems fileProblems(layer.directory + "/tune_configs.yaml", problems);
  auto check = [&](uint32_t line, const std::string &name) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      fileProblems.add(line, 1,
                       unknown("constant", name, known) + ", of variant '" +
                           variant.name + "' of '" + op.name + "'");
  };
  for (const SearchSpace &space : tuned->spaces)
    for (const Dimension &dimension : space.dimensions) {
      if (!dimension.isOption && !dimension.name.empty())
        check(space.line, dimension.name);
      if (!dimension.groups.empty())
        for (const Setting &setting : dimension.groups[0])
          check(space.line, setting.name);
    }
}

void LayerReader::checkTuning(const Layer &layer) {
  for (const auto &[name, op] : layer.operators)
    for (const Variant &variant : op.variants)
      if (!variant.tune.empty())
        checkConfiguration(layer, op, variant);
}

Layer LayerReader::read(const std::string &directory, Layer::Level level,
                        std::string selector) {
  Layer layer;
  layer.level = level;
  layer.selector = std::move(selector);
  layer.directory = directory;
  readOperators(layer);
  std::string path = directory + "/tune_configs.yaml";
  if (files.has(path)) {
    if (yaml::NodePtr root = files.tree(path, problems)) {
      std::vector<std::string> options;
      for (const Setting &option : vendor.options)
        options.push_back(option.name);
      Problems fileProblems(path, problems);
      layer.configs = TuneConfigs::read(*root, options, fileProblems);
    }
  }
  checkTuning(layer);
  return layer;
}

// The results of the files in `tuned`, by operator.
static std::map<std::string, OperatorRows, std::less<>>
readTuned(const PackFiles &files, const std::string &directory,
          std::vector<Problem> &problems) {
  std::map<std::string, std::vector<TunedResult>, std::less<>> results;
  for (const std::string &name : files.filesIn(directory + "/tuned", ".json")) {
    std::string path = directory + "/tuned/" + name;
    Result<std::string> text = files.text(path);
    Result<std::vector<TunedResult>> read =
        text ? importResults(*text, "json", name)
             : Result<std::vector<TunedResult>>(text.failure());
    if (!read) {
      problems.push_back({path, 0, 0, read.failure().text});
      continue;
    }
    for (TunedResult &result : *read)
      if (Outcome normal = normalize(result); normal)
        results[result.operatorName].push_back(std::move(result));
      else
        problems.push_back({path, 0, 0, normal.failure().text});
  }
  std::map<std::string, OperatorRows, std::less<>> tuned;
  for (auto &[name, rows] : results)
    tuned.emplace(name, arrange(std::move(rows)));
  return tuned;
}

std::unique_ptr<Pack> Pack::read(const std::string &directory, bool isUser,
                                 std::vector<Problem> &problems) {
  return read(DirectoryFiles(), directory, isUser, problems);
}

std::unique_ptr<Pack> Pack::readModel(std::unique_ptr<const ModelFiles> model,
                                      const std::string &path,
                                      std::vector<Problem> &problems) {
  std::unique_ptr<Pack> pack = read(*model, path, false, problems);
  if (pack)
    pack->archived = std::move(model);
  return pack;
}

std::unique_ptr<Pack> Pack::read(const PackFiles &files,
                                 const std::string &directory, bool isUser,
                                 std::vector<Problem> &problems) {
  auto pack = std::make_unique<Pack>();
  pack->path = directory;
  std::string path = directory + "/vendor.yaml";
  yaml::Node none;
  none.kind = yaml::Node::Kind::Mapping;
  yaml::NodePtr root;
  if (!isUser || files.has(path)) {
    root = files.tree(path, problems);
    if (!root)
      return nullptr;
  }
  size_t before = problems.size();
  Problems fileProblems(path, problems);
  pack->info = readVendor(root ? *root : none, isUser, fileProblems);
  if (problems.size() > before)
    return nullptr;
  KernelFiles kernels(files);
  LayerReader reader(files, pack->info, kernels, problems);
  Layer::Level level = isUser              ? Layer::User
                       : pack->isGeneric() ? Layer::Generic
                                           : Layer::OfVendor;
  pack->all.push_back(reader.read(directory, level, {}));
  std::vector<std::string> families;
  for (const Family &family : pack->info.families)
    families.push_back(family.name);
  for (const std::string &name : files.foldersIn(directory + "/arch")) {
    if (std::find(families.begin(), families.end(), name) == families.end()) {
      problems.push_back({directory + "/arch/" + name, 0, 0,
                          unknown("architecture", name, families) +
                              "; 'architectures' of vendor.yaml declares "
                              "them"});
      continue;
    }
    pack->all.push_back(reader.read(directory + "/arch/" + name,
                                    isUser ? Layer::User : Layer::Architecture,
                                    name));
  }
  for (const std::string &name : files.foldersIn(directory + "/compiler"))
    pack->all.push_back(reader.read(directory + "/compiler/" + name,
                                    isUser ? Layer::User : Layer::Compiler,
                                    name));
  pack->results = readTuned(files, directory, problems);
  return pack;
}

bool Pack::isGeneric() const {
  return std::find(info.targets.begin(), info.targets.end(), "*") !=
         info.targets.end();
}

bool Pack::serves(const TargetFacts &target) const {
  std::string text = target.type + ":" + target.arch;
  return std::any_of(info.targets.begin(), info.targets.end(),
                     [&](const std::string &pattern) {
                       return host::matchesGlob(pattern, text) ||
                              host::matchesGlob(pattern, target.type);
                     });
}

std::vector<const Family *> Pack::familiesOf(const TargetFacts &target) const {
  std::vector<const Family *> chain;
  for (const Family &family : info.families) {
    bool matches = std::any_of(family.match.begin(), family.match.end(),
                               [&](const std::string &pattern) {
                                 return host::matchesGlob(pattern, target.arch);
                               });
    if (!matches)
      continue;
    // Parents were checked to end.
    for (const Family *at = &family; at;) {
      chain.push_back(at);
      auto parent =
          std::find_if(info.families.begin(), info.families.end(),
                       [&](const Family &f) { return f.name == at->parent; });
      at = parent == info.families.end() ? nullptr : &*parent;
    }
    break;
  }
  return chain;
}

std::string Pack::labelOf(const Layer &layer) const {
  std::string of = layer.level == Layer::User ? "the user's pack"
                   : layer.level == Layer::Generic
                       ? "the generic pack"
                       : "vendor '" + info.name + "'";
  if (layer.selector.empty())
    return of;
  bool isFamily = layer.directory.find("/arch/") != std::string::npos;
  return (isFamily ? "architecture '" : "compiler '") + layer.selector +
         "' of " + of;
}

} // namespace nereid::ops
