// Sweep.cpp - the order of work: for each call the default, then the others in
// batches that are built in parallel and timed one by one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tune/Sweep.h"

#include "support/File.h"
#include "support/Json.h"
#include "tune/Statistics.h"
#include "worker/Pool.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>
#include <map>
#include <set>
#include <thread>

namespace nereid::ops {

using host::Json;
using worker::Clock;
using worker::End;
using Milliseconds = std::chrono::milliseconds;

namespace {

/// One candidate of a call, and what became of it.
struct Trial {
  Json choice;
  TunedResult row; // all but the measurement
  bool isDone = false;

  Measurement measurement() const {
    return {row.median, row.spread, static_cast<uint64_t>(row.samples)};
  }
};

class Sweep {
public:
  Sweep(Store &store, const std::vector<SweepTask> &tasks,
        const SweepOptions &options);
  Result<std::unique_ptr<Json>> run();

private:
  struct Reply {
    End end = End::Answered;
    Json answer;
    std::string problem; // unless it answered
    std::string step;    // the last that it reported
  };

  Reply ask(worker::Pool &pool, Json request, double seconds);
  Outcome tune(const SweepTask &task, Json &summary);
  Outcome tuneAll(const SweepTask &task, std::vector<Trial> &trials,
                  Json &summary);
  Result<std::vector<Trial>> list(const SweepTask &task, const Json &found);
  void arrangeTrials(std::vector<Trial> &trials) const;
  Outcome build(const SweepTask &task, std::span<Trial> batch);
  Outcome time(const SweepTask &task, Trial &trial, const Trial &standard);
  Outcome finish(Trial &trial);
  Outcome confirm(const SweepTask &task, Trial &standard, Trial &winner);
  void tell(Json event);

  double now() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  /// Seconds until what is being done must be over.
  double left() const {
    return end > 0 ? std::max(0.0, end - now()) : 24.0 * 3600;
  }
  bool isOver() {
    isStopped |= options.isCancelled && options.isCancelled();
    return isStopped || left() <= 0;
  }

