// OptionsVerb.cpp - `nereid options`: what a compiler lets its users set, and
// its stages.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Target.h"
#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

// A default as it would be typed after "-O NAME=".
static std::string plainText(const Json &value) {
  if (value.is_array()) {
    std::string text;
    for (const Json &item : value)
      text += (text.empty() ? "" : ",") + plainText(item);
    return text;
  }
  // Bytes are given by their number only.
  if (value.is_object())
    return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "i64 1..32" or "fast|safe"
static std::string valuesOf(const Json &option) {
  std::string text = option.value("type", "");
  if (option.contains("choices")) {
    text.clear();
    for (const Json &choice : option["choices"])
      text += (text.empty() ? "" : "|") + plainText(choice);
  }
  if (option.contains("minimum"))
    text += ' ' + option["minimum"].dump() + ".." + option["maximum"].dump();
  return text;
}

static std::string optionTable(const Json &options) {
  Table table({"option", "values", "default", ""});
  for (const Json &option : options) {
    std::string value = plainText(option.value("default", Json("")));
    table.add({option.value("name", ""), valuesOf(option),
               value.empty() ? "-" : value, option.value("doc", "")});
  }
  return table.text();
}

static std::string stageTable(const Json &stages) {
  Table table({"stage", "input", "output", "file"});
  for (const Json &stage : stages)
    table.add({stage.value("name", ""), stage.value("input", ""),
               stage.value("output", "") +
                   (stage.value("image", false) ? " (image)" : ""),
               '.' + stage.value("extension", "")});
  return table.text();
}

static Expected<int> showOptions(Session &session, const std::string &target,
                                 const std::vector<std::string> &texts) {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  Expected<TargetChoice> choice = chooseTarget(**runtime, target, false);
  if (!choice)
    return choice.error();
  auto values = parseOptionTexts(texts);
  if (!values)
    return values.error();
  Expected<Json> options = optionSchema(*choice);
  if (!options)
    return options.error();
  Expected<Json> stages = stagesFor(*choice, *values);
  if (!stages)
    return stages.error();
  std::string plugin(detail::view(choice->compiler.info().id));
  session.output.document({{"target", choice->name()},
                           {"plugin", plugin},
                           {"options", *options},
                           {"stages", *stages}});
  session.output.text(
      "plugin '" + plugin + "' for " + choice->name() + "\n\n" +
      (options->empty() ? "it has no options\n" : optionTable(*options)) +
      '\n' + stageTable(*stages));
  return exitOk;
}

Verb optionsVerb() {
  auto target = std::make_shared<std::string>();
  auto compiler = std::make_shared<std::string>();
  auto values = std::make_shared<std::vector<std::string>>();
  return {"options",
          "show a compiler's options and stages",
          "options [TARGET] [options]",
          "",
          {{"TARGET", target.get()},
           {"--compiler", compiler.get(), "ID",
            "those of this plugin instead of the device's"},
           {"-O", values.get(), "NAME=VALUE",
            "show the stages with this option set"}},
          [target, compiler, values](Session &session) {
            session.options.compiler = *compiler;
            return showOptions(session, *target, *values);
          }};
}

} // namespace nereid::tool
