// RemoteLane.cpp - starts the helper of a remote cache and asks it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/RemoteLane.h"

#include <algorithm>

namespace nereid::host {

using worker::End;
using worker::Exchange;
using worker::Message;
using Phase = RemoteJob::Phase;

// How long a helper is kept that nobody needs.
static constexpr std::chrono::seconds idleLimit(60);

RemoteLane::~RemoteLane() {
  isEnding = true;
  {
    std::lock_guard lock(mutex);
    changed.notify_all();
  }
  if (thread.joinable())
    thread.join();
}

bool RemoteLane::post(std::shared_ptr<RemoteJob> job, size_t mostJobs,
                      uint64_t mostBytes) {
  std::lock_guard lock(mutex);
  if (isPausing() || jobs.size() >= mostJobs ||
      job->size > mostBytes - std::min(queuedBytes, mostBytes))
    return false;
  if (!thread.joinable())
    thread = std::thread([this] { run(); });
  queuedBytes += job->size;
  jobs.push_back(std::move(job));
  changed.notify_all();
  return true;
}

std::optional<Message> RemoteLane::wait(RemoteJob &job,
                                        std::chrono::milliseconds first,
                                        std::chrono::milliseconds whole) {
  Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex);
  auto isDone = [&] { return job.phase == Phase::Done; };
  changed.wait_until(lock, start + first,
                     [&] { return isDone() || job.phase == Phase::Arriving; });
  if (job.phase == Phase::Arriving)
    changed.wait_until(lock, start + whole, isDone);
  if (isDone())
    return std::move(job.answer);
  job.isAbandoned = true;
  // One that only waited for others says nothing about the server.
  if (job.phase != Phase::Queued)
    pausedUntil = Clock::now() + options.pause;
  return std::nullopt;
}

bool RemoteLane::drain(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, limit, [&] { return jobs.empty() && !isBusy; });
}

// One request to the helper. Returns what failed; empty if nothing did.
std::string RemoteLane::exchange(Message request, Message &answer,
                                 RemoteJob *job) {
  hasDied = false;
  worker::Limits limits;
  // The helper keeps the limits itself; this one is for a helper that hangs,
  // for instance because a name is looked up.
  limits.time = options.limit + std::chrono::seconds(1);
  limits.isCancelled = [this] { return isEnding.load(); };
  limits.event = [&](const Message &) {
    std::lock_guard lock(mutex);
    if (job && job->phase == Phase::Asked)
      job->phase = Phase::Arriving;
    changed.notify_all();
  };
  Exchange done = helper->ask(std::move(request), limits);
  if (done.end != End::Answered) {
    helper.reset();
    hasDied = done.end == End::Ended;
    return "its helper process failed: " + done.problem;
  }
  answer = std::move(done.answer);
  auto error = answer.header.find("error");
  if (error == answer.header.end())
    return {};
  return error->is_string() ? error->get<std::string>() : "no reason is given";
}

// Starts the helper and lets it connect.
std::string RemoteLane::start() {
  if (options.command.words[0].empty())
    return "its helper program nereid-cache-redis was not looked for: where "
           "libnereid is located is unknown";
  std::string problem;
  std::unique_ptr<worker::Process> process =
      worker::Process::start(options.command, problem);
  if (!process)
    return "its helper program " + problem + "; it is installed with libnereid";
  helper = std::make_unique<worker::Worker>(std::move(process));
  worker::Limits limits;
  limits.time = options.command.startLimit;
  limits.isCancelled = [this] { return isEnding.load(); };
  if (Exchange hello = helper->greet(limits); hello.end != End::Answered) {
    helper.reset();
    return "its helper process failed: " + hello.problem;
  }
  Message opened;
  problem = exchange(options.open, opened, nullptr);
  if (!problem.empty())
    helper.reset();
  return problem;
}

void RemoteLane::finish(std::unique_lock<std::mutex> &lock, RemoteJob &job,
                        const std::string &problem) {
  if (!problem.empty()) {
    pausedUntil = Clock::now() + options.pause;
    // The lock is not held while foreign functions run.
    lock.unlock();
    options.failed(problem);
    lock.lock();
  }
  if (job.done) {
    lock.unlock();
    job.done(job.answer ? &*job.answer : nullptr);
    lock.lock();
  }
  job.phase = Phase::Done;
  changed.notify_all();
}

void RemoteLane::runJob(std::unique_lock<std::mutex> &lock, RemoteJob &job) {
  if (helper && helper->hasEnded())
    helper.reset(); // it died while nobody looked
  bool wasStarted = helper != nullptr;
  job.phase = wasStarted ? Phase::Asked : Phase::Starting;
  lock.unlock();
  std::string problem;
  if (!helper)
    problem = start();
  lock.lock();
  if (problem.empty() && !wasStarted) {
    job.phase = Phase::Asked;
    // Whoever could not wait for the start said nothing about the server.
    if (job.isAbandoned)
      pausedUntil = {};
  }
  // Nobody wants it any more; for others the helper is there now.
  if (problem.empty() && job.isAbandoned)
    return finish(lock, job, {});
  if (problem.empty()) {
    lock.unlock();
    Message answer;
    problem = exchange(job.make(), answer, &job);
    // It may have been killed since it was last asked, which shows only now.
    if (!problem.empty() && hasDied && wasStarted) {
      problem = start();
      if (problem.empty())
        problem = exchange(job.make(), answer, &job);
    }
    lock.lock();
    if (problem.empty() && !job.isAbandoned)
      job.answer = std::move(answer);
    else if (problem.empty())
      problem = "it does not answer in time";
  }
  finish(lock, job, problem);
}

void RemoteLane::run() {
  std::unique_lock lock(mutex);
  while (!isEnding) {
    if (jobs.empty()) {
      auto isWanted = [&] { return isEnding || !jobs.empty(); };
      if (!helper) {
        changed.wait(lock, isWanted);
      } else if (!changed.wait_for(lock, idleLimit, isWanted)) {
        lock.unlock();
        helper.reset();
        lock.lock();
      }
      continue;
    }
    std::shared_ptr<RemoteJob> job = std::move(jobs.front());
    jobs.pop_front();
    queuedBytes -= job->size;
    isBusy = true;
    if (job->isAbandoned || isPausing())
      finish(lock, *job, {});
    else
      runJob(lock, *job);
    isBusy = false;
    changed.notify_all();
  }
  // Nobody waits for a lane that ends, but what is queued has its outcome.
  for (auto &job : jobs)
    finish(lock, *job, {});
  jobs.clear();
  lock.unlock();
  helper.reset();
}

} // namespace nereid::host
