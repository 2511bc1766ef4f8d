// Store.cpp - reads and writes tuned results, and arranges them for lookups.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Store.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>

namespace nereid::ops {

static_assert(std::atomic<const void *>::is_always_lock_free);

struct Store::Frozen {
  // Sorted by name.
  std::vector<std::pair<std::string, const OperatorRows *>> operators;

  const OperatorRows *find(std::string_view name) const {
    auto found =
        std::lower_bound(operators.begin(), operators.end(), name,
                         [](const auto &entry, std::string_view wanted) {
                           return entry.first < wanted;
                         });
    return found != operators.end() && found->first == name ? found->second
                                                            : nullptr;
  }
};

Store::Store(StoreOptions options) : isOptional(options.isOptional) {
  Notify notify = [this](const std::string &text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(text);
  };
  backend = isServerAddress(options.path)
                ? makeServerBackend(std::move(options), std::move(notify))
                : makeFileBackend(std::move(options), std::move(notify));
}

Result<std::unique_ptr<Store>> Store::open(StoreOptions options) {
  std::unique_ptr<Store> store(new Store(std::move(options)));
  Outcome opened =
      Failure{NEREID_NOT_FOUND,
              "there is no home folder for the store of tuned results\n"
              "note: name a file, or set NEREID_TUNED"};
  if (!store->path().empty())
    opened = store->backend->open();
  if (opened)
    return store;
  if (!store->isOptional)
    return opened.failure();
  // A library goes on without.
  store->isGivenUp = true;
  store->texts.push_back(opened.failure().text);
  return store;
}

Store::~Store() = default;

bool Store::isReadOnly() const {
  std::lock_guard lock(mutex);
  return isGivenUp || backend->isReadOnly();
}

int64_t Store::version() const {
  std::lock_guard lock(mutex);
  return backend->version();
}

std::vector<std::string> Store::notices() const {
  std::lock_guard lock(mutex);
  return texts;
}

static Outcome normalizeAll(std::vector<TunedResult> &results) {
  for (TunedResult &result : results)
    if (Outcome checked = normalize(result); !checked)
      return checked;
  return {};
}

Outcome Store::record(std::span<const TunedResult> given) {
  std::vector<TunedResult> results(given.begin(), given.end());
  if (Outcome checked = normalizeAll(results); !checked)
    return checked;
  std::lock_guard lock(mutex);
  if (isGivenUp)
    return Failure{NEREID_UNAVAILABLE, texts.back()};
  return backend->write(results);
}

Outcome Store::update(const Change &change) {
  std::lock_guard lock(mutex);
  if (isGivenUp)
    return Failure{NEREID_UNAVAILABLE, texts.back()};
  return backend->update([&](const std::vector<TunedResult> &rows)
                             -> Result<std::vector<TunedResult>> {
    std::vector<TunedResult> results = change(rows);
    if (Outcome checked = normalizeAll(results); !checked)
      return checked.failure();
    return results;
  });
}

Result<std::vector<TunedResult>> Store::read(std::string_view operatorName) {
  std::lock_guard lock(mutex);
  if (isGivenUp)
    return std::vector<TunedResult>();
  Result<StoredRows> stored = backend->read(operatorName);
  if (!stored)
    return stored.failure();
  damaged.store(stored->damaged, std::memory_order_relaxed);
  return std::move(stored->rows);
}

const OperatorRows &Store::rows(std::string_view operatorName) {
  const Frozen *seen = frozen.load(std::memory_order_acquire);
  if (seen)
    if (const OperatorRows *known = seen->find(operatorName))
      return *known;
  std::lock_guard lock(mutex);
  seen = frozen.load(std::memory_order_relaxed);
  if (seen)
    if (const OperatorRows *known = seen->find(operatorName))
      return *known;
  std::vector<TunedResult> read;
  if (!isGivenUp) {
    if (Result<StoredRows> stored = backend->read(operatorName)) {
      read = std::move(stored->rows);
      damaged.fetch_add(stored->damaged, std::memory_order_relaxed);
    } else if (const std::string &text = stored.failure().text;
               std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(text);
    }
  }
  allRows.push_back(
      std::make_unique<const OperatorRows>(arrange(std::move(read))));
  const OperatorRows *added = allRows.back().get();
  auto next = std::make_unique<Frozen>();
  if (seen)
    next->operators = seen->operators;
  std::pair<std::string, const OperatorRows *> entry(operatorName, added);
  next->operators.insert(
      std::upper_bound(next->operators.begin(), next->operators.end(), entry),
      entry);
  frozen.store(next.get(), std::memory_order_release);
  allFrozen.push_back(std::move(next));
  return *added;
}

void Store::refresh() {
  std::lock_guard lock(mutex);
  frozen.store(nullptr, std::memory_order_release);
}

std::string defaultStorePath() {
  // A process with raised privileges must not be led elsewhere.
  if (getauxval(AT_SECURE))
    return {};
  auto text = [](const char *value) { return std::string(value ? value : ""); };
  if (std::string path = text(std::getenv("NEREID_TUNED")); !path.empty())
    return path;
  if (std::string state = text(std::getenv("XDG_STATE_HOME"));
      state.starts_with('/'))
    return state + "/nereid/tuned.db";
  if (std::string home = text(std::getenv("HOME")); home.starts_with('/'))
    return home + "/.local/state/nereid/tuned.db";
  return {};
}

} // namespace nereid::ops
