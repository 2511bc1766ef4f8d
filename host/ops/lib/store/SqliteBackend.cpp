// SqliteBackend.cpp - opens, upgrades, reads and writes a file of tuned
// results.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/SqliteBackend.h"
#include "support/File.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

namespace nereid::ops {

// "NRTR" in the file's header; file(1) and we tell our files by it.
static constexpr int64_t applicationId = 0x4e525452;

// Errors of ours that are not SQLite's. Its primary codes are below 256.
static constexpr int foreignFile = 1 << 20;
static constexpr int newerFile = foreignFile + 1;

// ------------------------------------------------------------------ versions

// Version 1. Rows are unique by TunedResult::identity().
static constexpr const char *firstVersion = R"sql(
CREATE TABLE format (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE result (
  operator TEXT NOT NULL,
  key_exact TEXT NOT NULL,
  key_bucket TEXT NOT NULL,
  variant TEXT NOT NULL,
  configuration TEXT NOT NULL,
  status TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  median_ns REAL NOT NULL,
  spread_ns REAL NOT NULL,
  samples INTEGER NOT NULL,
  protocol TEXT NOT NULL,
  compiler_plugin TEXT NOT NULL,
  compiler_release TEXT NOT NULL,
  compiler_build TEXT NOT NULL,
  compiler_dependencies TEXT NOT NULL,
  device_name TEXT NOT NULL,
  device_architecture TEXT NOT NULL,
  device_units INTEGER NOT NULL,
  device_driver TEXT NOT NULL,
  time INTEGER NOT NULL,
  source TEXT NOT NULL,
  note TEXT NOT NULL,
  checksum TEXT NOT NULL,
  UNIQUE (operator, key_exact, variant, configuration, protocol,
          compiler_plugin, compiler_release, compiler_build,
          compiler_dependencies, device_name, device_architecture,
          device_units, device_driver)
);
)sql";

static constexpr const char *versions[] = {firstVersion};
static_assert(std::size(versions) == storeVersion);

SqliteBackend::Steps SqliteBackend::ownSteps() { return versions; }

SqlError SqliteBackend::upgrade(Database &database, Steps steps,
                                int64_t oldestReader) {
  Transaction transaction(database);
  if (SqlError failed = transaction.begin())
    return failed;
  // Another process may have done it while this one waited.
  int64_t version = 0;
  if (SqlError failed = database.read("PRAGMA user_version", version))
    return failed;
  if (version >= static_cast<int64_t>(steps.size()))
    return transaction.commit();
  for (const char *step : steps.subspan(static_cast<size_t>(version)))
    if (SqlError failed = database.execute(step))
      return failed;
  for (const std::string &statement :
       {"PRAGMA application_id = " + std::to_string(applicationId),
        "PRAGMA user_version = " + std::to_string(steps.size()),
        "INSERT OR REPLACE INTO format (name, value) VALUES "
        "('oldest_reader', " +
            std::to_string(oldestReader) + ")"})
    if (SqlError failed = database.execute(statement.c_str()))
      return failed;
  return transaction.commit();
}

// ------------------------------------------------------------------- opening

// Makes the folders above `path`, for their user alone.
static SqlError makeFolders(const std::string &path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::string made;
  for (const auto &part : folder) {
    made = (std::filesystem::path(made) / part).string();
    if (mkdir(made.c_str(), 0700) != 0 && errno != EEXIST && errno != EISDIR)
      if (struct stat found; stat(made.c_str(), &found) != 0)
        return {SQLITE_CANTOPEN, host::errorText(errno)};
  }
  return {};
}

// Refuses files of other programs and of versions that we cannot read.
SqlError SqliteBackend::checkFormat(Database &made) {
  int64_t application = 0, tables = 0, oldest = 0;
  // Of one moment: another process may be making the tables.
  SqlError read = made.execute("BEGIN");
  if (!read)
    read = made.read("PRAGMA user_version", fileVersion);
  if (!read)
    read = made.read("PRAGMA application_id", application);
  if (!read)
    read = made.read("SELECT count(*) FROM sqlite_schema", tables);
  SqlError ended = made.execute("COMMIT");
  if (read || ended)
    return read ? read : ended;
  bool isEmpty = tables == 0 && application == 0 && fileVersion == 0;
  if (isEmpty)
    return {};
  if (application != applicationId)
    return {foreignFile, "an SQLite database of another program"};
  isNewer = fileVersion > storeVersion;
  if (!isNewer)
    return {};
  std::string version = std::to_string(fileVersion);
  std::string own = std::to_string(storeVersion);
  if (SqlError failed = made.read(
          "SELECT value FROM format WHERE name = 'oldest_reader'", oldest))
    return failed;
  if (oldest > storeVersion)
    return {newerFile, "format " + version +
                           ", written by a newer Nereid; this "
                           "one reads up to format " +
                           own +
                           "\nnote: export it with the newer one ('nereid tune "
                           "export'), or use another file"};
  notice("format " + version + " is newer than " + own +
         " of this Nereid: results are read, none are recorded");
  return {};
}

SqlError SqliteBackend::prepareForWriting(Database &made) {
  // Refused where shared memory does not work, on a network file system for
  // instance; the journal that SQLite uses then is slower and as safe.
  std::string mode;
  SqlError failed = made.read("PRAGMA journal_mode", mode);
  if (!failed && mode != "wal")
    failed = made.read("PRAGMA journal_mode = WAL", mode);
  if (failed)
    return failed;
  // Safe against the end of the process; the end of the machine may lose the
  // last results, and never damages the file.
  if ((failed = made.execute("PRAGMA synchronous = NORMAL")))
    return failed;
  if (fileVersion >= storeVersion)
    return {};
  if ((failed = upgrade(made, ownSteps(), storeVersion)))
    return failed;
  fileVersion = storeVersion;
  return {};
}

// Whether the log beside the file has results that are not in the file yet.
static bool hasLog(const std::string &path) {
  struct stat found;
  return stat((path + "-wal").c_str(), &found) == 0 && found.st_size > 0;
}

// The check reports a page that it cannot read as damage, although the next
// attempt may succeed: "Page 7: unable to get the page. error code=266".
static int readErrorIn(const std::string &text) {
  static constexpr std::string_view words = "error code=";
  size_t found = text.find(words);
  int code = 0;
  if (found != text.npos)
    std::from_chars(text.data() + found + words.size(),
                    text.data() + text.size(), code);
  return code;
}

static SqlError checkStructure(Database &made) {
  std::string found;
  if (SqlError failed = made.read("PRAGMA quick_check(1)", found))
    return failed;
  if (found == "ok")
    return {};
  SqlError read{readErrorIn(found), "reading failed: the disk fails"};
  if (read && !read.isDamage())
    return read;
  // Its first line names the database.
  return {SQLITE_CORRUPT, found.substr(found.rfind('\n') + 1)};
}

SqlError SqliteBackend::connectOnce(Database &made, Database::Mode mode) {
  SqlError failed = made.open(options.path, mode, options.busyMilliseconds);
  if (!failed)
    failed = checkStructure(made);
  if (!failed)
    failed = checkFormat(made);
  if (failed || options.isReadOnly || isNewer)
    return failed;
  if (!made.isReadOnly())
    return prepareForWriting(made);
  notice("it cannot be written: results are read, none are recorded");
  return {};
}

// Without permission to write the folder, SQLite cannot share its log. Nobody
// else can write then either, so that the file alone is enough, unless a
// process was killed and left a log. The same holds of a full disk, if all that
// is wanted is to read.
static bool needsNoLock(const StoreOptions &options, const SqlError &error) {
  int primary = error.code & 0xff;
  bool isFull = primary == SQLITE_FULL || error.code == SQLITE_IOERR_SHMOPEN ||
                error.code == SQLITE_IOERR_SHMSIZE ||
                error.code == SQLITE_IOERR_SHMMAP;
  bool isEnough = primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY ||
                  (isFull && (options.isReadOnly || options.isOptional));
  return isEnough && access(options.path.c_str(), R_OK) == 0;
}

// Locks the folder of \p path: shared to open a store that may be replaced,
// exclusively to move a damaged one away, so that nobody opens a new store
// between its file and its log. Empty where the file system has no locks.
static host::FileDescriptor lockFolder(const std::string &path, int kind) {
  std::string folder = std::filesystem::path(path).parent_path();
  host::FileDescriptor lock(::open(folder.empty() ? "." : folder.c_str(),
                                   O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock)
    return lock;
  int status = 0;
  do
    status = flock(lock.get(), kind);
  while (status != 0 && errno == EINTR);
  return status == 0 ? std::move(lock) : host::FileDescriptor();
}

SqlError SqliteBackend::connect() {
  struct stat found;
  if (stat(options.path.c_str(), &found) == 0 && !S_ISREG(found.st_mode))
    return {SQLITE_CANTOPEN,
            "it is " + host::fileKind(found.st_mode) + ", expected a file"};
  auto mode = Database::Read;
  if (!options.isReadOnly)
    mode = options.mayCreate ? Database::Create : Database::Write;
  if (mode == Database::Create)
    if (SqlError failed = makeFolders(options.path))
      return failed;
  auto end = std::chrono::steady_clock::now() +
             std::chrono::milliseconds(options.busyMilliseconds);
  for (;;) {
    database.reset();
    auto made = std::make_unique<Database>();
    SqlError failed;
    {
      host::FileDescriptor lock;
      if (options.isOptional && !options.isReadOnly)
        lock = lockFolder(options.path, LOCK_SH);
      failed = connectOnce(*made, mode);
    }
    if (!failed) {
      database = std::move(made);
      return {};
    }
    // The switch to a log is refused at once while another process looks at
    // the file.
    bool isLate = std::chrono::steady_clock::now() >= end;
    if (failed.isBusy() && !isLate) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } else if (mode != Database::Immutable && needsNoLock(options, failed)) {
      if (hasLog(options.path))
        return {failed.code,
                "its folder cannot be written, and its log '" + options.path +
                    "-wal' has results that must be merged into it first\n"
                    "note: open it once where the folder can be written, with "
                    "'nereid tune list' for instance"};
      mode = Database::Immutable;
    } else {
      return failed;
    }
  }
}

// Connects where that was not done yet, or only in the parent of this process.
SqlError SqliteBackend::connection() {
  if (database && database->isOwn())
    return {};
  return connect();
}

Failure SqliteBackend::failure(const SqlError &error) const {
  nereid_status_t status = error.status();
  struct stat found;
  if (error.code == foreignFile)
    status = NEREID_INVALID_ARGUMENT;
  else if (error.code == newerFile)
    status = NEREID_INCOMPATIBLE;
  else if (stat(options.path.c_str(), &found) != 0 && errno == ENOENT)
    status = NEREID_NOT_FOUND;
  if (error.isDamage())
    return {status,
            options.path + ": damaged, or not a store of tuned results (" +
                error.text + ")\nnote: use another file, or remove this one"};
  if (error.isBusy())
    return {status, options.path + ": another process has locked it for " +
                        std::to_string(options.busyMilliseconds / 1000) +
                        " s\nnote: find the process that holds it ('fuser " +
                        options.path + "')"};
  return {status, options.path + ": " + error.text};
}

void SqliteBackend::notice(const std::string &text) {
  notify(options.path + ": " + text);
}

// ------------------------------------------------------------------ repairing

// Moves a damaged file away, so that a new one can be made. False if that is
// not wanted or not possible. One process does it; the others find the new
// file.
bool SqliteBackend::setAside(const SqlError &error) {
  if (!error.isDamage() || !options.isOptional || options.isReadOnly)
    return false;
  database.reset();
  host::FileDescriptor lock = lockFolder(options.path, LOCK_EX);
  if (!lock)
    return false;
  {
    Database again;
    SqlError failed =
        again.open(options.path, Database::Read, options.busyMilliseconds);
    if (!failed)
      failed = checkStructure(again);
    if (!failed.isDamage())
      return true;
  }
  std::string target;
  for (int number = 1; number < 1000; ++number) {
    target = options.path + ".damaged-" + std::to_string(number);
    if (access(target.c_str(), F_OK) != 0)
      break;
  }
  if (rename(options.path.c_str(), target.c_str()) != 0)
    return false;
  for (const char *suffix : {"-wal", "-shm"})
    (void)rename((options.path + suffix).c_str(), (target + suffix).c_str());
  notice("damaged (" + error.text + "), moved to '" + target +
         "'; tuned results start again");
  return true;
}

// Runs work() on a connection; once more on a new file if the file is damaged.
template <typename Work> SqlError SqliteBackend::repairing(Work work) {
  // A limit on the size of files is an error like a full disk, and no signal.
  host::SizeSignalBlock block;
  for (bool isFirst = true;; isFirst = false) {
    SqlError failed = connection();
    if (!failed)
      failed = work();
    if (!failed || !isFirst)
      return failed;
    // Somebody moved the file away, another process that found it damaged for
    // instance.
    if (failed.code == SQLITE_READONLY_DBMOVED)
      database.reset();
    else if (!setAside(failed))
      return failed;
  }
}

Outcome SqliteBackend::open() {
  SqlError failed = repairing([] { return SqlError(); });
  return failed ? Outcome(failure(failed)) : Outcome();
}

bool SqliteBackend::isReadOnly() const {
  return options.isReadOnly || isNewer || !database || database->isReadOnly();
}

// -------------------------------------------------------------------- writing

static std::string insertion() {
  std::string names, values;
  TunedResult any;
  visitFields(any, [&](const char *name, const auto &) {
    names += std::string(name) + ", ";
    values += ':' + std::string(name) + ", ";
  });
  return "INSERT OR REPLACE INTO result (" + names + "checksum) VALUES (" +
         values + ":checksum)";
}

SqlError SqliteBackend::checkWritable() const {
  if (options.isReadOnly || isNewer || database->isReadOnly())
    return {SQLITE_READONLY, "it is read-only, no results are recorded"};
  if (database->hasMoved())
    return {SQLITE_READONLY_DBMOVED, "it was moved away"};
  return {};
}

// Within a transaction.
SqlError SqliteBackend::insert(std::span<const TunedResult> results) {
  Statement statement;
  if (SqlError failed = statement.prepare(*database, insertion()))
    return failed;
  for (const TunedResult &result : results) {
    visitFields(result, [&](const char *name, const auto &field) {
      statement.bind(name, field);
    });
    statement.bind("checksum", checksumOf(result));
    bool isRow = false;
    if (SqlError failed = statement.step(isRow))
      return failed;
  }
  return {};
}

Outcome SqliteBackend::write(std::span<const TunedResult> results) {
  SqlError failed = repairing([&] {
    SqlError error = checkWritable();
    Transaction transaction(*database);
    if (!error)
      error = transaction.begin();
    if (!error)
      error = insert(results);
    return error ? error : transaction.commit();
  });
  return failed ? Outcome(failure(failed)) : Outcome();
}

Outcome SqliteBackend::update(const Change &change) {
  Outcome changed;
  SqlError failed = repairing([&] {
    StoredRows stored;
    SqlError error = checkWritable();
    Transaction transaction(*database);
    if (!error)
      error = transaction.begin();
    if (!error)
      error = readRows({}, stored);
    if (error)
      return error;
    Result<std::vector<TunedResult>> results = change(stored.rows);
    changed = results ? Outcome() : Outcome(results.failure());
    if (!changed)
      return SqlError();
    error = insert(*results);
    return error ? error : transaction.commit();
  });
  return failed ? Outcome(failure(failed)) : changed;
}

// -------------------------------------------------------------------- reading

SqlError SqliteBackend::readRows(std::string_view operatorName,
                                 StoredRows &stored) {
  stored = {};
  if (fileVersion == 0)
    return {};
  Statement select;
  std::string text = "SELECT * FROM result";
  if (!operatorName.empty())
    text += " WHERE operator = :operator";
  text += " ORDER BY operator, key_exact, variant, configuration, protocol,"
          " compiler_plugin, compiler_release, compiler_build,"
          " compiler_dependencies, device_name, device_architecture,"
          " device_units, device_driver";
  if (SqlError failed = select.prepare(*database, text)) {
    // There is no such table, or it lacks a column.
    if (failed.code == SQLITE_ERROR)
      failed.code = SQLITE_CORRUPT;
    return failed;
  }
  if (!operatorName.empty())
    select.bind("operator", operatorName);
  SqlError missing;
  TunedResult any;
  visitFields(any, [&](const char *name, const auto &) {
    if (!missing && !select.hasColumn(name))
      missing = {SQLITE_CORRUPT,
                 "its table has no column '" + std::string(name) + "'"};
  });
  if (missing)
    return missing;
  for (;;) {
    bool isRow = false;
    if (SqlError failed = select.step(isRow))
      return failed;
    if (!isRow)
      return {};
    TunedResult result;
    if (readStoredRow(select, result))
      stored.rows.push_back(std::move(result));
    else
      ++stored.damaged;
  }
}

Result<StoredRows> SqliteBackend::read(std::string_view operatorName) {
  StoredRows stored;
  if (SqlError failed =
          repairing([&] { return readRows(operatorName, stored); }))
    return failure(failed);
  return stored;
}

std::unique_ptr<Backend> makeFileBackend(StoreOptions options, Notify notify) {
  return std::make_unique<SqliteBackend>(std::move(options), std::move(notify));
}

} // namespace nereid::ops
