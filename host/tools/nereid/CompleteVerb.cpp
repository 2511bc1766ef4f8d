// CompleteVerb.cpp - `nereid complete -- WORD...`: candidates for the last
// word, one candidate a line, with a tab and a description after it. ":files"
// and ":dirs" leave it to the shell.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CommandLine.h"
#include "Target.h"
#include "text/EscapeForTerminal.h"

#include <algorithm>

namespace nereid::tool {

namespace {
/// The words of an unfinished line, read as the command line is.
class Completer {
public:
  Completer(Session &session, std::vector<std::string> words);

  std::string candidates();

private:
  void readWord(const std::string &word);
  void add(const std::string &candidate, const std::string &description = {});
  void addVerbs();
  void addNames(const std::vector<OptionSpec> &options);
  void addTargets();
  void addCompilers();
  void addCompilerOptions();
  void addStages(const std::string &suffix);
  void addPositional();
  void addValue(const std::string &option);
  std::optional<TargetChoice> choose();

  CommonOptions unused;
  CommandLine line{unused};
  Session &session;
  std::string current; ///< the word to be completed
  std::string valueOf; ///< the option whose value that is
  const Verb *verb = nullptr;
  size_t positionals = 0; ///< complete ones after the verb
  std::string target;
  std::string text;
};
} // namespace

Completer::Completer(Session &session, std::vector<std::string> words)
    : session(session) {
  if (words.empty())
    words.emplace_back();
  current = words.back();
  words.pop_back();
  for (const std::string &word : words)
    readWord(word);
}

void Completer::readWord(const std::string &word) {
  if (!valueOf.empty()) {
    if (valueOf == "--target")
      target = word;
    else if (valueOf == "--compiler")
      session.options.compiler = word;
    else if (valueOf == "--plugin-dir")
      session.options.pluginDirs.push_back(word);
    else if (valueOf == "--plugin")
      session.options.plugins.push_back(word);
    valueOf.clear();
  } else if (word.starts_with('-')) {
    const OptionSpec *option = line.findOption(verb, word);
    if (option && !option->isFlag())
      valueOf = word;
  } else if (!verb) {
    verb = line.find(word);
  } else {
    ++positionals;
    if (verb->name == "options")
      target = word;
  }
}

void Completer::add(const std::string &candidate,
                    const std::string &description) {
  if (candidate.starts_with(':') || candidate.starts_with(current))
    text += candidate + (description.empty() ? "" : '\t' + description) + '\n';
}

void Completer::addVerbs() {
  for (const Verb &each : line.verbs())
    if (!each.isHidden())
      add(each.name, each.description);
}

void Completer::addNames(const std::vector<OptionSpec> &options) {
  for (const OptionSpec &option : options)
    for (const std::string &name : option.spellings())
      add(name, option.description);
}

std::optional<TargetChoice> Completer::choose() {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return std::nullopt;
  Expected<TargetChoice> choice = chooseTarget(**runtime, target, false);
  if (!choice)
    return std::nullopt;
  return *choice;
}

void Completer::addTargets() {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return;
  std::vector<std::string> seen;
  for (const Backend &backend : (*runtime)->backends()) {
    nereid_backend_info_t info = backend.info();
    std::string type(detail::view(info.device_type));
    if (std::find(seen.begin(), seen.end(), type) == seen.end())
      add(type, std::string(detail::view(info.description)));
    seen.push_back(type);
  }
}

void Completer::addCompilers() {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return;
  for (const Backend &backend : (*runtime)->backends())
    if (nereid_backend_info_t info = backend.info(); info.has_compiler)
      add(std::string(detail::view(info.id)),
          std::string(detail::view(info.description)));
}

void Completer::addCompilerOptions() {
  std::optional<TargetChoice> choice = choose();
  Expected<Json> options =
      choice ? optionSchema(*choice) : Expected<Json>(Json::array());
  if (!options)
    return;
  for (const Json &option : *options) {
    std::string start = option.value("name", "") + '=';
    if (!current.starts_with(start)) {
      add(start, option.value("doc", ""));
      continue;
    }
    for (const Json &choiceText : option.value("choices", Json::array()))
      add(start + choiceText.get<std::string>());
    if (option.value("type", "") == "bool") {
      add(start + "true");
      add(start + "false");
    }
  }
}

void Completer::addStages(const std::string &suffix) {
  std::optional<TargetChoice> choice = choose();
  Expected<Json> stages =
      choice ? stagesFor(*choice, {}) : Expected<Json>(Json::array());
  if (!stages)
    return;
  for (const Json &stage : *stages)
    add(stage.value("name", "") + suffix,
        stage.value("input", "") + " to " + stage.value("output", ""));
}

void Completer::addValue(const std::string &option) {
  if (option == "--target")
    addTargets();
  else if (option == "--compiler")
    addCompilers();
  else if (option == "-O")
    addCompilerOptions();
  else if (option == "--start-at" || option == "--stop-after")
    addStages("");
  else if (option == "--replace" && current.find('=') == current.npos)
    addStages("=");
  else if (option == "--format")
    for (const char *format : {"json", "ort", "pytorch"})
      add(format);
  else if (option == "--plugin-dir" || option == "--dump")
    add(":dirs");
  else if (option == "-o" || option == "--trace" || option == "--plugin" ||
           option == "--header" || option == "--object" ||
           option == "--depfile" || option == "--store" ||
           option == "--before" || current.find('=') != current.npos)
    add(":files");
}

static bool takesFile(const std::string &verb) {
  return verb == "compile" || verb == "run" || verb == "bench" ||
         verb == "validate";
}

static bool takesFiles(const std::string &verb) {
  return verb == "build" || verb == "trace";
}

void Completer::addPositional() {
  std::string name = verb->name;
  if (name == "cache" && positionals == 0)
    for (const char *action : {"stat", "verify", "gc", "clear"})
      add(action);
  else if (name == "archive" && positionals == 0)
    for (const char *action :
         {"list", "show", "verify", "extract", "explain", "merge"})
      add(action);
  else if (name == "tune" && positionals == 0)
    for (const char *action :
         {"list", "merge", "diff", "export", "import", "report"})
      add(action);
  else if (name == "archive" || name == "tune" || takesFiles(name))
    add(":files");
  else if (name == "completion" && positionals == 0)
    for (const char *shell : {"bash", "zsh", "fish"})
      add(shell);
  else if ((name == "options" || name == "explain") && positionals == 0)
    addTargets();
  else if (positionals == 0 && takesFile(name))
    add(":files");
  else if (name == "run" || name == "bench") {
    if (current.find('@') != current.npos)
      return add(":files");
    for (const char *type : {"f64", "f32", "f16", "bf16", "fp8e4m3", "fp8e5m2",
                             "i64", "i32", "i16", "i8", "i1"}) {
      add(type + std::string("["));
      add(type + std::string("="));
    }
  }
}

std::string Completer::candidates() {
  if (!valueOf.empty())
    addValue(valueOf);
  else if (current.starts_with('-')) {
    if (verb)
      addNames(verb->options);
    addNames(line.commonOptions());
  } else if (!verb)
    addVerbs();
  else
    addPositional();
  return text;
}

Verb completeVerb() {
  auto words = std::make_shared<std::vector<std::string>>();
  return {"complete",
          "",
          "complete -- WORD...",
          "",
          {{"WORD", words.get()}},
          [words](Session &session) -> Expected<int> {
            session.output.raw(
                escapeForTerminal(Completer(session, *words).candidates()));
            return exitOk;
          }};
}

} // namespace nereid::tool
