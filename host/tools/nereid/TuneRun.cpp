// TuneRun.cpp - plans calls, runs nereid_tune_run(), and shows what happens.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "TuneRun.h"

#include "Files.h"
#include "Interrupt.h"
#include "ProgressMode.h"
#include "Text.h"

#include "nereid/ops.h"
#include "tune/RaySweep.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

namespace nereid::tool {

std::vector<std::string> TuneRunOptions::given() const {
  std::vector<std::string> names;
  for (auto [name, text] : {std::pair("--target", &target),
                            {"--packs", &packDirs},
                            {"--shapes", &shapesFile},
                            {"--tasks", &tasksFile},
                            {"--budget", &budget},
                            {"--limit", &limit},
                            {"--jobs", &jobs},
                            {"--search", &search},
                            {"--python", &python},
                            {"--progress", &progress},
                            {"--ray", &ray}})
    if (!text->empty())
      names.emplace_back(name);
  for (auto [name, list] : {std::pair("--shape", &shapes),
                            {"--dtype", &dtypes},
                            {"--stride", &strides},
                            {"--attribute", &attributes}})
    if (!list->empty())
      names.emplace_back(name);
  for (auto [name, flag] : {std::pair("--recorded", isRecorded),
                            {"--plan", isPlan},
                            {"--resume", resumes}})
    if (flag)
      names.emplace_back(name);
  return names;
}

// ---------------------------------------------------------------- which calls

static Expected<std::string> linesOf(const std::string &file) {
  Expected<std::string> text =
      file == "-" ? readInput("standard input") : readFile(file);
  if (!text)
    return text;
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_tune_tasks(detail::borrow(*text), detail::borrow(file), &buffer);
  return detail::take(status, buffer);
}

static std::string picked(const std::string &lines,
                          const std::vector<std::string> &operators) {
  if (operators.empty())
    return lines;
  std::istringstream all(lines);
  std::string kept;
  for (std::string line; std::getline(all, line);) {
    std::string name = Json::parse(line, nullptr, false).value("operator", "");
    if (std::find(operators.begin(), operators.end(), name) != operators.end())
      kept += line + '\n';
  }
  return kept;
}

static Expected<std::string> callLines(const TuneRunOptions &options,
                                       const std::vector<std::string> &names) {
  auto request = detail::sized<nereid_ops_options_t>();
  request.pack_dirs = detail::borrow(options.packDirs);
  nereid_ops_t *handle = nullptr;
  nereid_status_t status = nereid_ops_create(&request, &handle);
  if (status != NEREID_OK)
    return detail::lastError(status);
  detail::Owner<nereid_ops_t, nereid_ops_destroy> ops(handle);
  std::string lines;
  for (const std::string &name : names) {
    nereid_buffer_t *buffer = nullptr;
    status = nereid_ops_show(ops.get(), detail::borrow(name), &buffer);
    Expected<Json> op = takeJson(status, buffer);
    if (!op)
      return op.error();
    Expected<Json> call = makeCall((*op)["schema"], options);
    if (!call)
      return call.error();
    Json line = {{"operator", name}};
    line.update(*call);
    lines += line.dump() + '\n';
  }
  return lines;
}

Expected<std::string> planTuning(Session &, const TuneRunOptions &options,
                                 const std::vector<std::string> &operators,
                                 nereid_tune_store_t *store) {
  size_t sources = !options.shapesFile.empty() + !options.tasksFile.empty() +
                   options.isRecorded + !options.OperatorCallOptions::isEmpty();
  if (sources != 1)
    return invalid("'tune run' takes one of --shapes FILE, --tasks FILE, "
                   "--recorded, and OPERATOR with --shape");
  if (!options.isEmpty()) {
    if (operators.empty())
      return invalid("--shape needs an OPERATOR");
    return callLines(options, operators);
  }
  Expected<std::string> lines = std::string();
  if (options.isRecorded) {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_tune_wanted(store, &buffer);
    lines = detail::take(status, buffer);
  } else {
    lines = linesOf(options.shapesFile.empty() ? options.tasksFile
                                               : options.shapesFile);
  }
  if (!lines)
    return lines;
  return picked(*lines, operators);
}

// ---------------------------------------------------------------- how far it
// is

namespace {
/// On stderr: a bar on a terminal, lines elsewhere.
class TuneProgress {
public:
  TuneProgress(ProgressMode mode, double budget) : mode(mode), budget(budget) {}
  ~TuneProgress() { clear(); }
  void show(const Json &event, const std::string &text);

private:
  void clear() {
    if (isDrawn)
      eraseBar();
    isDrawn = false;
  }
  void draw(const Json &event);

