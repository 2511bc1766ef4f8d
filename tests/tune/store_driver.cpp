// store_driver.cpp - one process that uses a store of tuned results, for tests
// that play with its server.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   store_driver PATH [optional|read-only|existing] [busy=MS] [pause=MS]
//                [helper=PROGRAM]
//
// Answers "open", or what failed, then reads one command a line and answers
// each with one line:
//   record FIRST COUNT  records results with these keys
//   add                 adds 1 to the time of key 0, in one update
//   hold                begins an update, answers "holding", reads a line, ends
//   it count               how many results there are, and how many are damaged
//   time                of key 0
//   rows                how many results rows() has
//   fork                what count answers in a child
//   facts               version, whether it is read-only, and notices as JSON

#include "store/Store.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

using namespace nereid::ops;

static TunedResult resultOf(int n, double median) {
  TunedResult result;
  result.operatorName = "softmax";
  result.key = "{\"n\":" + std::to_string(n) + "}";
  result.configuration = R"({"BLOCK":1024,"text":"a\"b\\cé"})";
  result.status = "ok";
  result.median = median;
  result.samples = 9;
  result.protocol = "events-1";
  result.time = 1'790'000'000;
  // Some longer than an index of PostgreSQL holds, and hardly compressible.
  unsigned state = static_cast<unsigned>(n) + 1;
  for (int i = 0; i < (n == 0 || n >= 1000 ? 6000 : 60); ++i)
    result.compiler.dependencies +=
        static_cast<char>('!' + (state = state * 1664525u + 1013904223u) % 90);
  return result;
}

static std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

static std::string textOf(const Outcome &done, const char *word) {
  return done ? word : "error: " + oneLine(done.failure().text);
}

static std::string count(Store &store) {
  auto rows = store.read();
  return rows ? std::to_string(rows->size()) + " results, " +
                    std::to_string(store.damagedRows()) + " damaged"
              : "error: " + oneLine(rows.failure().text);
}

static double timeOfFirst(const std::vector<TunedResult> &rows) {
  for (const TunedResult &row : rows)
    if (row.key == "{\"n\":0}")
      return row.median;
  return 0;
}

static std::string run(Store &store, const std::string &line) {
  std::istringstream words(line);
  std::string verb;
  int first = 0, number = 0;
  words >> verb >> first >> number;
  if (verb == "record") {
    std::vector<TunedResult> results;
    for (int i = 0; i < number; ++i)
      results.push_back(resultOf(first + i, 100));
    return textOf(store.record(results), "recorded");
  }
  if (verb == "add" || verb == "hold") {
    auto add = [&](const std::vector<TunedResult> &rows) {
      if (verb == "hold") {
        std::cout << "holding" << std::endl;
        std::string ignored;
        std::getline(std::cin, ignored);
      }
      return std::vector{resultOf(0, timeOfFirst(rows) + 1)};
    };
    return textOf(store.update(add), "added");
  }
  if (verb == "count")
    return count(store);
  if (verb == "time") {
    auto rows = store.read("softmax");
    return rows ? std::to_string(int(timeOfFirst(*rows))) : "error";
  }
  if (verb == "rows") {
    store.refresh();
    size_t found = 0;
    for (const KeyRows &key : store.rows("softmax").keys)
      found += key.rows.size();
    return std::to_string(found);
  }
  if (verb == "fork") {
    std::cout.flush();
    pid_t child = ::fork();
    if (child == 0) {
      std::cout << count(store) << std::endl;
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    return {};
  }
  if (verb == "facts")
    return nlohmann::json{{"version", store.version()},
                          {"read_only", store.isReadOnly()},
                          {"name", store.path()},
                          {"notices", store.notices()}}
        .dump();
  return "unknown command";
}

int main(int argumentCount, char **arguments) {
  StoreOptions options;
  options.busyMilliseconds = 600'000;
  options.pauseMilliseconds = 3'600'000;
  options.path = argumentCount > 1 ? arguments[1] : "";
  for (int i = 2; i < argumentCount; ++i) {
    std::string word = arguments[i];
    options.isOptional |= word == "optional";
    options.isReadOnly |= word == "read-only";
    options.mayCreate &= word != "existing";
    if (word.starts_with("busy="))
      options.busyMilliseconds = std::stoi(word.substr(5));
    if (word.starts_with("pause="))
      options.pauseMilliseconds = std::stoi(word.substr(6));
    if (word.starts_with("helper="))
      options.helper = word.substr(7);
  }
  auto store = Store::open(options);
  if (!store) {
    std::cout << "error: " << oneLine(store.failure().text) << std::endl;
    return 1;
  }
  std::cout << "open" << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    if (std::string answer = run(**store, line); !answer.empty())
      std::cout << answer << std::endl;
}
