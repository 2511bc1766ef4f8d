// Backend.h - where a store keeps its results: a file, or a server.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_BACKEND_H
#define NEREID_OPS_STORE_BACKEND_H

#include "store/Record.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

/// The version of the format that this library writes.
inline constexpr int64_t storeVersion = 1;

struct StoreOptions {
  /// A file, or the address of a PostgreSQL server (isServerAddress()).
  std::string path;
  bool isReadOnly = false;
  bool mayCreate = true;
  /// A store that a library opens by itself: what is damaged is moved away, and
  /// what cannot be opened is an empty store, each with a notice.
  bool isOptional = false;
  int busyMilliseconds = 30000;
  /// How long an optional store asks a server nothing after it failed.
  int pauseMilliseconds = 30000;
  /// The program that talks to a server; empty: the one that is installed with
  /// this library.
  std::string helper = {};
};

/// Results that were read.
struct StoredRows {
  std::vector<TunedResult> rows;
  uint64_t damaged = 0; ///< rows that were ignored
};

/// One call at a time. Every failure names the store.
class Backend {
public:
  virtual ~Backend() = default;

  /// The store's name for people; holds no password.
  virtual const std::string &name() const = 0;
  /// Finds the store, or makes it, and checks its format.
  virtual Outcome open() = 0;
  /// Of open(); 0 if there is nothing yet.
  virtual int64_t version() const = 0;
  virtual bool isReadOnly() const = 0;

  /// The results of \p operatorName, or all, in the order of their identity.
  virtual Result<StoredRows> read(std::string_view operatorName) = 0;

  /// The results to add, given all that are there.
  using Change = std::function<Result<std::vector<TunedResult>>(
      const std::vector<TunedResult> &)>;
  /// Adds what \p change returns, all or none; equal ones are replaced. They
  /// are normalized. Nobody else writes in between. \p change may be called
  /// again; if it fails nothing is written.
  virtual Outcome update(const Change &change) = 0;
  /// Adds \p results, as update().
  virtual Outcome write(std::span<const TunedResult> results) = 0;
};

/// Is told what the user should know.
using Notify = std::function<void(const std::string &text)>;

std::unique_ptr<Backend> makeFileBackend(StoreOptions options, Notify notify);
std::unique_ptr<Backend> makeServerBackend(StoreOptions options, Notify notify);

/// "postgresql://..." or "postgres://...".
bool isServerAddress(std::string_view path);

/// Whether \p row is one that was written: its types are right, its checksum is
/// that of its fields, and they are normalized. \p columns has column(name,
/// field), which is false if there is none of that type.
template <typename Columns>
bool readStoredRow(const Columns &columns, TunedResult &row) {
  bool isWhole = true;
  visitFields(row, [&](const char *name, auto &field) {
    isWhole = isWhole && columns.column(name, field);
  });
  std::string checksum;
  if (!isWhole || !columns.column("checksum", checksum) ||
      checksum != checksumOf(row))
    return false;
  // Others may write too, with a right checksum.
  TunedResult normal = row;
  return normalize(normal) && normal.identity() == row.identity() &&
         normal.bucket == row.bucket;
}

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_BACKEND_H
