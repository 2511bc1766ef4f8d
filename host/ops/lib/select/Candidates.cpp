// Candidates.cpp - lists candidates by planning the call with each of them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Candidates.h"

#include "cache/Digest.h"
#include "expr/Json.h"
#include "kernels/SourceDigest.h"
#include "support/Json.h"

#include <algorithm>
#include <set>

namespace nereid::ops {

using host::Json;

// ---------------------------------------------------------------- as text

std::string settingsText(const Configuration &configuration) {
  nlohmann::json flat = nlohmann::json::object();
  for (const auto *settings :
       {&configuration.constants, &configuration.options})
    for (const Setting &setting : *settings)
      flat[setting.name] =
          nlohmann::json::parse(jsonOfValue(setting.value).dump());
  return canonicalObject(flat);
}

static Result<std::vector<Setting>> settingsOfJson(const Json &json,
                                                   const std::string &what) {
  std::vector<Setting> settings;
  if (!json.is_object())
    return wrong("'" + what + "' is not a JSON object");
  for (const auto &[name, member] : json.items()) {
    Result<Value> value = valueOfJson(member);
    if (!value)
      return wrong("'" + name + "': " + value.failure().text);
    if (value->isObject())
      return wrong("'" + name + "' is an object, expected a value");
    settings.push_back({name, std::move(*value)});
  }
  return settings;
}

Result<Wanted> wantedOfJson(const Json &json) {
  Wanted wanted;
  if (!json.is_object())
    return wrong("the choice is not a JSON object");
  for (const auto &[key, member] : json.items()) {
    if (key == "variant" && member.is_string()) {
      wanted.variant = member.get<std::string>();
    } else if (key == "constants" || key == "options") {
      Result<std::vector<Setting>> settings = settingsOfJson(member, key);
      if (!settings)
        return settings.failure();
      if (!wanted.configuration)
        wanted.configuration.emplace();
      (key == "constants" ? wanted.configuration->constants
                          : wanted.configuration->options) =
          std::move(*settings);
    } else if (key == "variant") {
      return wrong("'variant' of the choice is " + member.dump() +
                   ", expected a string");
    } else {
      return wrong("the choice: " +
                   unknown("member", key, {"variant", "constants", "options"}));
    }
  }
  return wanted;
}

Result<std::optional<Wanted>> wantedOfJson(std::string_view text) {
  if (text.empty())
    return std::optional<Wanted>();
  Result<Wanted> wanted = wantedOfJson(Json::parse(text, nullptr, false));
  if (!wanted)
    return wanted.failure();
  return std::optional(std::move(*wanted));
}

Json jsonOf(const Wanted &wanted) {
  Json json = Json::object();
  if (!wanted.variant.empty())
    json["variant"] = wanted.variant;
  if (wanted.configuration)
    json.update(jsonOf(*wanted.configuration));
  return json;
}

Json jsonOf(const Candidates &candidates) {
  auto parsed = [](const std::string &text) {
    return text.empty() ? Json() : Json::parse(text);
  };
  Json list = Json::array(), outputs = Json::array(), values = Json::object();
  for (const Candidate &candidate : candidates.list)
    list.push_back({{"layer", candidate.layer},
                    {"variant", candidate.variant},
                    {"configuration", Json::parse(candidate.configuration)},
                    {"choice", jsonOf(candidate.wanted)},
                    {"default", candidate.isDefault},
                    {"source", candidate.source},
                    {"unsupported", candidate.unsupported.empty()
                                        ? Json()
                                        : Json(candidate.unsupported)}});
  for (const SelectedTensor &output : candidates.outputs)
    outputs.push_back({{"name", output.name},
                       {"dtype", output.facts.dtype},
                       {"shape", output.facts.shape}});
  for (const InputValues &each : candidates.values)
    values[each.name] = {
        {"low", each.low}, {"high", each.high}, {"sorted", each.isSorted}};
  return {{"key", parsed(candidates.key)},
          {"bucket", parsed(candidates.bucket)},
          {"outputs", outputs},
          {"values", values},
          {"candidates", list}};
}

// ---------------------------------------------------------------- listing

static std::string itemText(const Selection &selection,
                            const SelectedItem &item) {
  if (item.tensor == SelectedItem::none)
    return item.attribute.empty() ? item.value.repr() : '=' + item.attribute;
  const SelectedTensor &tensor = selection.tensors[item.tensor];
  return '@' + tensor.name + '[' + std::to_string(tensor.member) + ']';
}

// What a plan launches: equal texts are the same work.
static std::string launchesText(const Selection &selection) {
  Json list = Json::array();
  for (const SelectedLaunch &launch : selection.launches) {
    std::map<std::string, std::string> settings;
    for (const auto *values : {&launch.constants, &launch.options})
      for (const NamedValue &value : *values)
        settings[value.name] = value.value.repr();
    std::vector<std::string> arguments;
    for (const SelectedArgument &argument : launch.arguments)
      for (const SelectedItem &item : argument.items)
        arguments.push_back(argument.name + itemText(selection, item));
    list.push_back({launch.file.string(), launch.function, launch.grid,
                    Json(settings), Json(arguments)});
  }
  return list.dump();
}

namespace {
/// Digests of what variants are made of, each read once.
class Sources {
public:
  std::string of(const VariantSpace &space) {
    host::Sha256 sum;
    std::set<std::string> folders;
    for (const Step &step : space.variant->steps)
      folders.insert(std::filesystem::path(step.file).parent_path().string());
    for (const std::string &folder : folders)
      sum.update(folderDigest(folder) + '\n');
    sum.update(textOf(space.op->file));
    return sum.finish().hex();
  }

private:
  // Empty for a pack without its sources.
  const std::string &folderDigest(const std::string &folder) {
    auto [at, isNew] = folders.try_emplace(folder);
    if (isNew)
      if (Result<std::string> digest = digestOfSources(folder))
        at->second = *digest;
    return at->second;
  }
  const std::string &textOf(const std::string &file) {
    auto [at, isNew] = files.try_emplace(file);
    if (isNew)
      if (Result<std::string> text = readText(file))
        at->second = *text;
    return at->second;
  }

