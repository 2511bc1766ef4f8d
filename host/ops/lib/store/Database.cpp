// Database.cpp - SQLite in the words of this library.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Database.h"
#include "support/File.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace nereid::ops {

bool SqlError::isDamage() const {
  int primary = code & 0xff;
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
}

bool SqlError::isBusy() const {
  int primary = code & 0xff;
  return primary == SQLITE_BUSY || primary == SQLITE_LOCKED;
}

nereid_status_t SqlError::status() const {
  switch (code & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return NEREID_UNAVAILABLE;
  case SQLITE_NOMEM:
    return NEREID_OUT_OF_RESOURCES;
  default:
    return NEREID_IO_ERROR;
  }
}

// Escapes what has a meaning in a URI.
static std::string uriOf(const std::string &path, const char *query) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (unsigned char c : path)
    if (c == '%' || c == '?' || c == '#' || c < ' ')
      (uri += '%') += {digits[c >> 4], digits[c & 15]};
    else
      uri += static_cast<char>(c);
  return uri + query;
}

static void harden(sqlite3 *handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 24);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
}

SqlError Database::error(int code) const {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
    return {};
  std::string text = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  // The system knows more about some errors than SQLite says.
  int primary = code & 0xff;
  int cause = handle ? sqlite3_system_errno(handle) : 0;
  if (primary == SQLITE_FULL)
    text = host::errorText(ENOSPC);
  else if ((primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN) && cause)
    text = host::errorText(cause);
  else if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE)
    text = "writing failed: a quota or a limit on the size of files is "
           "reached, or the disk fails";
  return {code, std::move(text)};
}

SqlError Database::open(const std::string &path, Mode mode,
                        int busyMilliseconds) {
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_FULLMUTEX;
  if (mode == Read || mode == Immutable)
    flags |= SQLITE_OPEN_READONLY;
  else
    flags |= SQLITE_OPEN_READWRITE | (mode == Create ? SQLITE_OPEN_CREATE : 0);
  std::string uri = uriOf(path, mode == Immutable ? "?immutable=1" : "");
  owner = getpid();
  int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
  if (code != SQLITE_OK)
    return error(code);
  harden(handle);
  sqlite3_busy_timeout(handle, busyMilliseconds);
  return {};
}

Database::~Database() {
  // A child that closed would take part in the locks of its parent.
  if (!handle || !isOwn())
    return;
  host::SizeSignalBlock block; // closing may write
  // The last one to close removes the log by its name, which may be that of the
  // log of a new file.
  int isKept = 1;
  if (hasMoved())
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept);
  sqlite3_close(handle);
}

bool Database::isOwn() const { return owner == getpid(); }

bool Database::isReadOnly() const {
  return sqlite3_db_readonly(handle, "main") == 1;
}

bool Database::hasMoved() const {
  int moved = 0;
  return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
             SQLITE_OK &&
         moved;
}

SqlError Database::execute(const char *sql) {
  return error(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr));
}

SqlError Database::read(const char *sql, int64_t &number) {
  Statement statement;
  number = 0;
  bool isRow = false;
  if (SqlError failed = statement.prepare(*this, sql))
    return failed;
  if (SqlError failed = statement.step(isRow))
    return failed;
  if (isRow)
    number = sqlite3_column_int64(statement.handle, 0);
  return {};
}

SqlError Database::read(const char *sql, std::string &text) {
  Statement statement;
  text.clear();
  bool isRow = false;
  if (SqlError failed = statement.prepare(*this, sql))
    return failed;
  if (SqlError failed = statement.step(isRow))
    return failed;
  if (isRow)
    if (const unsigned char *found = sqlite3_column_text(statement.handle, 0))
      text = reinterpret_cast<const char *>(found);
  return {};
}

Statement::~Statement() {
  if (!database || database->isOwn())
    sqlite3_finalize(handle);
}

SqlError Statement::prepare(Database &given, const std::string &sql) {
  database = &given;
  int code =
      sqlite3_prepare_v2(given.handle, sql.c_str(), -1, &handle, nullptr);
  if (code != SQLITE_OK)
    return given.error(code);
  for (int i = 0; i < sqlite3_column_count(handle); ++i)
    if (const char *name = sqlite3_column_name(handle, i))
      columns.emplace(name, i);
  return {};
}

static int parameterOf(sqlite3_stmt *handle, const char *name) {
  return sqlite3_bind_parameter_index(handle,
                                      (':' + std::string(name)).c_str());
}

void Statement::bind(const char *name, std::string_view text) {
  sqlite3_bind_text64(handle, parameterOf(handle, name),
                      text.empty() ? "" : text.data(), text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::bind(const char *name, int64_t number) {
  sqlite3_bind_int64(handle, parameterOf(handle, name), number);
}

void Statement::bind(const char *name, double number) {
  sqlite3_bind_double(handle, parameterOf(handle, name), number);
}

SqlError Statement::step(bool &isRow) {
  int code = sqlite3_step(handle);
  isRow = code == SQLITE_ROW;
  SqlError failed = database->error(code);
  if (!isRow)
    sqlite3_reset(handle);
  return failed;
}

void Statement::reset() { sqlite3_reset(handle); }

int Statement::indexOf(const char *name) const {
  auto found = columns.find(std::string_view(name));
  return found == columns.end() ? -1 : found->second;
}

bool Statement::hasColumn(const char *name) const { return indexOf(name) >= 0; }

bool Statement::column(const char *name, std::string &text) const {
  int index = indexOf(name);
  if (index < 0 || sqlite3_column_type(handle, index) != SQLITE_TEXT)
    return false;
  const void *bytes = sqlite3_column_text(handle, index);
  if (!bytes)
    return false;
  text.assign(static_cast<const char *>(bytes),
              static_cast<size_t>(sqlite3_column_bytes(handle, index)));
  return true;
}

bool Statement::column(const char *name, int64_t &number) const {
  int index = indexOf(name);
  if (index < 0 || sqlite3_column_type(handle, index) != SQLITE_INTEGER)
    return false;
  number = sqlite3_column_int64(handle, index);
  return true;
}

bool Statement::column(const char *name, double &number) const {
  int index = indexOf(name);
  if (index < 0 || sqlite3_column_type(handle, index) != SQLITE_FLOAT)
    return false;
  number = sqlite3_column_double(handle, index);
  return true;
}

bool Statement::column(const char *name, bool &truth) const {
  int64_t number = 0;
  if (!column(name, number) || (number != 0 && number != 1))
    return false;
  truth = number;
  return true;
}

Transaction::~Transaction() {
  if (isOpen)
    (void)database.execute("ROLLBACK");
}

SqlError Transaction::begin() {
  SqlError failed = database.execute("BEGIN IMMEDIATE");
  isOpen = !failed;
  return failed;
}

SqlError Transaction::commit() {
  SqlError failed = database.execute("COMMIT");
  // A commit that failed leaves the transaction open.
  if (!failed)
    isOpen = false;
  return failed;
}

} // namespace nereid::ops
