// main.cpp - the `nereid` command.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Interrupt.h"
#include "Verb.h"

#include <algorithm>

using namespace nereid;
using namespace nereid::tool;

// What the library says of a line, in our words: it starts its sentences with
// a capital letter, and reports what is missing before what is unknown.
static Error parseError(const CommandLine &line, const CLI::App &app,
                        const CLI::ParseError &error) {
  const Verb *verb = line.parsed();
  for (const std::string &word : app.remaining())
    if (word.starts_with('-'))
      return line.unexpected(verb, word);
  std::string text = error.what();
  if (error.get_name() == "ArgumentMismatch")
    return line.mismatch(verb, text.substr(0, text.find(':')));
  if (text.size() > 1 && std::isupper(static_cast<unsigned char>(text[0])) &&
      std::islower(static_cast<unsigned char>(text[1])))
    text[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  if (error.get_name() == "RequiredError" && verb)
    text += ", expected 'nereid " + verb->usage + "'";
  return invalid(text);
}

static int fail(Session &session, const Error &error) {
  session.output.error(error);
  return exitCodeOf(error.status);
}

// Runs the verb; what it throws is a lack of memory or a bug.
static Expected<int> runVerb(const Verb &verb, Session &session) {
  try {
    return verb.run(session);
  } catch (const std::bad_alloc &) {
    return failure(NEREID_OUT_OF_RESOURCES, "out of memory");
  } catch (const std::exception &exception) {
    return failure(NEREID_INTERNAL, exception.what());
  }
}

static int finishVerb(const Verb &verb, Session &session) {
  Expected<int> code = runVerb(verb, session);
  if (!code)
    return fail(session, code.error());
  if (Expected<void> written = session.output.finish(); !written)
    return fail(session, written.error());
  return *code;
}

static int showHelp(const CommandLine &line, Session &session) {
  std::string text = line.help(line.parsed());
  session.output.document({{"help", text}});
  session.output.text(text);
  if (Expected<void> written = session.output.finish(); !written)
    return fail(session, written.error());
  return exitOk;
}

static int runCommand(CommandLine &line, Session &session) {
  const Verb *verb = line.parsed();
  if (Expected<void> checked = line.checkValues(); !checked)
    return fail(session, checked.error());
  std::vector<std::string> extras = line.app().remaining();
  if (!extras.empty())
    return fail(session, line.unexpected(verb, extras.front()));
  if (!verb) {
    if (!session.output.isJson())
      session.output.raw(line.help(nullptr));
    return fail(session, invalid("no verb; 'nereid --help' lists them"));
  }
  return finishVerb(*verb, session);
}

// The words without the program's name; "help VERB" means "VERB --help".
static std::vector<std::string> wordsOf(int argc, char **argv) {
  std::vector<std::string> words(argv + (argc > 0), argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  return words;
}

int main(int argc, char **argv) {
  installInterrupts();
  Session session;
  CommandLine line(session.options);
  std::vector<std::string> words = wordsOf(argc, argv);
  // An error in the line itself is also told as JSON.
  auto end = std::find(words.begin(), words.end(), "--");
  if (std::any_of(words.begin(), end, [](const std::string &word) {
        return word == "--json" || word.starts_with("--json=");
      }))
    session.output.useJson();
  if (Expected<void> checked = line.checkWords(words); !checked)
    return fail(session, checked.error());
  try {
    std::reverse(words.begin(), words.end()); // as CLI11 wants them
    line.app().parse(std::move(words));
  } catch (const CLI::CallForHelp &) {
    return showHelp(line, session);
  } catch (const CLI::CallForVersion &) {
    return finishVerb(*line.find("version"), session);
  } catch (const CLI::ParseError &error) {
    return fail(session, parseError(line, line.app(), error));
  }
  return runCommand(line, session);
}
