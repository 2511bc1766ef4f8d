// CommandLine.cpp - the verbs, their help, and errors for unexpected
// words. The one file that CLI11 is compiled in.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CommandLine.h"

#include "text/Suggestions.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace nereid::tool {

static constexpr size_t helpColumn = 26;
static constexpr const char *summary =
    "Finds backends, compiles Triton kernels and runs them.";

CommandLine::CommandLine(CommonOptions &options) {
  common = {
      {"-h,--help", {}, "", "show this text"},
      {"--json", &options.json, "", "print one JSON document on stdout"},
      {"--plugin-dir", &options.pluginDirs, "DIR",
       "look for plugins there instead of NEREID_PLUGIN_DIRS"},
      {"--plugin", &options.plugins, "FILE", "load this plugin too"},
      {"--isolated", &options.isolated, "",
       "try each plugin in a child process first"},
      {"--no-cache", &options.noCache, "",
       "neither read nor write compiled kernels"},
      {"--trace", &options.trace, "FILE",
       "write a Chrome trace, which Perfetto opens"},
      {"-v,--verbose", &options.verbosity, "",
       "report what is done; twice: debug messages too"},
      {"--version", {}, "", "show the version"},
  };
  list = {pluginsVerb(), devicesVerb(),   explainVerb(),  optionsVerb(),
          compileVerb(), runVerb(),       benchVerb(),    buildVerb(),
          traceVerb(),   archiveVerb(),   opsVerb(),      tuneVerb(),
          cacheVerb(),   newPluginVerb(), validateVerb(), completionVerb(),
          versionVerb(), completeVerb()};
}

const Verb *CommandLine::find(std::string_view name) const {
  for (const Verb &verb : list)
    if (verb.name == name)
      return &verb;
  return nullptr;
}

const OptionSpec *CommandLine::findOption(const Verb *verb,
                                          std::string_view name) const {
  const OptionSpec *option =
      verb ? tool::findOption(verb->options, name) : nullptr;
  return option ? option : tool::findOption(common, name);
}

static std::string pad(const std::string &text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ')
                             : text + ' ';
}

// "  -O NAME=VALUE            set an option of the compiler"
static std::string optionLine(const OptionSpec &option) {
  std::string names;
  for (const std::string &spelling : option.spellings())
    names += (names.empty() ? "" : ", ") + spelling;
  if (!option.word.empty())
    names += ' ' + option.word;
  return "  " + pad(names, helpColumn - 2) + option.description + '\n';
}

static std::string optionLines(const std::vector<OptionSpec> &options) {
  std::string lines;
  for (const OptionSpec &option : options)
    if (!option.isPositional() && !option.showsText() &&
        !option.description.empty())
      lines += optionLine(option);
  return lines;
}

std::string CommandLine::help(const Verb *verb) const {
  if (verb) {
    std::string options = optionLines(verb->options);
    return "Usage: nereid " + verb->usage + '\n' + verb->description + '\n' +
           (options.empty() ? "" : '\n' + options) +
           (verb->notes.empty() ? "" : '\n' + verb->notes) +
           "\nAll verbs also take --json, --plugin-dir and what "
           "'nereid --help' lists.\n";
  }
  std::string text =
      "Usage: nereid VERB ... [options]; 'nereid VERB --help' describes "
      "each\n";
  for (const Verb &each : list)
    if (!each.isHidden())
      text += "  " + pad(each.name, 12) + each.description + '\n';
  // One line for what is seldom needed, so that all fits on a screen.
  static const std::vector<std::string> seldom = {"--isolated", "--no-cache",
                                                  "--trace"};
  std::vector<OptionSpec> often;
  std::string others;
  for (const OptionSpec &option : common)
    if (std::find(seldom.begin(), seldom.end(), option.names) == seldom.end())
      often.push_back(option);
    else
      others += (others.empty() ? "  " : ", ") + option.names +
                (option.word.empty() ? "" : ' ' + option.word);
  return text + '\n' + optionLines(often) + others + ": see docs/tool.md\n";
}

// A flag with a value, where the parser would be lenient.
Expected<void>
CommandLine::checkWords(const std::vector<std::string> &words) const {
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    if (word == "--")
      break;
    if (!word.starts_with("--") || equals == word.npos)
      continue;
    std::string name = word.substr(0, equals);
    const OptionSpec *option = findOption(nullptr, name);
    for (size_t i = 0; !option && i < list.size(); ++i)
      option = findOption(&list[i], name);
    if (option && option->isFlag())
      return invalid("'" + word + "': " + name + " takes no value");
  }
  return {};
}

// Names that start with the typed text are nearest.
static std::vector<std::string>
completions(const std::string &word, const std::vector<std::string> &names) {
  std::vector<std::string> found;
  for (const std::string &name : names)
    if (!word.empty() && name.starts_with(word))
      found.push_back(name);
  return found;
}

static void addNames(std::vector<std::string> &names,
                     const std::vector<OptionSpec> &options) {
  for (const OptionSpec &option : options)
    for (std::string &spelling : option.spellings())
      names.push_back(std::move(spelling));
}

Error CommandLine::unexpectedOption(const Verb *verb,
                                    const std::string &word) const {
  std::vector<std::string> names;
  addNames(names, common);
  if (verb)
    addNames(names, verb->options);
  std::string name = word.substr(0, word.find('='));
  bool hasProgram = verb && verb->usage.find("[--]") != std::string::npos;
  return invalid("unknown option '" + name + "'" + suggestNames(name, names) +
                 "\nnote: 'nereid " + (verb ? verb->name + ' ' : "") +
                 "--help' lists them" +
                 (hasProgram ? "; those of the program follow '--'" : ""));
}