  std::map<std::string, std::string> folders, files;
};
} // namespace

Result<Candidates> candidatesOf(const Packs &packs, const TargetFacts &target,
                                std::string_view name, const CallFacts &call,
                                Search search) {
  Candidates out;
  Result<Plan> first = select(packs, target, name, call);
  if (!first)
    return first.failure();
  out.key = first->key;
  out.bucket = first->bucket;
  for (const SelectedTensor &tensor : first->selection.tensors)
    if (tensor.role == SelectedTensor::Role::Output)
      out.outputs.push_back(tensor);
  if (!first->variant)
    return out;
  Result<std::vector<VariantSpace>> spaces =
      spacesOf(packs, target, name, call, search);
  if (!spaces)
    return spaces.failure();

  Result<std::vector<InputValues>> values = valuesOf(packs, target, name, call);
  if (!values)
    return values.failure();
  out.values = std::move(*values);

  std::set<std::string> names;
  std::set<std::string> known; // what is launched
  Sources sources;
  for (const VariantSpace &space : *spaces) {
    Candidate candidate;
    candidate.layer = space.layer;
    candidate.source = sources.of(space);
    candidate.variant = space.variant->name;
    if (space.unsupported.empty() && !names.insert(candidate.variant).second)
      candidate.variant = space.layer + '/' + space.variant->name;
    candidate.configuration = "{}";
    candidate.wanted.variant = candidate.variant;
    candidate.unsupported = space.unsupported;
    if (!space.unsupported.empty()) {
      out.list.push_back(std::move(candidate));
      continue;
    }
    auto add = [&](Candidate each) {
      Result<Plan> plan = select(packs, target, name, call, &each.wanted);
      if (!plan)
        each.unsupported = plan.failure().text;
      else if (!known.insert(launchesText(plan->selection)).second)
        return;
      out.list.push_back(std::move(each));
    };
    Candidate own = candidate;
    own.isDefault = space.variant == first->variant;
    add(std::move(own));
    if (!space.problem.empty()) {
      candidate.unsupported = space.problem;
      out.list.push_back(std::move(candidate));
      continue;
    }
    for (const Configuration &configuration : space.configurations) {
      candidate.wanted.configuration = configuration;
      candidate.configuration = settingsText(configuration);
      add(candidate);
    }
  }
  auto taken = std::ranges::find_if(
      out.list, [](const Candidate &each) { return each.isDefault; });
  if (taken != out.list.end())
    std::rotate(out.list.begin(), taken, taken + 1);
  return out;
}

Result<std::optional<Wanted>>
findCandidate(const Packs &packs, const TargetFacts &target,
              std::string_view name, const CallFacts &call,
              const std::string &variant, const std::string &configuration) {
  for (Search search : {Search::Usual, Search::Expanded}) {
    Result<std::vector<VariantSpace>> spaces =
        spacesOf(packs, target, name, call, search);
    if (!spaces)
      return spaces.failure();
    for (const VariantSpace &space : *spaces) {
      if (!space.unsupported.empty() ||
          (variant != space.variant->name &&
           variant != space.layer + '/' + space.variant->name))
        continue;
      if (configuration.empty() || configuration == "{}")
        return std::optional(Wanted{variant, {}});
      for (const Configuration &each : space.configurations)
        if (settingsText(each) == configuration)
          return std::optional(Wanted{variant, each});
      if (variant == space.variant->name)
        break; // lower layers' have other names
    }
  }
  return std::optional<Wanted>();
}

} // namespace nereid::ops
