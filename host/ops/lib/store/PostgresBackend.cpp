// PostgresBackend.cpp - requests to the server, and who may make them when.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/PostgresBackend.h"

#include "support/File.h"

namespace nereid::ops {

using std::chrono::milliseconds;
using std::chrono::seconds;
using worker::Message;
using Json = nlohmann::json;

// SQLSTATE, and what the helper says instead of one.
static constexpr std::string_view lockNotAvailable = "55P03";
static constexpr std::string_view badUrl = "url";

bool isServerAddress(std::string_view path) {
  return path.starts_with("postgresql://") || path.starts_with("postgres://");
}

// Host, port and database of an address, and the user. What could be a part of
// a password, even of one that is not encoded, is left out.
static std::string nameOf(std::string_view address) {
  size_t begin = address.find("://") + 3;
  std::string result(address.substr(0, begin));
  std::string_view rest = address.substr(begin);
  if (size_t at = rest.rfind('@'); at != rest.npos) {
    std::string_view login = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (std::string_view user = login.substr(0, login.find(':'));
        !user.empty() && login.find_first_of("/?") == login.npos)
      result += std::string(user) + '@';
  }
  return result + std::string(rest.substr(0, rest.find('?')));
}

static worker::Command commandOf(const StoreOptions &options) {
  worker::Command command;
  command.words = {options.helper};
  if (options.helper.empty())
    command.words = {host::ownDirectory() + "/" NEREID_TUNE_POSTGRES_PATH};
  command.startLimit = seconds(options.isOptional ? 30 : 120);
  return command;
}

static worker::PoolLimits oneWorker() {
  worker::PoolLimits limits;
  limits.most = 1;
  return limits;
}

PostgresBackend::PostgresBackend(StoreOptions given, Notify notify)
    : options(std::move(given)), notify(std::move(notify)),
      text(nameOf(options.path)), pool(commandOf(options), oneWorker()) {}

Failure PostgresBackend::failure(const Trouble &trouble) const {
  if (trouble.state == lockNotAvailable)
    return {NEREID_UNAVAILABLE,
            text + ": another program has locked it for " +
                std::to_string(options.busyMilliseconds / 1000) +
                " s\nnote: find the session that holds it in the server's "
                "view pg_stat_activity"};
  return {trouble.status, text + ": " + trouble.text};
}

// ------------------------------------------------------------------- requests

Trouble PostgresBackend::ask(Message request, milliseconds limit,
                             std::string &rows) {
  worker::Limits limits;
  limits.time = limit;
  worker::Exchange done = pool.ask(std::move(request), limits);
  if (done.end == worker::End::NotStarted)
    return {NEREID_NOT_FOUND,
            "its helper program " + done.problem +
                "; it is built where the headers of libpq are installed",
            {},
            true};
  if (done.end == worker::End::Late)
    return {NEREID_UNAVAILABLE, "the server does not answer", {}, true};
  if (done.end != worker::End::Answered) {
    // What the loader prints if libpq is not installed, for instance.
    std::string output = done.output.substr(0, done.output.find('\n'));
    return {NEREID_UNAVAILABLE,
            "its helper process failed: " + done.problem +
                (output.empty() ? "" : "\nnote: it printed: " + output),
            {},
            true};
  }
  const worker::Json &header = done.answer.header;
  if (header.contains("error"))
    return {NEREID_IO_ERROR, header.value("error", ""),
            header.value("state", ""), header.value("lost", false)};
  if (std::string *found = done.answer.blob("rows"))
    rows = std::move(*found);
  return {};
}

Trouble PostgresBackend::run(Wait wait, std::string sql, std::string &rows,
                             std::vector<std::string> values) {
  Message request;
  request.header = {{"request", "run"}};
  request.blobs.push_back({"sql", std::move(sql)});
  for (std::string &value : values)
    request.blobs.push_back({"value", std::move(value)});
  // The server keeps the limit of its locks; these are for one that hangs.
  milliseconds limit = seconds(60);
  if (options.isOptional)
    limit = seconds(20);
  else if (wait == Wait::Rows)
    limit = seconds(600);
  if (wait == Wait::Lock)
    limit += milliseconds(options.busyMilliseconds);
  Trouble trouble = ask(std::move(request), limit, rows);
  isConnected = isConnected && !trouble.isLost;
  return trouble;
}

Trouble PostgresBackend::run(std::string sql) {
  std::string rows;
  return run(Wait::Server, std::move(sql), rows);
}

// The one row of an answer, an object; null if there is none.
Trouble PostgresBackend::query(std::string sql, Json &row, Wait wait) {
  std::string rows;
  if (Trouble failed = run(wait, std::move(sql), rows))
    return failed;
  row = Json::parse(rows.substr(0, rows.find('\n')), nullptr, false);
  return {};
}

// -------------------------------------------------------------------- opening

// What there is, and what this user may do.
static constexpr const char *factsQuery = R"sql(
SELECT json_build_object(
  'is_there', to_regclass('nereid_format') IS NOT NULL
              AND to_regclass('nereid_result') IS NOT NULL,
  'may_write', current_setting('transaction_read_only') = 'off'
    AND coalesce(has_table_privilege(to_regclass('nereid_result'), 'INSERT')
         AND has_table_privilege(to_regclass('nereid_result'), 'UPDATE')
         AND has_table_privilege(to_regclass('nereid_format'), 'UPDATE'),
         TRUE))
)sql";

