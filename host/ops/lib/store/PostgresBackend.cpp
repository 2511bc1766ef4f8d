// PostgresBackend.cpp - a store on a PostgreSQL server, through a helper
// process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// This library links no client of PostgreSQL, which would bring OpenSSL,
// Kerberos and LDAP into every program that links it, and which waits without a
// deadline for a whole answer: the program nereid-tune-postgres does.

#include "cache/Digest.h"
#include "store/Backend.h"
#include "support/File.h"
#include "worker/Pool.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace nereid::ops {

using std::chrono::milliseconds;
using std::chrono::seconds;
using worker::Message;
using Json = nlohmann::json;

// SQLSTATEs, and what the helper says instead of one.
static constexpr std::string_view lockNotAvailable = "55P03";
static constexpr std::string_view duplicateTable = "42P07";
static constexpr std::string_view badUrl = "url";

// How many bytes of results are sent at once, about.
static constexpr size_t batchBytes = size_t(1) << 20;

namespace {
/// What the server or the helper answered, and in words.
struct Trouble {
  nereid_status_t status = NEREID_OK;
  std::string text = {};
  std::string state = {};
  bool isLost = false; ///< there is no connection any more

  explicit operator bool() const { return status != NEREID_OK; }
};

class PostgresBackend final : public Backend {
public:
  PostgresBackend(StoreOptions options, Notify notify);

  const std::string &name() const override { return text; }
  Outcome open() override;
  int64_t version() const override { return serverVersion; }
  bool isReadOnly() const override {
    return options.isReadOnly || isNewer || !mayWrite;
  }
  Result<StoredRows> read(std::string_view operatorName) override;
  Outcome update(const Change &change) override;
  Outcome write(std::span<const TunedResult> results) override;

private:
  /// What a request may wait for.
  enum class Wait { Server, Lock, Rows };
  Trouble ask(Message request, milliseconds limit, std::string &rows);
  Trouble run(Wait wait, std::string sql, std::string &rows,
              std::vector<std::string> values = {});
  Trouble run(std::string sql);
  Trouble query(std::string sql, Json &row, Wait wait = Wait::Server);
  Trouble connect();
  Trouble checkFormat();
  Trouble makeTables();
  Trouble begin();
  Trouble readRows(std::string_view operatorName, StoredRows &stored);
  Trouble insert(std::span<const TunedResult> results);
  template <typename Work> Trouble attempt(Work work);
  template <typename Work> Trouble writing(Work work);
  Failure failure(const Trouble &trouble) const;

  const StoreOptions options;
  const Notify notify;
  const std::string text; // the address without the password
  worker::Pool pool;
  bool isConnected = false;
  int64_t serverVersion = 0;
  bool isNewer = false; // than this library: read only
  bool mayWrite = true;
  Trouble last; // why there is no connection
  worker::Clock::time_point pausedUntil{};
};
} // namespace

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

// ------------------------------------------------------------------- opening

// Version 1. Rows are unique by TunedResult::identity(), of which `identity` is
// the digest: PostgreSQL's indexes hold no long texts. The lock, whose number
// is the first half of the MD5 of "nereid_format", lets one session make them
// at a time: CREATE TABLE alone fails in many ways then, with IF NOT EXISTS,
// too.
static constexpr const char *tables = R"sql(
DO $$ BEGIN PERFORM pg_advisory_xact_lock(x'5cad6b65fba05ad2'::bigint); END $$;
CREATE TABLE nereid_format (
  is_one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_one),
  version BIGINT NOT NULL,
  oldest_reader BIGINT NOT NULL
);
CREATE TABLE nereid_result (
  identity TEXT PRIMARY KEY,
  "operator" TEXT NOT NULL,
  key_exact TEXT NOT NULL,
  key_bucket TEXT NOT NULL,
  variant TEXT NOT NULL,
  configuration TEXT NOT NULL,
  status TEXT NOT NULL,
  is_default BOOLEAN NOT NULL,
  median_ns DOUBLE PRECISION NOT NULL,
  spread_ns DOUBLE PRECISION NOT NULL,
  samples BIGINT NOT NULL,
  protocol TEXT NOT NULL,
  compiler_plugin TEXT NOT NULL,
  compiler_release TEXT NOT NULL,
  compiler_build TEXT NOT NULL,
  compiler_dependencies TEXT NOT NULL,
  device_name TEXT NOT NULL,
  device_architecture TEXT NOT NULL,
  device_units BIGINT NOT NULL,
  device_driver TEXT NOT NULL,
  "time" BIGINT NOT NULL,
  source TEXT NOT NULL,
  note TEXT NOT NULL,
  checksum TEXT NOT NULL
);
CREATE INDEX nereid_result_operator ON nereid_result USING hash ("operator");
INSERT INTO nereid_format (version, oldest_reader) VALUES (1, 1);
)sql";
static_assert(storeVersion == 1);

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

// Several may try at once: one of them makes the tables, and the others wait
// for it and are told that there are such tables.
Trouble PostgresBackend::makeTables() {
  Trouble failed = begin();
  std::string ignored;
  if (!failed)
    failed = run(Wait::Lock, tables, ignored);
  if (!failed)
    return run("COMMIT");
  if (!failed.isLost)
    (void)run("ROLLBACK");
  return failed.state == duplicateTable ? Trouble() : failed;
}

// 0 if there is none.
static int64_t numberIn(const Json &format, const char *name) {
  auto found = format.is_object() ? format.find(name) : format.end();
  bool isNumber = found != format.end() && found->is_number_integer();
  return isNumber ? found->get<int64_t>() : 0;
}

