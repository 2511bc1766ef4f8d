// Database.h - a connection to an SQLite file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The file may come from anybody: its triggers and views are not run, and what
// its schema may do is restricted.
//
// Its user blocks SIGXFSZ (host::SizeSignalBlock): SQLite may write at any
// time, to repair after a crash for instance.

#ifndef NEREID_OPS_STORE_DATABASE_H
#define NEREID_OPS_STORE_DATABASE_H

#include "support/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>

struct sqlite3;
struct sqlite3_stmt;

namespace nereid::ops {

using host::Failure;
using host::Outcome;
using host::Result;

/// What SQLite answered, and in words.
struct SqlError {
  int code = 0; ///< SQLite's, extended; 0: none
  std::string text;

  explicit operator bool() const { return code != 0; }
  bool isDamage() const; ///< the file is not what SQLite wrote
  bool isBusy() const;
  nereid_status_t status() const;
};

class Database {
public:
  enum Mode { Read, Write, Create, Immutable };

  Database() = default;
  /// Closes; in a child of the process that opened it, it only forgets.
  ~Database();
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  SqlError open(const std::string &path, Mode mode, int busyMilliseconds);
  SqlError execute(const char *sql);
  /// The first column of the first row as a number and as text; 0 and empty
  /// without a row.
  SqlError read(const char *sql, int64_t &number);
  SqlError read(const char *sql, std::string &text);
  bool isReadOnly() const;
  /// Whether its path leads to another file now, or to none.
  bool hasMoved() const;
  bool isOpen() const { return handle; }
  /// Whether this process opened it.
  bool isOwn() const;

private:
  friend class Statement;
  SqlError error(int code) const;

  sqlite3 *handle = nullptr;
  pid_t owner = 0;
};

/// A prepared statement. Columns of a result are found by name.
class Statement {
public:
  Statement() = default;
  ~Statement();
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  SqlError prepare(Database &database, const std::string &sql);
  /// Parameters are named ":name" in the text; \p name is without the colon.
  void bind(const char *name, std::string_view text);
  void bind(const char *name, int64_t number);
  void bind(const char *name, double number);
  void bind(const char *name, bool truth) { bind(name, int64_t(truth)); }
  /// Whether there is a row; ready for other parameters if not.
  SqlError step(bool &isRow);
  /// Makes it ready to run again.
  void reset();

  bool hasColumn(const char *name) const;
  /// False if the column does not have that type.
  bool column(const char *name, std::string &text) const;
  bool column(const char *name, int64_t &number) const;
  bool column(const char *name, double &number) const;
  bool column(const char *name, bool &truth) const;

private:
  friend class Database;
  int indexOf(const char *name) const;

  Database *database = nullptr;
  sqlite3_stmt *handle = nullptr;
  std::map<std::string, int, std::less<>> columns;
};

/// All or nothing: rolls back what was not committed.
class Transaction {
public:
  explicit Transaction(Database &database) : database(database) {}
  ~Transaction();
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;

  /// Takes the lock on writing, waiting for others.
  SqlError begin();
  SqlError commit();

private:
  Database &database;
  bool isOpen = false;
};

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_DATABASE_H
