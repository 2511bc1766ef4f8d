// nereid-cache-redis.cpp - the process through which libnereid reads and stores
// compiled kernels in a Redis server (docs/cache.md). It speaks the frames of
// docs/workers.md.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   {"request": "open", "host", "port", "database", "whole_ms"} and blobs
//    "user" and "password" -> {}
//   {"request": "get", "key", "answer_ms", "whole_ms", "most"} -> {"found":
//    true} and blob "entry", or {"found": false}, or {"found": false,
//    "damage"}; the event {"size"} says that an entry is arriving
//   {"request": "put", "key", "whole_ms"} and blob "entry" -> {}
// A failure is {"error"}, a text.

#include "redis/Connection.h"
#include "worker/Serve.h"

#include <sys/stat.h>

#include <cstdio>

using namespace nereid::redis;
using nereid::worker::Json;
using nereid::worker::Message;
using nereid::worker::SendEvent;

namespace {
/// The state between requests.
struct Helper {
  Server server;
  Connection connection;
};
} // namespace

static Clock::time_point after(const Message &request, const char *name) {
  return Clock::now() +
         std::chrono::milliseconds(request.header.at(name).get<uint32_t>());
}

static Message failure(std::string text) {
  Message answer;
  answer.header["error"] = std::move(text);
  return answer;
}

static Message open(Helper &helper, const Message &request) {
  const Json &given = request.header;
  helper.connection.close();
  const std::string *user = request.blob("user");
  const std::string *password = request.blob("password");
  if (!user || !password)
    return failure("the request has no user or password");
  helper.server = {given.at("host"), given.at("port"), *user, *password,
                   given.at("database")};
  std::string problem =
      helper.connection.open(helper.server, after(request, "whole_ms"));
  return problem.empty() ? Message() : failure(std::move(problem));
}

// Asks once more if the connection, which had been idle, turns out to be
// closed: servers and routers between end idle ones.
static Answer ask(Helper &helper, const std::vector<std::string_view> &words,
                  Deadlines deadlines, uint64_t most,
                  const std::function<void(uint64_t)> &arriving = {}) {
  bool wasOpen = helper.connection.isOpen();
  for (bool isAgain = false;; isAgain = true) {
    if (std::string problem =
            helper.connection.open(helper.server, deadlines.answer);
        !problem.empty())
      return {Answer::End::Failed, {}, std::move(problem)};
    Answer answer = helper.connection.ask(words, deadlines, most, arriving);
    if (answer.end != Answer::End::Closed || !wasOpen || isAgain)
      return answer;
  }
}

static Message get(Helper &helper, const Message &request,
                   const SendEvent &event) {
  std::string key = request.header.at("key");
  Answer answer = ask(helper, {"GET", key},
                      {after(request, "answer_ms"), after(request, "whole_ms")},
                      request.header.at("most").get<uint64_t>(),
                      [&](uint64_t size) { event({{"size", size}}); });
  Message result;
  result.header["found"] = false;
  if (answer.end == Answer::End::TooLarge) {
    result.header["damage"] = answer.problem;
    return result;
  }
  if (answer.end != Answer::End::Answered)
    return failure(answer.problem);
  switch (answer.reply.kind) {
  case Reply::Kind::Bytes:
    result.header["found"] = true;
    result.blobs.push_back({"entry", std::move(answer.reply.text)});
    return result;
  case Reply::Kind::Nothing:
    return result;
  case Reply::Kind::Error:
    // Another program's key of this name: it is in nobody's way.
    if (answer.reply.text.starts_with("WRONGTYPE")) {
      result.header["damage"] = "the key does not hold a string";
      return result;
    }
    return failure("the server refuses to read: " +
                   printable(answer.reply.text));
  default:
    helper.connection.close();
    return failure("it does not answer like a Redis server: a value was "
                   "expected");
  }
}

static Message put(Helper &helper, const Message &request) {
  std::string key = request.header.at("key");
  const std::string *entry = request.blob("entry");
  if (!entry)
    return failure("the request has no entry");
  Clock::time_point deadline = after(request, "whole_ms");
  Answer answer = ask(helper, {"SET", key, *entry}, {deadline, deadline}, 0);
  if (answer.end != Answer::End::Answered)
    return failure(answer.problem);
  if (answer.reply.kind == Reply::Kind::Text)
    return {};
  return failure("the server refuses to store: " +
                 printable(answer.reply.text));
}

static Message answer(Helper &helper, const Message &request,
                      const SendEvent &event) {
  try {
    std::string wanted = request.header.at("request");
    if (wanted == "open")
      return open(helper, request);
    if (wanted == "get")
      return get(helper, request, event);
    if (wanted == "put")
      return put(helper, request);
    return failure("unknown request");
  } catch (const std::exception &error) {
    helper.connection.close();
    return failure(printable(error.what()));
  }
}

int main(int count, char **) {
  struct stat facts;
  if (count != 1 || fstat(3, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
    std::fputs("usage: nereid-cache-redis (run by libnereid)\n", stderr);
    return 2;
  }
  Helper helper;
  return nereid::worker::serve(
      {{"worker", "nereid-cache-redis"}},
      [&](const Message &request, const SendEvent &event) {
        return answer(helper, request, event);
      });
}