// Refuses versions that we cannot read.
Trouble PostgresBackend::checkFormat() {
  Json format;
  if (Trouble failed = query("SELECT to_json(f) FROM nereid_format f", format))
    return failed;
  serverVersion = numberIn(format, "version");
  if (serverVersion < 1)
    return {NEREID_IO_ERROR, "damaged: its table nereid_format has no version"};
  isNewer = serverVersion > storeVersion;
  if (!isNewer)
    return {};
  std::string version = std::to_string(serverVersion);
  std::string own = std::to_string(storeVersion);
  if (numberIn(format, "oldest_reader") > storeVersion)
    return {NEREID_INCOMPATIBLE,
            "format " + version +
                ", written by a newer Nereid; this one reads up to format " +
                own +
                "\nnote: export it with the newer one ('nereid tune export'), "
                "or use another database"};
  notify(text + ": format " + version + " is newer than " + own +
         " of this Nereid: results are read, none are recorded");
  return {};
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

// -------------------------------------------------------------------- writing

Trouble PostgresBackend::begin() {
  return run("BEGIN ISOLATION LEVEL READ COMMITTED");
}

// Takes the lock that all writers take, within a transaction.
static constexpr const char *lockQuery =
    "SELECT to_json(f) FROM nereid_format f FOR UPDATE";

static std::string identityDigest(const TunedResult &result) {
  // Sizes first: texts cannot run into each other.
  std::string bytes;
  auto add = [&](const auto &field) {
    using Field = std::decay_t<decltype(field)>;
    std::string value;
    if constexpr (std::is_same_v<Field, std::string>)
      value = field;
    else
      value = std::to_string(field);
    bytes += std::to_string(value.size()) + ' ' + value;
  };
  for (const std::string *part :
       {&result.operatorName, &result.key, &result.variant,
        &result.configuration, &result.protocol, &result.compiler.plugin,
        &result.compiler.release, &result.compiler.build,
        &result.compiler.dependencies, &result.device.name,
        &result.device.architecture})
    add(*part);
  add(result.device.units);
  add(result.device.driver);
  return host::sha256(bytes).hex();
}

static std::string insertion() {
  std::string names, updates;
  auto add = [&](const std::string &name) {
    names += ", \"" + name + '"';
    updates += (updates.empty() ? "\"" : ", \"") + name + "\" = excluded.\"" +
               name + '"';
  };
  TunedResult any;
  visitFields(any, [&](const char *name, const auto &) { add(name); });
  add("checksum");
  return "INSERT INTO nereid_result (identity" + names + ") SELECT identity" +
         names +
         " FROM json_populate_recordset(NULL::nereid_result, $1::json)"
         " ON CONFLICT (identity) DO UPDATE SET " +
         updates;
}

// Within a transaction.
Trouble PostgresBackend::insert(std::span<const TunedResult> results) {
  // The last of equal ones: one statement cannot write a row twice.
  std::map<std::string, const TunedResult *> rows;
  for (const TunedResult &result : results)
    rows[identityDigest(result)] = &result;
  std::string batch, ignored;
  size_t left = rows.size();
  for (const auto &[identity, result] : rows) {
    Json row = {{"identity", identity}, {"checksum", checksumOf(*result)}};
    visitFields(*result, [&](const char *name, const auto &field) {
      row[name] = field;
    });
    batch += (batch.empty() ? '[' : ',') + row.dump();
    if (--left && batch.size() < batchBytes)
      continue;
    if (Trouble failed =
            run(Wait::Rows, insertion(), ignored, {std::move(batch) + ']'}))
      return failed;
    batch.clear();
  }
  return {};
}

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

// -------------------------------------------------------------------- reading

namespace {
/// The columns of a row that the server wrote as JSON.
struct JsonColumns {
  const Json &row;

  const Json *find(const char *name) const {
    auto found = row.find(name);
    return found == row.end() ? nullptr : &*found;
  }
  bool column(const char *name, std::string &field) const {
    const Json *value = find(name);
    if (value && value->is_string())
      field = value->get<std::string>();
    return value && value->is_string();
  }
  bool column(const char *name, int64_t &field) const {
    const Json *value = find(name);
    if (value && value->is_number_integer())
      field = value->get<int64_t>();
    return value && value->is_number_integer();
  }
  bool column(const char *name, double &field) const {
    const Json *value = find(name);
    if (value && value->is_number())
      field = value->get<double>();
    return value && value->is_number();
  }
  bool column(const char *name, bool &field) const {
    const Json *value = find(name);
    if (value && value->is_boolean())
      field = value->get<bool>();
    return value && value->is_boolean();
  }
};
} // namespace

Trouble PostgresBackend::readRows(std::string_view operatorName,
                                  StoredRows &stored) {
  stored = {};
  std::string sql = "SELECT to_json(r) FROM nereid_result r", lines;
  std::vector<std::string> values;
  if (!operatorName.empty()) {
    sql += " WHERE \"operator\" = $1";
    values.emplace_back(operatorName);
  }
  if (Trouble failed =
          run(Wait::Rows, std::move(sql), lines, std::move(values)))
    return failed;
  std::string_view rest = lines;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    Json row = Json::parse(line, nullptr, false);
    TunedResult result;
    std::string identity;
    JsonColumns columns{row};
    // Two rows of one identity would both be believed.
    if (row.is_object() && readStoredRow(columns, result) &&
        columns.column("identity", identity) &&
        identity == identityDigest(result))
      stored.rows.push_back(std::move(result));
    else
      ++stored.damaged;
  }
  // The server's order depends on its locale.
  std::sort(stored.rows.begin(), stored.rows.end(),
            [](const TunedResult &a, const TunedResult &b) {
              return a.identity() < b.identity();
            });
  return {};
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