Error CommandLine::unknownVerb(const std::string &word) const {
  std::vector<std::string> names;
  for (const Verb &each : list)
    if (!each.isHidden())
      names.push_back(each.name);
  std::vector<std::string> meant = completions(word, names);
  if (meant.empty())
    meant = nearestNames(word, names);
  if (meant.empty())
    return invalid("unknown verb '" + word + "'" + suggestNames(word, names));
  return invalid("unknown verb '" + word + "'; did you mean " +
                 quotedList(meant, " or ") + "\nnote: the verbs are " +
                 quotedList(names));
}

Error CommandLine::unexpected(const Verb *verb, const std::string &word) const {
  if (word.starts_with('-'))
    return unexpectedOption(verb, word);
  if (verb)
    return invalid("unexpected argument '" + word + "', expected 'nereid " +
                   verb->usage + "'");
  return unknownVerb(word);
}

/// CLI11's view of one line.
class Parser {
public:
  explicit Parser(const CommandLine &line);
  Expected<CommandLine::Request> parse(std::vector<std::string> words);

private:
  static void declare(CLI::App &app, const OptionSpec &option);
  const Verb *parsed() const;
  Error describe(const CLI::ParseError &error) const;
  Error mismatch(const Verb *verb, const std::string &name) const;
  Expected<void> checkValues() const;

  const CommandLine &line;
  CLI::App root;
  std::vector<CLI::App *> apps; // one for each verb, in their order
};

void Parser::declare(CLI::App &app, const OptionSpec &option) {
  CLI::Option *made = nullptr;
  if (auto *flag = std::get_if<bool *>(&option.value))
    made = app.add_flag(option.names, **flag);
  else if (auto *count = std::get_if<int *>(&option.value))
    made = app.add_flag(option.names, **count);
  else if (auto *text = std::get_if<std::string *>(&option.value))
    made = app.add_option(option.names, **text);
  else if (auto *texts =
               std::get_if<std::vector<std::string> *>(&option.value)) {
    made = app.add_option(option.names, **texts);
    // An option that may be repeated takes one word each time.
    if (!option.isPositional())
      made->allow_extra_args(false)->take_all();
  }
  if (!made)
    return;
  if (!option.word.empty())
    made->type_name(option.word);
  made->required(option.isRequired);
}

Parser::Parser(const CommandLine &line) : line(line), root(summary, "nereid") {
  for (const OptionSpec &option : line.common)
    declare(root, option);
  root.set_help_flag("-h,--help");
  root.set_version_flag("--version", "");
  root.fallthrough();
  root.allow_extras();
  root.require_subcommand(0, 1);
  for (const Verb &verb : line.list) {
    CLI::App *app = root.add_subcommand(verb.name);
    for (const OptionSpec &option : verb.options)
      declare(*app, option);
    app->set_help_flag("-h,--help");
    app->fallthrough();
    apps.push_back(app);
  }
}

const Verb *Parser::parsed() const {
  for (size_t i = 0; i < apps.size(); ++i)
    if (apps[i]->parsed())
      return &line.list[i];
  return nullptr;
}

static std::string expectedWord(const CLI::Option &option) {
  return option.get_positional() ? "" : ", expected " + option.get_type_name();
}

// The error for an option with no value or too many.
Error Parser::mismatch(const Verb *verb, const std::string &name) const {
  const CLI::Option *option = nullptr;
  if (verb)
    option = root.get_subcommand(verb->name)->get_option_no_throw(name);
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

// The library's error in our wording: it starts sentences with a capital
// letter, and reports missing words before unknown ones.
Error Parser::describe(const CLI::ParseError &error) const {
  const Verb *verb = parsed();
  for (const std::string &word : root.remaining())
    if (word.starts_with('-'))
      return line.unexpected(verb, word);
  std::string text = error.what();
  if (error.get_name() == "ArgumentMismatch")
    return mismatch(verb, text.substr(0, text.find(':')));
  if (text.size() > 1 && std::isupper(static_cast<unsigned char>(text[0])) &&
      std::islower(static_cast<unsigned char>(text[1])))
    text[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  if (error.get_name() == "RequiredError" && verb)
    text += ", expected 'nereid " + verb->usage + "'";
  return invalid(text);
}

Expected<void> Parser::checkValues() const {
  const Verb *verb = parsed();
  // The word to be completed may be empty.
  if (!verb || verb->isHidden())
    return {};
  const CLI::App *app = root.get_subcommand(verb->name);
  for (const CLI::App *each : {app, &root})
    for (const CLI::Option *option : each->get_options())
      for (const std::string &value : option->results())
        if (value.empty() && option->get_items_expected_max() > 0)
          return invalid(option->get_name() + ": the value is empty" +
                         expectedWord(*option));
  return {};
}

Expected<CommandLine::Request> Parser::parse(std::vector<std::string> words) {
  using Request = CommandLine::Request;
  try {
    std::reverse(words.begin(), words.end()); // as CLI11 wants them
    root.parse(std::move(words));
  } catch (const CLI::CallForHelp &) {
    return Request{Request::Help, parsed()};
  } catch (const CLI::CallForVersion &) {
    return Request{Request::Version, parsed()};
  } catch (const CLI::ParseError &error) {
    return describe(error);
  }
  if (Expected<void> checked = checkValues(); !checked)
    return checked.error();
  const Verb *verb = parsed();
  if (std::vector<std::string> extras = root.remaining(); !extras.empty())
    return line.unexpected(verb, extras.front());
  return Request{Request::Run, verb};
}

Expected<CommandLine::Request>
CommandLine::parse(std::vector<std::string> words) const {
  if (Expected<void> checked = checkWords(words); !checked)
    return checked.error();
  return Parser(*this).parse(std::move(words));
}

} // namespace nereid::tool
