// SingleFlight.h - for threads of one process that need the same result:
// one computes it, the others wait.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CACHE_SINGLE_FLIGHT_H
#define NEREID_HOST_CACHE_SINGLE_FLIGHT_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <unistd.h>

namespace nereid::host {

/// Computations under way, by key. Any thread. After fork() a child starts with
/// an empty table: the threads that were computing are not in the child, and
/// the lock may have been theirs.
template <typename Key, typename Value> class SingleFlight {
public:
  SingleFlight() : current(new Table) {}
  ~SingleFlight() {
    Table *table = current.load();
    if (table->owner == ::getpid())
      delete table;
  }
  SingleFlight(const SingleFlight &) = delete;
  SingleFlight &operator=(const SingleFlight &) = delete;

  /// The result of \p compute. If another thread computes that of \p key
  /// already, its result, after waiting for it without a deadline; \p isShared
  /// is set then. A result of another thread for which \p isForAll is false is
  /// not taken: one of those that wait computes it again. If a thread leaves by
  /// an exception, its result is \p abandoned. While it waits, \p giveUp is
  /// asked now and then, without a lock: a value that it returns is the result.
  template <typename Compute, typename IsForAll, typename GiveUp>
  Value run(const Key &key, const Compute &compute, const Value &abandoned,
            const IsForAll &isForAll, bool &isShared, const GiveUp &giveUp) {
    Table &table = ownTable();
    std::shared_ptr<Flight> flight;
    {
      std::unique_lock lock(table.mutex);
      while (true) {
        auto [place, isNew] = table.flights.try_emplace(key);
        isShared = !isNew;
        if (isNew)
          place->second = std::make_shared<Flight>();
        flight = place->second;
        if (isNew)
          break;
        auto hasLanded = [&] { return flight->value.has_value(); };
        while (!table.landed.wait_for(lock, std::chrono::milliseconds(20),
                                      hasLanded)) {
          lock.unlock();
          if (std::optional<Value> instead = giveUp())
            return *instead;
          lock.lock();
        }
        if (isForAll(*flight->value))
          return *flight->value;
      }
    }
    Landing landing{table, key, *flight, abandoned};
    landing.value = compute();
    return landing.value;
  }

private:
  struct Flight {
    std::optional<Value> value;
  };
  struct Table {
    const pid_t owner = ::getpid();
    std::mutex mutex;
    std::condition_variable landed;
    std::unordered_map<Key, std::shared_ptr<Flight>> flights;
    Table *parents = nullptr; // kept, but never touched: see the class
  };

  // Wakes the others, even if compute() throws.
  struct Landing {
    Table &table;
    const Key &key;
    Flight &flight;
    Value value;

    ~Landing() {
      std::lock_guard lock(table.mutex);
      flight.value = value;
      table.flights.erase(key);
      table.landed.notify_all();
    }
  };

  Table &ownTable() {
    Table *table = current.load(std::memory_order_acquire);
    if (table->owner == ::getpid())
      return *table;
    auto fresh = std::make_unique<Table>();
    fresh->parents = table;
    if (current.compare_exchange_strong(table, fresh.get()))
      return *fresh.release();
    return *table; // another thread of the child was faster
  }

  std::atomic<Table *> current;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_SINGLE_FLIGHT_H