  Store &store;
  const std::vector<SweepTask> &tasks;
  const SweepOptions &options;
  Json setup;
  unsigned jobs;
  worker::Pool timer, builders;
  const Clock::time_point start = Clock::now();
  double end = 0; // of the current task, in seconds since the start
  bool isStopped = false;
  bool isReady = false;       // the process that times has opened the setup
  size_t index = 0;           // of the current task
  size_t done = 0, total = 0; // candidates of it
  double best = 0;            // nanoseconds
  std::string problem;        // why the call cannot be tuned
  uint64_t measured = 0, failed = 0, skipped = 0;
  std::string protocol;
};

} // namespace

static worker::Command commandOf(const SweepOptions &options) {
  worker::Command command;
  command.words = {options.worker.empty()
                       ? host::ownDirectory() + "/nereid/nereid-tune-worker"
                       : options.worker};
  // The default is what is used without results.
  command.environment = {"NEREID_TUNING=off"};
  return command;
}

static unsigned jobsOf(const SweepOptions &options) {
  return options.jobs ? options.jobs
                      : std::max(1u, std::thread::hardware_concurrency());
}

static worker::PoolLimits poolOf(unsigned most) {
  worker::PoolLimits limits;
  limits.most = most;
  limits.idle = std::chrono::hours(24);
  return limits;
}

Sweep::Sweep(Store &store, const std::vector<SweepTask> &tasks,
             const SweepOptions &options)
    : store(store), tasks(tasks), options(options),
      setup(Json::parse(options.setup.empty() ? "{}" : options.setup, nullptr,
                        false)),
      jobs(jobsOf(options)), timer(commandOf(options), poolOf(1)),
      builders(commandOf(options), poolOf(jobs)) {}

void Sweep::tell(Json event) {
  if (!options.event)
    return;
  event["task"] = index;
  event["tasks"] = tasks.size();
  event["done"] = done;
  event["total"] = total;
  event["seconds"] = now();
  if (!options.event(event))
    isStopped = true;
}

Sweep::Reply Sweep::ask(worker::Pool &pool, Json request, double seconds) {
  request["setup"] = setup;
  worker::Message message;
  message.header = std::move(request);
  Reply reply;
  std::string reason; // why it is about to end
  worker::Limits limits;
  limits.time =
      Milliseconds(static_cast<int64_t>(std::ceil(seconds * 1e3)) + 1);
  limits.isCancelled = options.isCancelled;
  limits.event = [&](const worker::Message &event) {
    reason = event.header.value("failed", reason);
    reply.step = event.header.value("step", reply.step);
  };
  worker::Exchange exchange = pool.ask(std::move(message), limits);
  reply.end = exchange.end;
  reply.answer = std::move(exchange.answer.header);
  reply.problem = std::move(exchange.problem);
  if (exchange.end == End::Ended && !reason.empty()) {
    reply.problem = reason;
    reply.answer = {{"failed", true}};
  } else if (exchange.end != End::Answered && !exchange.output.empty()) {
    reply.problem += "\n" + exchange.output;
  }
  isStopped |= exchange.end == End::Cancelled;
  if (&pool == &timer)
    isReady = exchange.end == End::Answered;
  return reply;
}

// A row's note is shown in one line of a table.
static std::string shortened(std::string text) {
  constexpr size_t most = 1000;
  for (std::string_view mark : {"error: "})
    if (text.starts_with(mark))
      text.erase(0, mark.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  if (text.size() > most)
    text = text.substr(0, most) + " ...";
  return text;
}

Outcome Sweep::finish(Trial &trial) {
  trial.isDone = true;
  trial.row.time = static_cast<int64_t>(::time(nullptr));
  // The call, so that what was tuned can be built ahead and tuned again.
  trial.row.note =
      trial.row.isOk() ? tasks[index].call : shortened(trial.row.note);
  if (trial.row.isOk() && (best == 0 || trial.row.median < best))
    best = trial.row.median;
  ++(trial.row.isOk() || trial.row.status == status::slow ? measured : failed);
  ++done;
  // Before it is reported: what a user has seen is there.
  if (Outcome recorded = store.record({&trial.row, 1}); !recorded)
    return recorded;
  tell({{"event", "candidate"},
        {"operator", trial.row.operatorName},
        {"key", Json::parse(trial.row.key)},
        {"variant", trial.row.variant},
        {"configuration", Json::parse(trial.row.configuration)},
        {"default", trial.row.isDefault},
        {"status", trial.row.status},
        {"median_ns", trial.row.median},
        {"spread_ns", trial.row.spread},
        {"samples", trial.row.samples},
        {"note", trial.row.note}});
  return {};
}

// ---------------------------------------------------------------- candidates

static CompilerIdentity compilerOf(const Json &origin) {
  return {origin.value("compiler_plugin", ""),
          origin.value("compiler_release", ""),
          origin.value("compiler_build", ""),
          origin.value("compiler_dependencies", "")};
}

static DeviceIdentity deviceOf(const Json &origin) {
  return {origin.value("device_name", ""),
          origin.value("device_architecture", ""),
          origin.value("device_units", int64_t(0)),
          origin.value("device_driver", "")};
}

Result<std::vector<Trial>> Sweep::list(const SweepTask &task,
                                       const Json &found) {
  std::vector<Trial> trials;
  const Json &origin = found["origin"];
  protocol = found.value("protocol", "");
  for (const Json &candidate : found["candidates"]) {
    Trial trial;
    trial.choice = candidate["choice"];
    trial.row.operatorName = task.op;
    trial.row.key = found["key"].dump();
    trial.row.bucket = found["bucket"].dump();
    trial.row.variant = candidate.value("variant", "");
    trial.row.configuration = candidate["configuration"].dump();
    trial.row.isDefault = candidate.value("default", false);
    trial.row.protocol = protocol;
    trial.row.compiler = compilerOf(origin);
    trial.row.device = deviceOf(origin);
    trial.row.source = candidate.value("source", "");
    trial.row.status = status::failed;
    if (Outcome normal = normalize(trial.row); !normal)
      return normal.failure();
    if (const Json &reason = candidate["unsupported"]; reason.is_string()) {
      tell({{"event", "unsupported"},
            {"operator", task.op},
            {"variant", trial.row.variant},
            {"configuration", candidate["configuration"]},
            {"reason", reason}});
      continue;
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

// The default first, then what was good elsewhere: a foreign result is a
// candidate too. What is known already is done.
void Sweep::arrangeTrials(std::vector<Trial> &trials) const {
  Result<std::vector<TunedResult>> rows =
      store.read(trials.empty() ? "" : trials[0].row.operatorName);
  if (!rows)
    return;
  std::map<std::string, double> fastest; // of a key, a device and a compiler
  auto group = [](const TunedResult &row) {
    return row.key + row.protocol + row.device.name + row.compiler.plugin +
           row.compiler.build + row.device.driver;
  };
  auto name = [](const TunedResult &row) {
    return row.variant + '\n' + row.configuration;
  };
  for (const TunedResult &row : *rows)
    if (row.isOk() && row.median > 0) {
      auto [at, isNew] = fastest.try_emplace(group(row), row.median);
      at->second = std::min(at->second, row.median);
    }
  std::map<std::string, double> part; // of the fastest, by name
  for (const TunedResult &row : *rows)
    if (row.isOk() && row.median > 0) {
      double own = row.median / fastest[group(row)];
      auto [at, isNew] = part.try_emplace(name(row), own);
      at->second = std::min(at->second, own);
    }
  auto rank = [&](const Trial &trial) {
    if (trial.row.isDefault)
      return 0.0;
    auto at = part.find(name(trial.row));
    return at == part.end() ? std::numeric_limits<double>::infinity()
                            : at->second;
  };
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < trials.size(); ++i)
    order.emplace_back(rank(trials[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Trial> sorted;
  for (auto [value, i] : order)
    sorted.push_back(std::move(trials[i]));
  trials = std::move(sorted);
  if (!options.resumes)
    return;
  for (Trial &trial : trials)
    for (const TunedResult &row : *rows)
      if (row.identity() == trial.row.identity() &&
          row.source == trial.row.source && row.status != "wanted") {
        trial.row = row;
        trial.isDone = true;
      }
}

// ---------------------------------------------------------------- building

Outcome Sweep::build(const SweepTask &task, std::span<Trial> batch) {
  if (setup.value("no_cache", false))
    return {}; // what they build would be lost
  Json call = Json::parse(task.call, nullptr, false);
  std::vector<Reply> replies(batch.size());
  std::atomic<size_t> next = 0;
  double seconds = left();
  auto work = [&] {
    for (size_t i; (i = next++) < batch.size();)
      if (!batch[i].isDone)
        replies[i] = ask(builders,
                         {{"do", "build"},
                          {"operator", task.op},
                          {"call", call},
                          {"choice", batch[i].choice}},
                         std::min(seconds, 600.0));
  };
  {
    // Signals are for the thread that called.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < std::min<size_t>(jobs, batch.size()); ++i)
      threads.emplace_back(work);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  if (isOver())
    return {};
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].isDone || (replies[i].end == End::Answered &&
                            !replies[i].answer.contains("error")))
      continue;
    batch[i].row.status =
        replies[i].end == End::Ended ? status::crashed : status::failed;
    batch[i].row.note = replies[i].end == End::Answered
                            ? replies[i].answer.value("error", "")
                            : "while it was built, " + replies[i].problem;
    if (Outcome finished = finish(batch[i]); !finished)
      return finished;
  }
  return {};
}

// ---------------------------------------------------------------- timing

Outcome Sweep::time(const SweepTask &task, Trial &trial,
                    const Trial &standard) {
  // A new process has work before the candidate's, which does not count.
  if (!isReady)
    (void)ask(timer, {{"do", "open"}}, left());
  if (isOver())
    return {};
  double own = std::max(options.limit, 100 * best * 1e-9);
  double allowed = std::min(own, left());
  bool isOwn = allowed >= own;
  Reply reply = ask(timer,
                    {{"do", "time"},
                     {"operator", task.op},
                     {"call", Json::parse(task.call, nullptr, false)},
                     {"choice", trial.choice},
                     {"default", standard.choice},
                     {"best", trial.row.isDefault ? 0.0 : best},
                     {"seconds", std::min(0.3, left() / 4)}},
                    allowed);
  bool isOfDefault = reply.step == "default" && !trial.row.isDefault;
  switch (reply.end) {
  case End::Answered:
    if (reply.answer.contains("error")) {
      problem = shortened(reply.answer.value("error", ""));
      return {};
    }
    trial.row.status = reply.answer.value("status", "failed");
    trial.row.note = reply.answer.value("note", "");
    trial.row.median = reply.answer.value("median_ns", 0.0);
    trial.row.spread = reply.answer.value("spread_ns", 0.0);
    trial.row.samples = reply.answer.value("samples", int64_t(0));
    break;
  case End::Late:
    if (!isOwn || isOfDefault)
      return {}; // there was no more time; that says nothing about it
    trial.row.status = status::slow;
    trial.row.note =
        "it did not end within " + std::to_string(std::lround(own)) + " s";
    break;
  case End::Cancelled:
    return {};
  case End::NotStarted:
    return Failure{NEREID_UNAVAILABLE, reply.problem};
  case End::Ended:
  case End::Garbled:
    if (isOver() || isOfDefault)
      return {};
    trial.row.status =
        reply.answer.contains("failed") ? status::failed : status::crashed;
    trial.row.note = reply.problem;
    break;
  }
  return finish(trial);
}

// Once more, one after the other: what took a minute to measure may have been
// measured while the machine did something else.
Outcome Sweep::confirm(const SweepTask &task, Trial &standard, Trial &winner) {
  for (Trial *trial : {&standard, &winner}) {
    if (isOver())
      return {};
    best = 0;
    size_t doneBefore = done;
    uint64_t measuredBefore = measured;
    if (Outcome timed = time(task, *trial, standard); !timed)
      return timed;
    done = doneBefore;
    measured = measuredBefore;
  }
  return {};
}

static Json describe(const TunedResult &row) {
  return {{"variant", row.variant},
          {"configuration", Json::parse(row.configuration)},
          {"default", row.isDefault},
          {"status", row.status},
          {"median_ns", row.median},
          {"spread_ns", row.spread}};
}

Outcome Sweep::tuneAll(const SweepTask &task, std::vector<Trial> &trials,
                       Json &summary) {
  Trial &standard = trials[0];
  for (const Trial &trial : trials) {
    done += trial.isDone;
    skipped += trial.isDone;
    if (trial.isDone && trial.row.isOk() &&
        (best == 0 || trial.row.median < best))
      best = trial.row.median;
  }
  bool wasComplete = done == total;
  // The first batch is the default alone with what is built beside it.
  size_t size = std::max<size_t>(2 * size_t(jobs), 4);
  for (size_t at = 0; at < trials.size() && !isOver(); at += size) {
    std::span<Trial> batch(trials.data() + at,
                           std::min(size, trials.size() - at));
    if (Outcome built = build(task, batch); !built)
      return built;
    for (Trial &trial : batch) {
      if (!trial.isDone && !isOver())
        if (Outcome timed = time(task, trial, standard); !timed)
          return timed;
      if (!problem.empty()) {
        summary["status"] = "failed";
        summary["reason"] = problem;
        return {};
      }
      if (standard.isDone && !standard.row.isOk()) {
        summary["status"] = "failed";
        summary["reason"] =
            "the default is " + standard.row.status +
            ", so there is nothing to compare with: " + standard.row.note;
        return {};
      }
    }
  }
  auto winnerOf = [&] {
    Trial *winner = &standard;
    for (Trial &trial : trials)
      if (trial.isDone && trial.row.isOk() &&
          trial.row.median < winner->row.median)
        winner = &trial;
    return winner;
  };
  if (!standard.isDone)
    return {};
  if (Trial *winner = winnerOf(); winner != &standard && !wasComplete)
    if (Outcome confirmed = confirm(task, standard, *winner); !confirmed)
      return confirmed;
  Trial *winner = winnerOf();
  if (!isFaster(winner->measurement(), standard.measurement()))
    winner = &standard;
  summary["standard"] = describe(standard.row);
  summary["winner"] = describe(winner->row);
  return {};
}

Outcome Sweep::tune(const SweepTask &task, Json &summary) {
  done = total = 0;
  best = 0;
  problem.clear();
  Json call = Json::parse(task.call, nullptr, false);
  summary = {{"operator", task.op}, {"call", call}, {"status", "left"}};
  if (isOver())
    return {};
  Reply reply = ask(timer,
                    {{"do", "candidates"},
                     {"operator", task.op},
                     {"call", call},
                     {"expanded", options.isExpanded}},
                    std::min(left(), 600.0));
  if (reply.end == End::NotStarted)
    return Failure{NEREID_UNAVAILABLE, reply.problem};
  if (reply.end != End::Answered || reply.answer.contains("error")) {
    if (isOver())
      return {};
    summary["status"] = "failed";
    summary["reason"] =
        shortened(reply.end == End::Answered ? reply.answer.value("error", "")
                                             : reply.problem);
    return {};
  }
  if (reply.answer["candidates"].empty()) {
    summary["status"] = "empty";
    summary["reason"] = "the call launches nothing";
    return {};
  }
  summary["key"] = reply.answer["key"];
  summary["protocol"] = reply.answer["protocol"];
  Result<std::vector<Trial>> trials = list(task, reply.answer);
  if (!trials)
    return trials.failure();
  if (std::ranges::none_of(
          *trials, [](const Trial &trial) { return trial.row.isDefault; })) {
    summary["status"] = "failed";
    summary["reason"] = "what is used without tuning cannot be chosen by name";
    return {};
  }
  arrangeTrials(*trials);
  total = trials->size();
  uint64_t before[] = {measured, failed, skipped};
  tell({{"event", "task"}, {"operator", task.op}, {"key", summary["key"]}});
  Outcome tuned = tuneAll(task, *trials, summary);
  summary["measured"] = measured - before[0];
  summary["failed"] = failed - before[1];
  summary["skipped"] = skipped - before[2];
  summary["left"] = std::ranges::count_if(
      *trials, [](const Trial &trial) { return !trial.isDone; });
  if (summary["status"] == "left")
    summary["status"] = summary["left"] == 0         ? "done"
                        : summary.contains("winner") ? "partly"
                                                     : "left";
  return tuned;
}

Result<std::unique_ptr<Json>> Sweep::run() {
  if (!setup.is_object())
    return Failure{NEREID_INVALID_ARGUMENT, "the setup is not a JSON object"};
  end = options.budget;
  Json list = Json::array();
  Reply opened = ask(timer, {{"do", "open"}}, left());
  if (opened.end == End::Answered && opened.answer.contains("error"))
    return Failure{
        opened.answer.value("code", nereid_status_t(NEREID_INTERNAL)),
        shortened(opened.answer.value("error", ""))};
  if (opened.end != End::Answered && !isOver())
    return Failure{NEREID_UNAVAILABLE, "nereid-tune-worker: " + opened.problem};
  for (; index < tasks.size(); ++index) {
    // Each gets an equal part of what is left.
    if (options.budget > 0)
      end = now() + std::max(0.0, options.budget - now()) /
                        static_cast<double>(tasks.size() - index);
    Json summary;
    if (Outcome tuned = tune(tasks[index], summary); !tuned)
      return tuned.failure();
    list.push_back(summary);
    tell({{"event", "tuned"}, {"summary", summary}});
  }
  return std::make_unique<Json>(Json{{"tasks", list},
                                     {"measured", measured},
                                     {"failed", failed},
                                     {"skipped", skipped},
                                     {"seconds", now()},
                                     {"interrupted", isStopped}});
}

Result<std::unique_ptr<Json>> sweep(Store &store,
                                    const std::vector<SweepTask> &tasks,
                                    const SweepOptions &options) {
  return Sweep(store, tasks, options).run();
}

} // namespace nereid::ops
