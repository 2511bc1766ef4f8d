// CommandLine.cpp - the verbs together, their help, and what is said about
// words that do not belong.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Verb.h"

#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::tool {

static constexpr size_t helpColumn = 26;

// An option that may be given several times takes one word each time.
static void addList(CLI::App &app, const std::string &name,
                    std::vector<std::string> &values, const std::string &word,
                    const std::string &description) {
  app.add_option(name, values, description)
      ->type_name(word)
      ->allow_extra_args(false)
      ->take_all();
}

static void declareCommon(CLI::App &app, CommonOptions &options) {
  app.set_help_flag("-h,--help", "show this text");
  app.add_flag("--json", options.json, "print one JSON document on stdout");
  addList(app, "--plugin-dir", options.pluginDirs, "DIR",
          "look for plugins there instead of NEREID_PLUGIN_DIRS");
  addList(app, "--plugin", options.plugins, "FILE", "load this plugin too");
  app.add_flag("--isolated", options.isolated,
               "try each plugin in a child process first");
  app.add_flag("--no-cache", options.noCache,
               "neither read nor write compiled kernels");
  app.add_option("--trace", options.trace,
                 "write a Chrome trace, which Perfetto opens")
      ->type_name("FILE");
  app.add_flag("-v,--verbose", options.verbosity,
               "tell what is done; twice: also what is for debugging");
  app.set_version_flag("--version", "", "show the version");
}

CommandLine::CommandLine(CommonOptions &options)
    : root("Finds backends, compiles Triton kernels and runs them.", "nereid") {
  declareCommon(root, options);
  root.fallthrough();
  root.allow_extras();
  root.require_subcommand(0, 1);
  for (auto declare :
       {declarePlugins, declareDevices, declareExplain, declareOptions,
        declareCompile, declareRun, declareBench, declareCache, declareValidate,
        declareCompletion, declareVersion, declareComplete}) {
    list.push_back(declare(root));
    list.back().app->set_help_flag("-h,--help", "show this text");
    list.back().app->fallthrough();
  }
}

const Verb *CommandLine::find(std::string_view name) const {
  for (const Verb &verb : list)
    if (verb.app->get_name() == name)
      return &verb;
  return nullptr;
}

const Verb *CommandLine::parsed() const {
  for (const Verb &verb : list)
    if (verb.app->parsed())
      return &verb;
  return nullptr;
}

static std::string pad(const std::string &text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ')
                             : text + ' ';
}

// "  -O NAME=VALUE            set an option of the compiler"
static std::string optionLine(const CLI::Option &option) {
  std::string names = option.get_name(false, true);
  for (size_t i = names.find(','); i != names.npos; i = names.find(',', i + 2))
    names.insert(i + 1, " ");
  if (!option.get_type_name().empty() && option.get_items_expected_max() > 0)
    names += ' ' + option.get_type_name();
  return "  " + pad(names, helpColumn - 2) + option.get_description() + '\n';
}

static std::string optionLines(const CLI::App &app) {
  std::string lines;
  for (const CLI::Option *option : app.get_options())
    if (!option->get_positional() && option != app.get_help_ptr() &&
        option != app.get_version_ptr())
      lines += optionLine(*option);
  return lines;
}

std::string CommandLine::help(const Verb *verb) const {
  if (verb) {
    std::string options = optionLines(*verb->app);
    return "Usage: nereid " + verb->usage + '\n' +
           verb->app->get_description() + '\n' +
           (options.empty() ? "" : '\n' + options) +
           (verb->notes.empty() ? "" : '\n' + verb->notes) +
           "\nAll verbs also take --json, --plugin-dir and what "
           "'nereid --help' lists.\n";
  }
  std::string text =
      "Usage: nereid VERB ... [options]\n" + root.get_description() + "\n\n";
  for (const Verb &each : list)
    if (!each.app->get_group().empty())
      text += "  " + pad(each.app->get_name(), 12) +
              each.app->get_description() + '\n';
  return text + '\n' + optionLines(root) +
         "\n'nereid VERB --help' tells more of each.\n";
}

std::vector<std::string> optionNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

Expected<void>
CommandLine::checkWords(const std::vector<std::string> &words) const {
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    if (word == "--")
      break;
    if (!word.starts_with("--") || equals == word.npos)
      continue;
    std::string name = word.substr(0, equals);
    const CLI::Option *option = root.get_option_no_throw(name);
    for (size_t i = 0; !option && i < list.size(); ++i)
      option = list[i].app->get_option_no_throw(name);
    if (option && option->get_items_expected_max() == 0)
      return invalid("'" + word + "': " + name + " takes no value");
  }
  return {};
}

static std::string expectedWord(const CLI::Option &option) {
  return option.get_positional() ? "" : ", expected " + option.get_type_name();
}

Expected<void> CommandLine::checkValues() const {
  const Verb *verb = parsed();
  // The word to be completed may be empty.
  if (!verb || verb->app->get_group().empty())
    return {};
  for (const CLI::App *app : {static_cast<const CLI::App *>(verb->app), &root})
    for (const CLI::Option *option : app->get_options())
      for (const std::string &value : option->results())
        if (value.empty() && option->get_items_expected_max() > 0)
          return invalid(option->get_name() + ": the value is empty" +
                         expectedWord(*option));
  return {};
}

Error CommandLine::mismatch(const Verb *verb, const std::string &name) const {
  const CLI::Option *option =
      verb ? verb->app->get_option_no_throw(name) : nullptr;
  if (!option)
    option = root.get_option_no_throw(name);
  if (!option)
    return invalid(name + " has a wrong number of values");
  int given = static_cast<int>(option->count());
  if (given > option->get_items_expected_max())
    return invalid(name + " is given " + std::to_string(given) +
                   " times, expected once");
  return invalid(name + ": no value" + expectedWord(*option));
}

// Those that start with what was typed are nearer than any other.
static std::vector<std::string>
completions(const std::string &word, const std::vector<std::string> &names) {
  std::vector<std::string> found;
  for (const std::string &name : names)
    if (!word.empty() && name.starts_with(word))
      found.push_back(name);
  return found;
}

Error CommandLine::unexpected(const Verb *verb, const std::string &word) const {
  if (word.starts_with('-')) {
    std::vector<std::string> names = optionNames(root);
    if (verb)
      for (std::string &name : optionNames(*verb->app))
        if (std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(std::move(name));
    std::string name = word.substr(0, word.find('='));
    return invalid("unknown option '" + name + "'" + suggestNames(name, names) +
                   "\nnote: 'nereid " +
                   (verb ? verb->app->get_name() + ' ' : "") +
                   "--help' lists them");
  }
  if (verb)
    return invalid("unexpected argument '" + word + "', expected 'nereid " +
                   verb->usage + "'");
  std::vector<std::string> names;
  for (const Verb &each : list)
    if (!each.app->get_group().empty())
      names.push_back(each.app->get_name());
  std::vector<std::string> meant = completions(word, names);
  if (meant.empty())
    meant = nearestNames(word, names);
  if (meant.empty())
    return invalid("unknown verb '" + word + "'" + suggestNames(word, names));
  return invalid("unknown verb '" + word + "'; did you mean " +
                 quotedList(meant, " or ") + "\nnote: the verbs are " +
                 quotedList(names));
}

} // namespace nereid::tool
