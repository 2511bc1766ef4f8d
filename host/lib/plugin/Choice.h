// Choice.h - which driver a host program gets, and why.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An explicit name wins, then NEREID_TARGET, then the best score, then the
// order of directories. The host's CPU is chosen by default only if no other
// device is active.

#ifndef NEREID_HOST_PLUGIN_CHOICE_H
#define NEREID_HOST_PLUGIN_CHOICE_H

#include "plugin/Plugin.h"
#include "support/JsonFwd.h"
#include "support/Result.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

using PluginList = std::vector<std::shared_ptr<Plugin>>;

/// What a user names a driver by: "cpu", "vulkan:1", a plugin's id.
struct TargetName {
  std::string name;
  uint32_t device = 0;

  static Result<TargetName> parse(std::string_view text);
};

/// The rule that decided.
enum class ChoiceRule {
  Name,
  Environment,
  OnlyOne,     // no other driver is active
  DeviceFirst, // all others are host CPUs
  Score,
  Order
};

struct Choice {
  std::shared_ptr<Plugin> plugin;
  uint32_t device = 0;
  ChoiceRule rule = ChoiceRule::Name;
  std::vector<std::string> ties; // ids with the same score as the winner
};

/// The plugin with id \p name, else the best one of device type \p name, else
/// that of the checkout \p name; null if there is none.
std::shared_ptr<Plugin> findPlugin(const PluginList &plugins,
                                   std::string_view name);

/// Why the plugin with an id was refused; empty if none with it was.
using RefusalOf = std::function<std::string(std::string_view id)>;

/// The failure if findPlugin() finds no plugin \p name: says why that one was
/// refused, or suggests similar names.
Failure notFound(const PluginList &plugins, std::string_view name,
                 const RefusalOf &refusalOf);

/// Chooses by \p name, or \p environment (the value of NEREID_TARGET) if that
/// is empty, or the rules above if both are.
Result<Choice> choose(const PluginList &plugins, std::string_view name,
                      std::string_view environment,
                      const RefusalOf &refusalOf = {});

/// The same, as JSON: every driver by rank, the winner, the rule.
Json explainChoice(const PluginList &plugins, std::string_view name,
                   std::string_view environment,
                   const RefusalOf &refusalOf = {});

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_CHOICE_H
