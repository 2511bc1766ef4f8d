// nereid-tune-postgres.cpp - the process through which libnereid-ops keeps
// tuned results on a PostgreSQL server (docs/tuning.md). It speaks the frames
// of docs/workers.md.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   {"request": "open", "defaults": {KEYWORD: VALUE}} and blob "url" -> {}:
//    connects; what the URL says replaces the defaults
//   {"request": "run"}, blob "sql" and a blob "value" for each of its
//    parameters -> {} and blob "rows": the first column of the result, each
//    value, which has no line feeds, followed by one
// A failure is {"error": TEXT, "state": SQLSTATE, "lost": BOOL}: whether there
// is no connection any more. The state is "url" if the URL cannot be read.

#include "worker/Serve.h"

#include <libpq-fe.h>

#include <sys/stat.h>

#include <cstdio>
#include <memory>

using nereid::worker::Blob;
using nereid::worker::Json;
using nereid::worker::Message;
using nereid::worker::SendEvent;

namespace {
struct Finish {
  void operator()(PGconn *connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult *result) const { PQclear(result); }
};
using Connection = std::unique_ptr<PGconn, Finish>;
using ResultOf = std::unique_ptr<PGresult, Clear>;
} // namespace

// One line of ASCII: messages of a server are in any language and encoding.
static std::string printable(const char *text) {
  constexpr size_t most = 1000;
  std::string line;
  for (; text && *text && line.size() < most; ++text)
    if (*text != '\n' && *text != '\t')
      line += *text < ' ' || *text > '~' ? '?' : *text;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

static Message failure(std::string text, const char *state, bool isLost) {
  Message answer;
  answer.header = {{"error", std::move(text)},
                   {"state", state ? state : ""},
                   {"lost", isLost}};
  return answer;
}

// What is wrong with the URL; empty if nothing is. libpq quotes it, and it may
// hold a password.
static std::string problemOf(const std::string &url) {
  char *text = nullptr;
  PQconninfoOption *parsed = PQconninfoParse(url.c_str(), &text);
  std::string problem = parsed ? "" : printable(text);
  PQconninfoFree(parsed);
  PQfreemem(text);
  return problem.substr(0, problem.find(": \""));
}

static Message open(Connection &connection, const Message &request) {
  connection.reset();
  const std::string *url = request.blob("url");
  if (!url)
    return failure("the request has no URL", "", true);
  if (std::string problem = problemOf(*url); !problem.empty())
    return failure(std::move(problem), "url", true);
  std::vector<std::string> texts;
  for (const auto &[name, value] : request.header.at("defaults").items()) {
    texts.push_back(name);
    texts.push_back(value.get<std::string>());
  }
  // The last one is what counts.
  texts.insert(texts.end(), {"dbname", *url, "client_encoding", "UTF8"});
  std::vector<const char *> names, values;
  for (size_t i = 0; i < texts.size(); i += 2) {
    names.push_back(texts[i].c_str());
    values.push_back(texts[i + 1].c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  Connection made(PQconnectdbParams(names.data(), values.data(), 1));
  if (PQstatus(made.get()) != CONNECTION_OK)
    return failure(printable(PQerrorMessage(made.get())), "", true);
  PQsetNoticeProcessor(made.get(), [](void *, const char *) {}, nullptr);
  connection = std::move(made);
  return {};
}

// Whether a server that says this closes the connection: it ends or crashed, or
// the session was idle for too long. libpq may not have noticed yet.
static bool isLast(std::string_view state) {
  return state.starts_with("57P") || state.starts_with("08") ||
         state == "25P03";
}

static Message run(Connection &connection, const Message &request) {
  const std::string *sql = request.blob("sql");
  if (!connection || !sql)
    return failure("there is no connection", "", true);
  std::vector<const char *> values;
  for (const Blob &blob : request.blobs)
    if (blob.name == "value")
      values.push_back(blob.bytes.c_str());
  // Only without parameters a text may have several statements.
  ResultOf result(values.empty()
                      ? PQexec(connection.get(), sql->c_str())
                      : PQexecParams(connection.get(), sql->c_str(),
                                     static_cast<int>(values.size()), nullptr,
                                     values.data(), nullptr, nullptr, 0));
  ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    const char *text =
        PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
    const char *state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    // Errors of libpq itself have no state.
    bool isLost =
        PQstatus(connection.get()) != CONNECTION_OK || !state || isLast(state);
    Message answer =
        failure(printable(text ? text : PQerrorMessage(connection.get())),
                state, isLost);
    if (isLost)
      connection.reset();
    return answer;
  }
  Message answer;
  std::string rows;
  int count = status == PGRES_TUPLES_OK ? PQntuples(result.get()) : 0;
  for (int i = 0; i < count; ++i) {
    rows.append(PQgetvalue(result.get(), i, 0),
                static_cast<size_t>(PQgetlength(result.get(), i, 0)));
    rows += '\n';
  }
  answer.blobs.push_back({"rows", std::move(rows)});
  return answer;
}

int main(int count, char **) {
  struct stat facts;
  if (count != 1 || fstat(3, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
    std::fputs("usage: nereid-tune-postgres (run by libnereid-ops)\n", stderr);
    return 2;
  }
  Connection connection;
  return nereid::worker::serve(
      {{"worker", "nereid-tune-postgres"}},
      [&](const Message &request, const SendEvent &) {
        try {
          std::string wanted = request.header.at("request");
          if (wanted == "open")
            return open(connection, request);
          if (wanted == "run")
            return run(connection, request);
          return failure("unknown request", "", false);
        } catch (const std::exception &error) {
          return failure(printable(error.what()), "", false);
        }
      });
}
