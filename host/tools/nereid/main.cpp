// main.cpp - the `nereid` command.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CommandLine.h"
#include "Interrupt.h"

#include <algorithm>

using namespace nereid;
using namespace nereid::tool;

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

static int showHelp(const CommandLine &line, const Verb *verb,
                    Session &session) {
  std::string text = line.help(verb);
  session.output.document({{"help", text}});
  session.output.text(text);
  if (Expected<void> written = session.output.finish(); !written)
    return fail(session, written.error());
  return exitOk;
}

static int answer(const CommandLine &line, const CommandLine::Request &request,
                  Session &session) {
  if (request.kind == CommandLine::Request::Help)
    return showHelp(line, request.verb, session);
  if (request.kind == CommandLine::Request::Version)
    return finishVerb(*line.find("version"), session);
  if (request.verb)
    return finishVerb(*request.verb, session);
  if (!session.output.isJson())
    session.output.raw(line.help(nullptr));
  return fail(session, invalid("no verb; 'nereid --help' lists them"));
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
  // An error in the line itself is also reported as JSON.
  auto end = std::find(words.begin(), words.end(), "--");
  if (std::any_of(words.begin(), end, [](const std::string &word) {
        return word == "--json" || word.starts_with("--json=");
      }))
    session.output.useJson();
  Expected<CommandLine::Request> request = line.parse(std::move(words));
  if (!request)
    return fail(session, request.error());
  return answer(line, *request, session);
}
