// ValidateVerb.cpp - `nereid validate`: the checks that a vendor runs on a
// plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Progress.h"
#include "TargetText.h"
#include "Text.h"
#include "Verb.h"

#include <filesystem>

namespace nereid::tool {

static Expected<int> validate(Session &session, const std::string &path,
                              const std::string &target) {
  std::error_code problem;
  if (!std::filesystem::exists(path, problem))
    return failure(NEREID_NOT_FOUND, path + ": no such file");
  // Opening a FIFO would wait for its writer.
  if (!std::filesystem::is_regular_file(path, problem))
    return failure(NEREID_INVALID_ARGUMENT, path + ": not a regular file");
  const std::vector<std::string> &others = session.options.plugins;
  if (others.size() > 1)
    return invalid("validate accepts one --plugin, a compiler for " + path +
                   "; " + std::to_string(others.size()) + " are given");
  nereid_validate_request_t request = {};
  request.struct_size = sizeof request;
  request.path = detail::borrow(path);
  if (!others.empty())
    request.compiler = detail::borrow(others.front());
  TargetText compiled;
  nereid_target_t borrowed;
  if (!target.empty()) {
    Expected<TargetText> parsed = TargetText::parse(target);
    if (!parsed)
      return parsed.error();
    compiled = std::move(*parsed);
    borrowed = compiled.get();
    request.target = &borrowed;
  }
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status;
  {
    Progress progress("checking " + path);
    status = nereid_validate_plugin(&request, &buffer);
  }
  Expected<Json> checks = takeJson(status, buffer);
  if (!checks)
    return checks.error();
  size_t failed = 0, skipped = 0;
  Table table({"result", "check", "detail"});
  for (const Json &check : *checks) {
    std::string result = check.value("result", "");
    failed += result == "fail";
    skipped += result == "skip";
    table.add({result, check.value("check", ""), check.value("detail", "")});
  }
  session.output.document({{"plugin", path},
                           {"valid", failed == 0},
                           {"failed", failed},
                           {"skipped", skipped},
                           {"checks", *checks}});
  session.output.text(table.text() + '\n' +
                      std::to_string(checks->size() - failed - skipped) +
                      " passed, " + std::to_string(failed) + " failed, " +
                      std::to_string(skipped) + " skipped\n");
  if (failed)
    return failure(workFailed, path + ": " + std::to_string(failed) + " of " +
                                   std::to_string(checks->size()) +
                                   " checks failed");
  return exitOk;
}

Verb validateVerb() {
  auto path = std::make_shared<std::string>();
  auto target = std::make_shared<std::string>();
  return {"validate",
          "check a plugin, as its vendor would",
          "validate PLUGIN.so [options]",
          "Each check runs in a process of its own; a plugin that crashes "
          "fails one.\ndocs/validate.md lists them. --plugin COMPILER.so "
          "compiles for a plugin that\nhas only a driver.\n",
          {{"PLUGIN", path.get(), "", "", true},
           {"--target", target.get(), "TARGET",
            "what a compiler without a device compiles for"}},
          [path, target](Session &session) {
            return validate(session, *path, *target);
          }};
}

} // namespace nereid::tool
