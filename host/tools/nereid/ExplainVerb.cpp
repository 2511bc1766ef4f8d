// ExplainVerb.cpp - `nereid explain`: why a target is the one that is taken.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

// The document as lines: members of objects indented below their name.
static std::string outline(const Json &value, const std::string &indent) {
  std::string text;
  for (const auto &[name, member] : value.items()) {
    bool isNested =
        member.is_object() ||
        (member.is_array() && !member.empty() && member.front().is_object());
    if (isNested)
      text += indent + name + '\n' + outline(member, indent + "  ");
    else
      text += indent + name + "  " +
              (member.is_string() ? member.get<std::string>() : member.dump()) +
              '\n';
  }
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
  session.output.text(outline(*reasons, ""));
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
