// ExplainVerb.cpp - `nereid explain`: why a target is the one that is taken.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

static std::string driverTable(const Json &drivers) {
  Table table({"place", "plugin", "device", "score", "", "reason"});
  table.alignRight(0);
  table.alignRight(3);
  for (const Json &driver : drivers) {
    std::string kind = !driver.value("active", false)        ? "inactive"
                       : driver.value("by_name_only", false) ? "by name only"
                       : driver.value("host_cpu", false) ? "host's processor"
                                                         : "device";
    table.add({std::to_string(driver.value("place", 0)), driver.value("id", ""),
               driver.value("device_type", ""),
               std::to_string(driver.value("score", 0)), kind,
               driver.value("reason", "")});
  }
  return table.text();
}

static std::string verdict(const Json &reasons) {
  std::string environment = reasons.value("environment", "");
  std::string text =
      environment.empty() ? "" : "NEREID_TARGET is '" + environment + "'\n";
  const Json winner = reasons.value("winner", Json());
  if (!winner.is_object())
    return text;
  text += "plugin '" + winner.value("id", "") +
          "' is taken: " + reasons.value("why", "") + '\n';
  for (const Json &tie : reasons.value("ties", Json::array()))
    text += "plugin '" + tie.get<std::string>() + "' has the same score\n";
  return text;
}

static Expected<int> explain(Session &session, const std::string &target) {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_runtime_explain(
      (*runtime)->get(), detail::borrow(target), &buffer);
  Expected<Json> reasons = takeJson(status, buffer);
  if (!reasons)
    return reasons.error();
  session.output.document(*reasons);
  const Json drivers = reasons->value("drivers", Json::array());
  std::string text = verdict(*reasons);
  if (!drivers.empty())
    text += (text.empty() ? "" : "\n") + driverTable(drivers);
  session.output.text(text);
  if (!reasons->value("winner", Json()).is_object())
    if (auto chosen = (*runtime)->choose(target); !chosen)
      return chosen.error();
  return exitOk;
}

Verb declareExplain(CLI::App &parent) {
  CLI::App *app = parent.add_subcommand(
      "explain", "say why a target is the one that is taken");
  auto target = std::make_shared<std::string>();
  app->add_option("TARGET", *target);
  return {app, "explain [TARGET] [options]", "",
          [target](Session &session) { return explain(session, *target); }};
}

} // namespace nereid::tool