static bool isTrue(const Json &facts, const char *name) {
  auto found = facts.is_object() ? facts.find(name) : facts.end();
  return found != facts.end() && found->is_boolean() && found->get<bool>();
}

Trouble PostgresBackend::connect() {
  if (isConnected)
    return {};
  Message request;
  request.header = {{"request", "open"},
                    {"defaults",
                     {{"application_name", "nereid"},
                      {"connect_timeout", options.isOptional ? "3" : "10"},
                      {"keepalives_idle", "5"},
                      {"keepalives_interval", "2"},
                      {"keepalives_count", "3"},
                      {"tcp_user_timeout", "10000"}}}};
  // In a blob, because it may be any bytes.
  request.blobs.push_back({"url", options.path});
  std::string rows;
  Trouble failed =
      ask(std::move(request), seconds(options.isOptional ? 30 : 120), rows);
  if (failed.state == badUrl)
    return {NEREID_INVALID_ARGUMENT,
            "it cannot be read: " + failed.text +
                "; expected postgresql://[USER[:PASSWORD]@]HOST[:PORT]"
                "[/DATABASE], with % and two digits for special characters"};
  if (failed) {
    if (failed.status == NEREID_IO_ERROR)
      failed.status = NEREID_UNAVAILABLE;
    failed.isLost = false; // not by trying once more
    return failed;
  }
  isConnected = true;
  // A session that is stopped while it writes must not block others for ever.
  failed = run("SET extra_float_digits = 1; SET lock_timeout = " +
               std::to_string(options.busyMilliseconds) +
               "; SET idle_in_transaction_session_timeout = 60000");
  Json facts;
  if (!failed)
    failed = query(factsQuery, facts);
  mayWrite = isTrue(facts, "may_write");
  if (!failed && !isTrue(facts, "is_there")) {
    if (options.isReadOnly || !options.mayCreate || !mayWrite)
      failed = {NEREID_NOT_FOUND,
                "the database has no tuned results (no table nereid_result)"};
    else
      failed = makeTables();
  }
  if (!failed)
    failed = checkFormat();
  if (!failed && !mayWrite && !options.isReadOnly)
    notify(text +
           ": it cannot be written: results are read, none are recorded");
  if (failed)
    isConnected = false;
  return failed;
}

// Runs work() on a connection; once more if the connection was lost, by a
// restart of the server for instance. What was committed before that is written
// again, which changes nothing.
template <typename Work> Trouble PostgresBackend::attempt(Work work) {
  // A library would wait for each of its operators.
  if (options.isOptional && worker::Clock::now() < pausedUntil)
    return last;
  for (bool isFirst = true;; isFirst = false) {
    Trouble failed = connect();
    if (!failed)
      failed = work();
    if (!failed)
      return {};
    if (failed.isLost && isFirst)
      continue;
    if (isConnected)
      (void)run("ROLLBACK"); // of what may be open
    if (failed.isLost && failed.status == NEREID_IO_ERROR)
      failed.status = NEREID_UNAVAILABLE;
    if (!isConnected) {
      last = failed;
      pausedUntil =
          worker::Clock::now() + milliseconds(options.pauseMilliseconds);
    }
    return failed;
  }
}

Outcome PostgresBackend::open() {
  Trouble failed = attempt([] { return Trouble(); });
  return failed ? Outcome(failure(failed)) : Outcome();
}

// -------------------------------------------------------- reading and writing

Trouble PostgresBackend::begin() {
  return run("BEGIN ISOLATION LEVEL READ COMMITTED");
}

// Takes the lock that all writers take, within a transaction.
static constexpr const char *lockQuery =
    "SELECT to_json(f) FROM nereid_format f FOR UPDATE";

// Runs work() in a transaction in which nobody else writes.
template <typename Work> Trouble PostgresBackend::writing(Work work) {
  return attempt([&]() -> Trouble {
    if (isReadOnly())
      return {NEREID_IO_ERROR, "it is read-only, no results are recorded"};
    Json format;
    Trouble failed = begin();
    if (!failed)
      failed = query(lockQuery, format, Wait::Lock);
    if (failed)
      return failed;
    // A newer program may have brought it to another format meanwhile.
    if (numberIn(format, "version") != serverVersion) {
      isConnected = false;
      return {NEREID_IO_ERROR, "its format was changed", {}, true};
    }
    failed = work();
    return failed ? failed : run("COMMIT");
  });
}

Outcome PostgresBackend::write(std::span<const TunedResult> results) {
  Trouble failed = writing([&] { return insert(results); });
  return failed ? Outcome(failure(failed)) : Outcome();
}

Outcome PostgresBackend::update(const Change &change) {
  Outcome changed;
  Trouble failed = writing([&]() -> Trouble {
    StoredRows stored;
    if (Trouble trouble = readRows({}, stored))
      return trouble;
    Result<std::vector<TunedResult>> results = change(stored.rows);
    changed = results ? Outcome() : Outcome(results.failure());
    return results ? insert(*results) : Trouble();
  });
  return failed ? Outcome(failure(failed)) : changed;
}

Result<StoredRows> PostgresBackend::read(std::string_view operatorName) {
  StoredRows stored;
  if (Trouble failed = attempt([&] { return readRows(operatorName, stored); }))
    return failure(failed);
  return stored;
}

std::unique_ptr<Backend> makeServerBackend(StoreOptions options,
                                           Notify notify) {
  return std::make_unique<PostgresBackend>(std::move(options),
                                           std::move(notify));
}

} // namespace nereid::ops
