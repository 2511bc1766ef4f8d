// Choice.cpp - the rules by which a driver is chosen.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Choice.h"

#include "plugin/Target.h"
#include "support/Json.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace nereid::host {

Result<TargetName> TargetName::parse(std::string_view text) {
  TargetName target;
  size_t colon = text.rfind(':');
  target.name = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const char *end = text.data() + text.size();
    auto [stop, error] =
        std::from_chars(text.data() + colon + 1, end, target.device);
    if (error != std::errc() || stop != end || target.name.empty())
      return Failure{NEREID_INVALID_ARGUMENT,
                     "target '" + std::string(text) +
                         "' is not a valid target, expected one like 'cpu' or "
                         "'vulkan:1'"};
  }
  return target;
}

static bool isActive(const Plugin &plugin) {
  return plugin.hasDriver && plugin.probe().result.score > 0 &&
         plugin.probe().result.device_count > 0;
}

/// Active, and may be chosen by default.
static bool isEligible(const Plugin &plugin) {
  return isActive(plugin) &&
         !(plugin.probe().result.flags & NEREID_PROBE_BY_NAME_ONLY);
}

static bool isHostCpu(const Plugin &plugin) {
  return plugin.hasDriver &&
         (plugin.probe().result.flags & NEREID_PROBE_IS_HOST_CPU);
}

static int32_t scoreOf(const Plugin &plugin) {
  return plugin.hasDriver ? plugin.probe().result.score : 0;
}

/// The first of the best; null for an empty list.
static std::shared_ptr<Plugin> best(const PluginList &plugins) {
  auto found = std::max_element(
      plugins.begin(), plugins.end(),
      [](const auto &a, const auto &b) { return scoreOf(*a) < scoreOf(*b); });
  return found == plugins.end() ? nullptr : *found;
}

std::shared_ptr<Plugin> findPlugin(const PluginList &plugins,
                                   std::string_view name) {
  for (const std::shared_ptr<Plugin> &plugin : plugins)
    if (plugin->info.id == name)
      return plugin;
  for (std::string PluginInfo::*field :
       {&PluginInfo::deviceType, &PluginInfo::name}) {
    PluginList matching;
    for (const std::shared_ptr<Plugin> &plugin : plugins)
      if (!name.empty() && plugin->info.*field == name)
        matching.push_back(plugin);
    if (std::shared_ptr<Plugin> found = best(matching))
      return found;
  }
  return nullptr;
}

Failure notFound(const PluginList &plugins, std::string_view name,
                 const RefusalOf &refusalOf) {
  std::string text = "no plugin is called '" + std::string(name) + "'";
  if (std::string refusal = refusalOf ? refusalOf(name) : std::string();
      !refusal.empty())
    return {NEREID_NOT_FOUND, text + ": it was refused: " + refusal};
  std::vector<std::string> names;
  for (const std::shared_ptr<Plugin> &plugin : plugins)
    for (const std::string &known :
         {plugin->info.id, plugin->info.deviceType, plugin->info.name})
      if (!known.empty() &&
          std::find(names.begin(), names.end(), known) == names.end())
        names.push_back(known);
  return {NEREID_NOT_FOUND, text + suggestNames(name, names)};
}

static Result<Choice> chooseNamed(const PluginList &plugins,
                                  std::string_view text, ChoiceRule rule,
                                  const RefusalOf &refusalOf) {
  Result<TargetName> target = TargetName::parse(text);
  if (!target)
    return target.failure();
  Choice choice;
  choice.rule = rule;
  choice.device = target->device;
  choice.plugin = findPlugin(plugins, target->name);
  if (!choice.plugin)
    return notFound(plugins, target->name, refusalOf);
  if (Outcome checked = checkDevice(*choice.plugin, choice.device); !checked)
    return checked.failure();
  return choice;
}

static Failure noneActive(const PluginList &plugins) {
  std::string text = "no driver is active";
  if (plugins.empty())
    text += ": no plugin is loaded";
  for (const std::shared_ptr<Plugin> &plugin : plugins)
    if (Outcome checked = checkDevice(*plugin, 0); !checked)
      text += "\nnote: " + checked.failure().text;
    else if (!isEligible(*plugin))
      text += "\nnote: plugin '" + plugin->info.id +
              "' is chosen only if it is named";
  return {NEREID_UNAVAILABLE, text};
}