  const ProgressMode mode;
  const double budget;
  bool isDrawn = false;
};
} // namespace

// "[####------] call 2/10, 14/40 candidates, 0:07 left  softmax"
void TuneProgress::draw(const Json &event) {
  auto number = [&](const char *name) { return event.value(name, 0.0); };
  double part =
      (number("task") + number("done") / std::max(number("total"), 1.0)) /
      std::max(number("tasks"), 1.0);
  double seconds = number("seconds");
  double left = part > 0 ? seconds / part - seconds : budget;
  if (budget > 0)
    left = std::min(left, std::max(0.0, budget - seconds));
  auto count = [&](double value) { return std::to_string(std::lround(value)); };
  drawBar(part,
          "call " + count(number("task") + 1) + '/' + count(number("tasks")) +
              ", " + count(number("done")) + '/' + count(number("total")) +
              " candidates",
          left, event.value("operator", ""));
  isDrawn = true;
}

// `text` is a line that stays; it may be empty.
void TuneProgress::show(const Json &event, const std::string &text) {
  if (mode == ProgressMode::None)
    return;
  if (mode == ProgressMode::JsonLines)
    return writeJsonLine(event);
  // On a terminal only what went wrong stays.
  bool isPlainOnly = event.value("status", "") == "ok";
  if (!text.empty() && (mode == ProgressMode::Plain || !isPlainOnly)) {
    clear();
    std::fprintf(stderr, "%s\n", printable(text).c_str());
  }
  if (mode == ProgressMode::Bar && event.contains("done"))
    draw(event);
}

static std::string settings(const Json &object) {
  std::string text;
  for (const auto &[name, value] : object.items())
    text += ' ' + name + '=' +
            (value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

static std::string firstLine(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

static std::string choiceText(const Json &row) {
  return row.value("variant", "") +
         settings(row.value("configuration", Json::object())) +
         (row.value("default", false) ? " (default)" : "");
}

static std::string eventText(const Json &event) {
  std::string kind = event.value("event", "");
  std::string start = event.value("operator", "") +
                      settings(event.value("key", Json::object())) + ": ";
  if (kind == "candidate") {
    std::string status = event.value("status", "");
    std::string note = event.value("note", "");
    return start + choiceText(event) + ": " +
           (status == "ok" ? durationText(event.value("median_ns", 0.0))
                           : status) +
           (note.empty() || status == "ok" ? "" : ", " + firstLine(note));
  }
  if (kind == "unsupported")
    return event.value("operator", "") + ": " + choiceText(event) +
           ": not here, " + firstLine(event.value("reason", ""));
  return {};
}

namespace {
struct Running {
  TuneProgress *progress;
  const InterruptFlag *interrupt;
};
} // namespace

static nereid_status_t onEvent(void *user, nereid_string_t text) {
  Json event = Json::parse(detail::view(text), nullptr, false);
  static_cast<Running *>(user)->progress->show(event, eventText(event));
  return NEREID_OK;
}

static uint32_t isCancelled(void *user) {
  return static_cast<Running *>(user)->interrupt->isSet();
}

// ---------------------------------------------------------------- tuning

// "60", "60s", "5m", "2h"
static Expected<double> parseTime(const std::string &option,
                                  const std::string &text) {
  if (text.empty())
    return 0.0;
  double number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, text.data() + text.size());
  double scale = unit.empty() || unit == "s" ? 1
                 : unit == "m"               ? 60
                 : unit == "h"               ? 3600
                                             : 0;
  if (error != std::errc() || scale == 0 || !(number > 0) ||
      !std::isfinite(number))
    return invalid(option + " '" + text +
                   "': expected a time above 0, as in 60s, 5m or 2h");
  return number * scale;
}

static Expected<uint32_t> parseJobs(const std::string &text) {
  uint32_t jobs = 0;
  if (text.empty())
    return jobs;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), jobs);
  if (error != std::errc() || end != text.data() + text.size() || !jobs ||
      jobs > 1024)
    return invalid("--jobs '" + text + "': expected a number from 1 to 1024");
  return jobs;
}

// What the workers are told: this process' options, with absolute paths.
static Json setupOf(const Session &session, const TuneRunOptions &options) {
  auto absolute = [](const std::string &path) {
    std::error_code problem;
    return std::filesystem::absolute(path, problem).string();
  };
  std::string dirs;
  for (const std::string &dir : session.options.pluginDirs)
    dirs += (dirs.empty() ? "" : ";") + absolute(dir);
  Json plugins = Json::array();
  for (const std::string &path : session.options.plugins)
    plugins.push_back(absolute(path));
  return {{"target", options.target},
          {"packs", options.packDirs},
          {"plugin_dirs", dirs},
          {"plugins", plugins},
          {"compiler", session.options.compiler},
          {"python", options.python},
          {"no_cache", session.options.noCache}};
}

static void showSummary(Session &session, const Json &summary) {
  Table table({"operator", "key", "default", "best", "ratio", "chosen", ""});
  for (size_t column : {2, 3, 4})
    table.alignRight(column);
  for (const Json &task : summary["tasks"]) {
    std::string key = settings(task.value("key", Json::object()));
    std::string what = task.value("status", "");
    if (task.contains("reason"))
      what += ", " + firstLine(task.value("reason", ""));
    else if (uint64_t left = task.value("left", uint64_t(0)))
      what += ", " + std::to_string(left) + " not measured";
    if (!task.contains("winner")) {
      table.add({task.value("operator", ""), key.substr(!key.empty()), "-", "-",
                 "-", "-", what});
      continue;
    }
    double standard = task["standard"].value("median_ns", 0.0),
           winner = task["winner"].value("median_ns", 0.0);
    table.add({task.value("operator", ""), key.substr(!key.empty()),
               durationText(standard), durationText(winner),
               threeDigits(winner / standard), choiceText(task["winner"]),
               what});
  }
  session.output.text((summary["tasks"].empty() ? "" : table.text() + '\n') +
                      summary["measured"].dump() + " measured, " +
                      summary["failed"].dump() + " failed, " +
                      summary["skipped"].dump() + " known\n");
}

Expected<int> runTuning(Session &session, const TuneRunOptions &options,
                        const std::string &tasks, nereid_tune_store_t *store) {
  Expected<double> budget = parseTime("--budget", options.budget);
  if (!budget)
    return budget.error();
  Expected<double> limit = parseTime("--limit", options.limit);
  if (!limit)
    return limit.error();
  Expected<uint32_t> jobs = parseJobs(options.jobs);
  if (!jobs)
    return jobs.error();
  Expected<ProgressMode> mode = parseProgressMode(options.progress);
  if (!mode)
    return mode.error();
  if (!options.search.empty() && options.search != "usual" &&
      options.search != "expanded")
    return invalid("--search '" + options.search +
                   "': expected usual or expanded");
  std::string setup = setupOf(session, options).dump();
  auto request = detail::sized<nereid_tune_run_t>();
  request.flags =
      (options.search == "expanded" ? NEREID_TUNE_RUN_EXPANDED : 0u) |
      (options.resumes ? NEREID_TUNE_RUN_RESUME : 0u);
  request.tasks = detail::borrow(tasks);
  request.name = detail::borrow("the calls");
  request.setup = detail::borrow(setup);
  request.budget = *budget;
  request.limit = *limit;
  request.jobs = *jobs;
  request.event = onEvent;
  request.is_cancelled = isCancelled;
  InterruptFlag interrupt;
  Expected<Json> summary = Json();
  {
    TuneProgress progress(*mode, *budget);
    Running running{&progress, &interrupt};
    request.user = &running;
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_tune_run(store, &request, &buffer);
    summary = takeJson(status, buffer);
  }
  if (!summary)
    return summary.error();
  session.output.document(*summary);
  showSummary(session, *summary);
  if (summary->value("interrupted", false))
    return exitInterrupted;
  for (const Json &task : (*summary)["tasks"])
    if (task.value("status", "") == "failed")
      return exitFailed;
  return exitOk;
}

Expected<int> runTuningWithRay(const Session &session,
                               const TuneRunOptions &options,
                               const std::string &tasks,
                               const std::string &store) {
  if (session.output.isJson())
    return invalid("--json does not belong to --ray");
  Expected<double> budget = parseTime("--budget", options.budget);
  if (!budget)
    return budget.error();
  RaySweep sweep{
      options.ray, store, {"--progress", "none"}, *budget, options.resumes};
  auto add = [&](const char *name, const std::string &value) {
    if (!value.empty())
      sweep.words.insert(sweep.words.end(), {name, value});
  };
  for (const std::string &dir : session.options.pluginDirs)
    add("--plugin-dir", dir);
  for (const std::string &path : session.options.plugins)
    add("--plugin", path);
  add("--target", options.target);
  add("--packs", options.packDirs);
  add("--limit", options.limit);
  add("--jobs", options.jobs);
  add("--search", options.search);
  add("--python", options.python);
  return sweepWithRay(sweep, tasks);
}

} // namespace nereid::tool
