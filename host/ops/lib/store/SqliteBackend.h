// SqliteBackend.h - a store in an SQLite file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The file has a write-ahead log: readers do not wait for a writer, a process
// that is killed at any time leaves what it had committed, and nothing else.

#ifndef NEREID_OPS_STORE_SQLITE_BACKEND_H
#define NEREID_OPS_STORE_SQLITE_BACKEND_H

#include "store/Backend.h"
#include "store/Database.h"

namespace nereid::ops {

class SqliteBackend final : public Backend {
public:
  SqliteBackend(StoreOptions options, Notify notify)
      : options(std::move(options)), notify(std::move(notify)) {}

  const std::string &name() const override { return options.path; }
  Outcome open() override;
  int64_t version() const override { return fileVersion; }
  bool isReadOnly() const override;
  Result<StoredRows> read(std::string_view operatorName) override;
  Outcome update(const Change &change) override;
  Outcome write(std::span<const TunedResult> results) override;

  /// One step of an upgrade: from version i to i + 1 for the step with index i.
  using Steps = std::span<const char *const>;
  /// Brings \p database to version steps.size(), all or nothing.
  static SqlError upgrade(Database &database, Steps steps,
                          int64_t oldestReader);
  static Steps ownSteps();

private:
  SqlError connect();
  SqlError connectOnce(Database &made, Database::Mode mode);
  SqlError checkFormat(Database &made);
  SqlError prepareForWriting(Database &made);
  SqlError connection();
  Failure failure(const SqlError &error) const;
  bool setAside(const SqlError &error);
  void notice(const std::string &text);
  SqlError checkWritable() const;
  SqlError insert(std::span<const TunedResult> results);
  SqlError readRows(std::string_view operatorName, StoredRows &stored);
  template <typename Work> SqlError repairing(Work work);

  const StoreOptions options;
  const Notify notify;
  std::unique_ptr<Database> database; // none: there is no usable file
  int64_t fileVersion = 0;
  bool isNewer = false; // than this library: read only
};

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_SQLITE_BACKEND_H