static Result<Choice> chooseBest(const PluginList &plugins) {
  PluginList active, devices;
  for (const std::shared_ptr<Plugin> &plugin : plugins)
    if (isEligible(*plugin)) {
      active.push_back(plugin);
      if (!isHostCpu(*plugin))
        devices.push_back(plugin);
    }
  if (active.empty())
    return noneActive(plugins);
  const PluginList &pool = devices.empty() ? active : devices;
  Choice choice;
  choice.plugin = best(pool);
  for (const std::shared_ptr<Plugin> &other : pool)
    if (other != choice.plugin && scoreOf(*other) == scoreOf(*choice.plugin))
      choice.ties.push_back(other->info.id);
  if (active.size() == 1)
    choice.rule = ChoiceRule::OnlyOne;
  else if (pool.size() == 1)
    choice.rule = ChoiceRule::DeviceFirst;
  else
    choice.rule = choice.ties.empty() ? ChoiceRule::Score : ChoiceRule::Order;
  return choice;
}

Result<Choice> choose(const PluginList &plugins, std::string_view name,
                      std::string_view environment,
                      const RefusalOf &refusalOf) {
  if (!name.empty())
    return chooseNamed(plugins, name, ChoiceRule::Name, refusalOf);
  if (!environment.empty())
    return chooseNamed(plugins, environment, ChoiceRule::Environment,
                       refusalOf);
  return chooseBest(plugins);
}

// ---- Explanation

static std::pair<const char *, const char *> ruleText(ChoiceRule rule) {
  switch (rule) {
  case ChoiceRule::Name:
    return {"name", "it was named"};
  case ChoiceRule::Environment:
    return {"environment", "NEREID_TARGET names it"};
  case ChoiceRule::OnlyOne:
    return {"only-one", "no other driver is active"};
  case ChoiceRule::DeviceFirst:
    return {"device-first",
            "it is the only active device besides the host's CPU"};
  case ChoiceRule::Score:
    return {"score", "it has the best score"};
  case ChoiceRule::Order:
    return {"order", "it has the best score, as others do, and comes first in "
                     "the order of directories"};
  }
  return {"unknown", "unknown"};
}

/// The order of preference of drivers.
static PluginList ranked(const PluginList &plugins) {
  std::vector<std::tuple<bool, bool, int32_t, size_t>> keys; // best first
  for (size_t i = 0; i < plugins.size(); ++i)
    if (const Plugin &plugin = *plugins[i]; plugin.hasDriver)
      keys.emplace_back(!isEligible(plugin), isHostCpu(plugin),
                        -std::max(scoreOf(plugin), 0), i);
  std::sort(keys.begin(), keys.end());
  PluginList drivers;
  for (const auto &key : keys)
    drivers.push_back(plugins[std::get<size_t>(key)]);
  return drivers;
}

static Json describeDriver(const Plugin &plugin, size_t place) {
  Json json;
  json["place"] = place;
  json["id"] = plugin.info.id;
  json["device_type"] = plugin.info.deviceType;
  json["path"] = plugin.info.path;
  json["active"] = isActive(plugin);
  json["score"] = plugin.probe().result.score;
  json["device_count"] = plugin.probe().result.device_count;
  json["host_cpu"] = isHostCpu(plugin);
  json["by_name_only"] =
      (plugin.probe().result.flags & NEREID_PROBE_BY_NAME_ONLY) != 0;
  json["reason"] = plugin.probe().reason;
  return json;
}

Json explainChoice(const PluginList &plugins, std::string_view name,
                   std::string_view environment, const RefusalOf &refusalOf) {
  Json json;
  json["requested"] = name;
  json["environment"] = environment;
  json["drivers"] = Json::array();
  for (const std::shared_ptr<Plugin> &plugin : ranked(plugins))
    json["drivers"].push_back(
        describeDriver(*plugin, json["drivers"].size() + 1));
  Result<Choice> choice = choose(plugins, name, environment, refusalOf);
  if (!choice) {
    json["winner"] = nullptr;
    json["error"] = choice.failure().text;
    return json;
  }
  auto [rule, why] = ruleText(choice->rule);
  json["winner"] = {{"id", choice->plugin->info.id},
                    {"device", choice->device}};
  json["rule"] = rule;
  json["why"] = why;
  json["ties"] = choice->ties;
  return json;
}

} // namespace nereid::host
