// PluginsVerb.cpp - `nereid plugins`: what was found, loaded and refused.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

// The vendor's checkout that the file of plugin `id` is in, from the load
// report; "-" if it is in none.
static std::string checkoutOf(const Json &report, const std::string &id) {
  for (const Json &candidate : report.value("candidates", Json::array()))
    if (candidate.value("loaded", false) && candidate.value("id", "") == id)
      if (std::string name = candidate.value("name", ""); !name.empty())
        return name;
  return "-";
}

static std::string loadedTable(const std::vector<Backend> &backends,
                               const Json &report) {
  Table table({"plugin", "device", "version", "parts", "checkout", "path"});
  for (const Backend &backend : backends) {
    nereid_backend_info_t info = backend.info();
    std::string parts = info.has_compiler ? "compiler" : "";
    if (info.has_driver)
      parts += parts.empty() ? "driver" : "+driver";
    std::string path(detail::view(info.path)), id(detail::view(info.id));
    table.add({id, std::string(detail::view(info.device_type)),
               std::string(detail::view(info.version)), parts,
               checkoutOf(report, id), path.empty() ? "(in process)" : path});
  }
  return table.text();
}

// "no-note: /x/y.so: no note ...", and below it what to do.
static std::string refusal(const nereid_candidate_t &candidate) {
  auto view = [](nereid_string_t text) {
    return std::string(detail::view(text));
  };
  std::string text = "  " + view(candidate.path) + "\n    " +
                     view(candidate.reason) + ": " + view(candidate.detail) +
                     '\n';
  if (candidate.winner.size)
    text += "    loaded instead: " + view(candidate.winner) + '\n';
  if (candidate.remedy.size)
    text += "    " + view(candidate.remedy) + '\n';
  return text;
}

// A directory that is listed twice is shown only on request.
static bool isNews(const nereid_candidate_t &candidate, bool isVerbose) {
  return !candidate.loaded &&
         (isVerbose || detail::view(candidate.reason) != "duplicate-file");
}

static std::string refusals(const Runtime &runtime, bool isVerbose) {
  std::string text;
  uint64_t count = nereid_runtime_candidate_count(runtime.get());
  for (uint64_t i = 0; i < count; ++i) {
    auto candidate = detail::sized<nereid_candidate_t>();
    if (nereid_runtime_candidate(runtime.get(), i, &candidate) == NEREID_OK &&
        isNews(candidate, isVerbose))
      text += refusal(candidate);
  }
  return text;
}

static Expected<int> listPlugins(Session &session) {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_runtime_report((*runtime)->get(), &buffer);
  Expected<Json> report = takeJson(status, buffer);
  if (!report)
    return report.error();
  session.output.document(*report);
  std::vector<Backend> backends = (*runtime)->backends();
  std::string refused = refusals(**runtime, session.options.verbosity > 0);
  if (backends.empty())
    session.output.text("no plugin is loaded; set NEREID_PLUGIN_DIRS or give "
                        "--plugin-dir\n");
  else
    session.output.text(loadedTable(backends, *report));
  if (!refused.empty())
    session.output.text("\nnot loaded:\n" + refused);
  return exitOk;
}

Verb pluginsVerb() {
  return {
      "plugins",  "list what was found and loaded", "plugins [options]", "", {},
      listPlugins};
}

} // namespace nereid::tool
