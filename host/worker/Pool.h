// Pool.h - several workers that run the same program: started when they are
// needed, kept while they are used, ended when they are not.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_WORKER_POOL_H
#define NEREID_HOST_WORKER_POOL_H

#include "worker/Worker.h"

#include <atomic>
#include <functional>

namespace nereid::worker {

struct PoolLimits {
  /// At most so many workers at once; 0: as many as processors and memory
  /// allow, at least one.
  unsigned most = 0;
  /// What one may need, to limit their number by what is available.
  uint64_t memoryOfOne = uint64_t(2) << 30;
  /// How long one is kept that nobody needs.
  std::chrono::milliseconds idle{60000};
};

/// Functions may be called on any thread. A child of fork() starts with an
/// empty pool: the workers belong to its parent.
class Pool {
public:
  Pool(Command command, PoolLimits limits);
  /// Ends all workers. No call may be running.
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// Asks an idle worker, else a new one; waits while there are as many as
  /// there may be. The time in \p limits does not include that wait nor the
  /// start of the worker, which have the limits of the command. A worker that
  /// fails is ended; the next request gets another one.
  Exchange ask(Message request, const Limits &limits);

  /// As ask(), but the request is made once the worker has said hello, which
  /// \p make is given; if it returns nothing, the exchange has the hello.
  Exchange
  ask(const std::function<std::optional<Message>(const Message &hello)> &make,
      const Limits &limits);

  /// How many workers there are now, idle ones included.
  unsigned size();

private:
  struct State;
  State &current();

  const Command command;
  const PoolLimits limits;
  std::atomic<State *> state{nullptr};
};

/// How many workers the processors and the free memory of this machine allow.
unsigned mostWorkers(uint64_t memoryOfOne);

} // namespace nereid::worker

#endif // NEREID_HOST_WORKER_POOL_H
