// ExplainVerb.cpp - `nereid explain`: why a target is chosen.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Target.h"
#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

// The backend of that id; it comes from the list of drivers.
static std::optional<Backend> findBackend(const Runtime &runtime,
                                          const std::string &id) {
  nereid_backend_t *backend = nullptr;
  if (nereid_runtime_backend(runtime.get(), detail::borrow(id), &backend) !=
      NEREID_OK)
    return std::nullopt;
  return Backend(backend);
}

// The compiler for \p driver: "compiler", an id or null, and then
// "compiler_error".
static void addCompiler(const Runtime &runtime, Json &driver, uint32_t device) {
  std::optional<Backend> backend = findBackend(runtime, driver.value("id", ""));
  if (!backend)
    return;
  Expected<Backend> compiler = compilerFor(*backend, device);
  if (compiler) {
    driver["compiler"] = std::string(detail::view(compiler->info().id));
    return;
  }
  driver["compiler"] = nullptr;
  driver["compiler_error"] = compiler.error().text;
}

static void addCompilers(const Runtime &runtime, Json &reasons) {
  for (Json &driver : reasons["drivers"])
    addCompiler(runtime, driver, 0);
  if (Json &winner = reasons["winner"]; winner.is_object())
    addCompiler(runtime, winner, winner.value("device", 0u));
}

static std::string compilerText(const Json &driver) {
  const Json compiler = driver.value("compiler", Json());
  return compiler.is_string() ? compiler.get<std::string>() : "none";
}

static std::string driverTable(const Json &drivers) {
  Table table({"place", "plugin", "device", "score", "", "compiler", "reason"});
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
               compilerText(driver), driver.value("reason", "")});
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
          "' is chosen: " + reasons.value("why", "") + '\n';
  for (const Json &tie : reasons.value("ties", Json::array()))
    text += "plugin '" + tie.get<std::string>() + "' has the same score\n";
  if (winner.value("compiler", Json()).is_string())
    text += "plugin '" + compilerText(winner) + "' compiles for it\n";
  else
    text +=
        "nothing compiles for it: " + winner.value("compiler_error", "") + '\n';
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
  addCompilers(**runtime, *reasons);
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

Verb explainVerb() {
  auto target = std::make_shared<std::string>();
  return {"explain",
          "show why a target is chosen",
          "explain [TARGET] [options]",
          "",
          {{"TARGET", target.get()}},
          [target](Session &session) { return explain(session, *target); }};
}

} // namespace nereid::tool
