// Pool.cpp - starts, lends and ends workers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Pool.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <list>
#include <mutex>
#include <thread>

namespace nereid::worker {

unsigned mostWorkers(uint64_t memoryOfOne) {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned processors = sched_getaffinity(0, sizeof set, &set) == 0
                            ? static_cast<unsigned>(CPU_COUNT(&set))
                            : 1;
  uint64_t available = UINT64_MAX;
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    uint64_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes)
      available = kilobytes << 10;
    file.ignore(256, '\n');
  }
  uint64_t byMemory = memoryOfOne ? available / memoryOfOne : UINT64_MAX;
  return static_cast<unsigned>(
      std::clamp<uint64_t>(byMemory, 1, std::max(processors, 1u)));
}

namespace {
struct IdleWorker {
  std::unique_ptr<Worker> worker;
  Message hello;
  Clock::time_point since;
};

/// A worker to be started by the keeper.
struct Order {
  bool isDone = false;
  std::unique_ptr<Process> process;
  std::string problem;
};
} // namespace

/// What one process has. Owned by it: a child of fork() makes its own, since a
/// lock of its parent may be held for ever in its copy.
struct Pool::State {
  State(const Command &command, const PoolLimits &limits)
      : command(command), limits(limits), owner(getpid()),
        keeper([this] { keep(); }) {}
  ~State();

  Exchange take(IdleWorker &out, const Limits &request);
  void putBack(IdleWorker worker);
  void drop();

  const Command &command;
  const PoolLimits &limits;
  const pid_t owner;

  std::mutex mutex;
  std::condition_variable changed;
  std::list<IdleWorker> idle; // the most recently used first
  std::list<Order *> orders;
  unsigned count = 0; // of all workers
  bool isEnding = false;

private:
  void keep();
  std::unique_ptr<Process> order(std::string &problem);

  // Starts all workers: a worker asks the system to end it with the thread that
  // started it, and the threads of callers may end at any time. It also ends
  // idle ones.
  std::thread keeper; // last: it uses the other members
};

void Pool::State::keep() {
  std::unique_lock lock(mutex);
  while (true) {
    if (!orders.empty()) {
      Order *order = orders.front();
      orders.pop_front();
      lock.unlock();
      order->process = Process::start(command, order->problem);
      lock.lock();
      order->isDone = true;
      changed.notify_all();
      continue;
    }
    if (isEnding)
      return;
    std::list<IdleWorker> old;
    Clock::time_point now = Clock::now();
    while (!idle.empty() && idle.back().since + limits.idle <= now) {
      old.splice(old.begin(), idle, std::prev(idle.end()));
      --count;
    }
    if (!old.empty()) {
      changed.notify_all();
      lock.unlock();
      old.clear();
      lock.lock();
      continue;
    }
    if (idle.empty())
      changed.wait(lock);
    else
      changed.wait_until(lock, idle.back().since + limits.idle);
  }
}

std::unique_ptr<Process> Pool::State::order(std::string &problem) {
  Order mine;
  std::unique_lock lock(mutex);
  orders.push_back(&mine);
  changed.notify_all();
  changed.wait(lock, [&] { return mine.isDone; });
  problem = std::move(mine.problem);
  return std::move(mine.process);
}

void Pool::State::drop() {
  std::lock_guard lock(mutex);
  --count;
  changed.notify_all();
}

void Pool::State::putBack(IdleWorker worker) {
  std::lock_guard lock(mutex);
  worker.since = Clock::now();
  idle.push_front(std::move(worker));
  changed.notify_all();
}

// Takes an idle worker, or starts one.
Exchange Pool::State::take(IdleWorker &out, const Limits &request) {
  Exchange failed;
  {
    std::unique_lock lock(mutex);
    unsigned most = limits.most ? limits.most : mostWorkers(limits.memoryOfOne);
    Clock::time_point deadline =
        Clock::now() + command.startLimit + request.time;
    while (true) {
      while (!idle.empty()) {
        out = std::move(idle.front());
        idle.pop_front();
        if (!out.worker->hasEnded())
          return {};
        out = {}; // it died while nobody looked
        --count;
      }
      if (count < most)
        break;
      if (request.isCancelled && request.isCancelled()) {
        failed.end = End::Cancelled;
        failed.problem = "it was cancelled";
        return failed;
      }
      if (Clock::now() >= deadline) {
        failed.end = End::Late;
        failed.problem =
            "none of " + std::to_string(most) + " workers became free in time";
        return failed;
      }
      changed.wait_for(lock, std::chrono::milliseconds(20));
    }
    ++count;
  }
  std::string problem;
  std::unique_ptr<Process> process = order(problem);
  if (!process) {
    drop();
    failed.end = End::NotStarted;
    failed.problem = std::move(problem);
    return failed;
  }
  auto worker = std::make_unique<Worker>(std::move(process));
  Limits greeting;
  greeting.time = command.startLimit;
  greeting.isCancelled = request.isCancelled;
  Exchange hello = worker->greet(greeting);
  if (hello.end != End::Answered) {
    worker.reset();
    drop();
    return hello;
  }
  out = {std::move(worker), std::move(hello.answer), Clock::now()};
  return {};
}

Pool::State::~State() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
    changed.notify_all();
  }
  idle.clear();
  keeper.join();
}

Pool::Pool(Command command, PoolLimits limits)
    : command(std::move(command)), limits(limits) {}

Pool::~Pool() {
  State *last = state.load();
  // That of a parent is left alone, with a thread that does not exist here.
  if (last && last->owner == getpid())
    delete last;
}

Pool::State &Pool::current() {
  State *found = state.load();
  while (!found || found->owner != getpid()) {
    auto fresh = std::make_unique<State>(command, limits);
    if (state.compare_exchange_strong(found, fresh.get()))
      return *fresh.release();
  }
  return *found;
}

Exchange
Pool::ask(const std::function<std::optional<Message>(const Message &)> &make,
          const Limits &request) {
  State &mine = current();
  IdleWorker lent;
  if (Exchange taken = mine.take(lent, request); taken.end != End::Answered)
    return taken;
  std::optional<Message> message = make(lent.hello);
  Exchange exchange;
  if (message)
    exchange = lent.worker->ask(std::move(*message), request);
  else
    exchange.answer = lent.hello;
  if (exchange.end == End::Answered) {
    mine.putBack(std::move(lent));
  } else {
    lent.worker.reset();
    mine.drop();
  }
  return exchange;
}

Exchange Pool::ask(Message request, const Limits &limits) {
  return ask([&](const Message &) { return std::optional(std::move(request)); },
             limits);
}

unsigned Pool::size() {
  State &mine = current();
  std::lock_guard lock(mine.mutex);
  return mine.count;
}

} // namespace nereid::worker
