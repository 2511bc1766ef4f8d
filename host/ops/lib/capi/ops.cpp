// ops.cpp - packs and choices of operators, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/Ops.h"

#include "abi/Struct.h"
#include "select/Describe.h"
#include "support/Guard.h"
#include "support/Json.h"

#include <cstdlib>

using namespace nereid::ops;
using nereid::host::Json;
using nereid::host::readStruct;

// A variable of the environment, which a process with raised privileges
// ignores.
static std::string variable(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

static std::string userDirectory() {
  std::string config = variable("XDG_CONFIG_HOME");
  if (config.starts_with('/'))
    return config + "/nereid/ops";
  std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.config/nereid/ops" : "";
}

nereid_status_t nereid_ops_create(const nereid_ops_options_t *options,
                                  nereid_ops_t **out_ops) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(out_ops, "out_ops"); !given)
      return given;
    nereid_ops_options_t wanted = {};
    if (options)
      wanted = readStruct(*options);
    bool hasEnvironment = !(wanted.flags & NEREID_OPS_IGNORE_ENVIRONMENT);
    PackSearch search;
    search.directories = view(wanted.pack_dirs);
    search.user = view(wanted.user_dir);
    search.hasInstalled = !(wanted.flags & NEREID_OPS_NO_INSTALLED);
    search.allowsWritable = wanted.flags & NEREID_OPS_ALLOW_WRITABLE;
    if (hasEnvironment) {
      if (search.directories.empty())
        search.directories = variable("NEREID_PACK_DIRS");
      if (search.user.empty())
        search.user = userDirectory();
      search.pluginDirectories = variable("NEREID_PLUGIN_DIRS");
    }
    *out_ops = new nereid_ops_t{Packs::find(search)};
    return {};
  });
}

void nereid_ops_destroy(nereid_ops_t *ops) { delete ops; }

nereid_status_t nereid_ops_report(const nereid_ops_t *ops,
                                  nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(ops, "ops"); !given)
      return given;
    return giveText(nereid::host::dumpJson(reportOf(ops->packs)), out_json);
  });
}

static Result<TargetFacts> factsOf(const nereid_ops_target_t &target) {
  nereid_ops_target_t given = readStruct(target);
  return targetFacts(view(given.device_type), view(given.arch),
                     view(given.compiler), view(given.properties));
}

nereid_status_t nereid_ops_list(const nereid_ops_t *ops,
                                const nereid_ops_target_t *target,
                                nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(ops, "ops"); !given)
      return given;
    if (!target)
      return giveText(nereid::host::dumpJson(listOperators(ops->packs)),
                      out_json);
    Result<TargetFacts> facts = factsOf(*target);
    if (!facts)
      return facts.failure();
    return giveText(nereid::host::dumpJson(listOperators(ops->packs, &*facts)),
                    out_json);
  });
}

nereid_status_t nereid_ops_show(const nereid_ops_t *ops, nereid_string_t name,
                                nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(ops, "ops"); !given)
      return given;
    Result<Json> shown = showOperator(ops->packs, view(name));
    if (!shown)
      return shown.failure();
    return giveText(nereid::host::dumpJson(*shown), out_json);
  });
}

nereid_status_t nereid_ops_explain(const nereid_ops_t *ops,
                                   const nereid_ops_target_t *target,
                                   nereid_string_t name, nereid_string_t call,
                                   nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(ops, "ops"), require(target, "target")})
      if (!given)
        return given;
    Result<TargetFacts> facts = factsOf(*target);
    if (!facts)
      return facts.failure();
    Result<Json> explained =
        explainCall(ops->packs, *facts, view(name), view(call));
    if (!explained)
      return explained.failure();
    return giveText(nereid::host::dumpJson(*explained), out_json);
  });
}
