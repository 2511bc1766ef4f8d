// Store.h - tuned results, which many processes read and write.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// They are in a file or on a server (Backend.h). Each row carries a checksum; a
// row that fails it, or makes no sense, is counted and ignored.
//
// docs/tuning.md describes the formats.

#ifndef NEREID_OPS_STORE_STORE_H
#define NEREID_OPS_STORE_STORE_H

#include "store/Backend.h"
#include "store/Key.h"
#include "store/Record.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

/// The results of an operator for one key.
struct KeyRows {
  std::string key;
  std::vector<KeyMember> members;
  std::vector<TunedResult> rows;
  bool hasBad = false; ///< TunedResult::isBad() of any
};

/// All results of an operator, sorted by key; never changed.
struct OperatorRows {
  std::vector<KeyRows> keys;
};

/// The results of one operator, from wherever they come: a pack may bring some.
/// They are normalized (Record.h).
OperatorRows arrange(std::vector<TunedResult> rows);

/// Any thread may call any function.
class Store {
public:
  static Result<std::unique_ptr<Store>> open(StoreOptions options);
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// Its path, or the address of the server without the password.
  const std::string &path() const { return backend->name(); }
  bool isReadOnly() const;
  /// The version of its format; 0 if there is none.
  int64_t version() const;
  /// What the user should know, a line each.
  std::vector<std::string> notices() const;
  /// How many rows were ignored because they were damaged.
  uint64_t damagedRows() const { return damaged.load(); }

  /// Adds \p results, all or none. An equal one (TunedResult::identity) is
  /// replaced.
  Outcome record(std::span<const TunedResult> results);

  /// What to record, given all results that are there.
  using Change =
      std::function<std::vector<TunedResult>(const std::vector<TunedResult> &)>;
  /// Records what \p change returns; nobody else writes in between. It may be
  /// called again if the file had to be replaced, or the server was lost.
  Outcome update(const Change &change);

  /// All results, or those of \p operatorName, in the order of their identity.
  Result<std::vector<TunedResult>> read(std::string_view operatorName = {});

  /// The results of an operator as they were when they were first needed, until
  /// refresh(). Neither waits nor touches the store for an operator
  /// that was needed before. Valid as long as the store.
  const OperatorRows &rows(std::string_view operatorName);

  /// Lets rows() read the store again.
  void refresh();

private:
  struct Frozen;

  explicit Store(StoreOptions options);

  const bool isOptional;
  mutable std::mutex mutex; // of what follows
  std::unique_ptr<Backend> backend;
  bool isGivenUp = false;         // go on without a store
  std::vector<std::string> texts; // notices
  std::vector<std::unique_ptr<const Frozen>>
      allFrozen; // old ones may be in use
  std::vector<std::unique_ptr<const OperatorRows>> allRows;

  std::atomic<const Frozen *> frozen = nullptr;
  std::atomic<uint64_t> damaged = 0;
};

/// Where the store is unless something else is named: NEREID_TUNED, else
/// nereid/tuned.db in XDG_STATE_HOME, else in ~/.local/state. Empty if there is
/// no such folder.
std::string defaultStorePath();

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_STORE_H
