// TuneVerb.cpp - `nereid tune`: shows, merges, compares, exchanges and reports
// tuned results.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Files.h"
#include "Text.h"
#include "TuneRun.h"
#include "Verb.h"

#include "nereid/tune.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::tool {

namespace {
struct Options {
  std::string action;
  std::vector<std::string> files;
  std::string store, operatorName, format, output, before;
  TuneRunOptions tuning;
};

/// An open store.
struct Store {
  detail::Owner<nereid_tune_store_t, nereid_tune_close> owner;
  std::string path;
  bool isReadOnly = false;

  nereid_tune_store_t *get() const { return owner.get(); }
};
} // namespace

// Opens a store, and reports what the user should know about it.
static Expected<Store> open(Session &session, const std::string &path,
                            uint32_t flags) {
  auto request = detail::sized<nereid_tune_open_t>();
  request.flags = flags;
  request.path = detail::borrow(path);
  nereid_tune_store_t *handle = nullptr;
  nereid_status_t status = nereid_tune_open(&request, &handle);
  if (status != NEREID_OK)
    return detail::lastError(status);
  Store store{decltype(Store::owner)(handle), {}};
  nereid_buffer_t *buffer = nullptr;
  status = nereid_tune_info(store.get(), &buffer);
  Expected<Json> info = takeJson(status, buffer);
  if (!info)
    return info.error();
  store.path = info->value("path", "");
  store.isReadOnly = info->value("read_only", false);
  for (const Json &notice : (*info)["notices"])
    session.output.message(
        {NEREID_OK, "warning: " + notice.get<std::string>()});
  if (uint64_t damaged = info->value("damaged", uint64_t(0)))
    session.output.message(
        {NEREID_OK, "warning: " + store.path + ": " + std::to_string(damaged) +
                        (damaged == 1 ? " row is" : " rows are") +
                        " damaged or changed by hand, and ignored"});
  return store;
}

static std::string valuesText(const Json &object) {
  std::string text;
  for (const auto &[name, value] : object.items())
    text += (text.empty() ? "" : " ") + name + '=' +
            (value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

static std::string configurationText(const Json &result) {
  std::string variant = result.value("variant", "");
  return variant + (variant.empty() ? "" : " ") +
         valuesText(result.value("configuration", Json::object()));
}

static std::string timeText(const Json &result) {
  double median = result.value("median_ns", 0.0);
  return median > 0 ? durationText(median) : "-";
}

static Expected<int> list(Session &session, const Options &options) {
  Expected<Store> store = open(session, options.store, NEREID_TUNE_READ_ONLY);
  if (!store)
    return store.error();
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_tune_list(
      store->get(), detail::borrow(options.operatorName), &buffer);
  Expected<Json> results = takeJson(status, buffer);
  if (!results)
    return results.error();
  session.output.document({{"path", store->path}, {"results", *results}});
  Table table({"operator", "key", "configuration", "status", "time", "spread",
               "samples", "device", "compiler"});
  for (size_t column : {4, 5, 6})
    table.alignRight(column);
  for (const Json &result : *results)
    table.add({result.value("operator", ""), valuesText(result["key_exact"]),
               configurationText(result) +
                   (result.value("is_default", false) ? " (default)" : ""),
               result.value("status", ""), timeText(result),
               durationText(result.value("spread_ns", 0.0)),
               result["samples"].dump(),
               result.value("device_architecture", ""),
               result.value("compiler_plugin", "") + ' ' +
                   result.value("compiler_release", "")});
  size_t count = results->size();
  session.output.text((count ? table.text() : "") + std::to_string(count) +
                      (count == 1 ? " result in " : " results in ") +
                      printable(store->path) + '\n');
  return exitOk;
}

// Adds what a merge did to `total`.
static void addCounts(Json &total, const Json &merge) {
  for (const char *name :
       {"added", "faster", "kept", "equal", "changed", "notes_left_out"})
    total[name] =
        total.value(name, uint64_t(0)) + merge.value(name, uint64_t(0));
  for (const Json &note : merge.value("notes", Json::array()))
    total["notes"].push_back(note);
}

static void showMerge(Session &session, const Json &total) {
  session.output.document(total);
  for (const Json &note : total["notes"])
    session.output.text("note: " + printable(note.get<std::string>()) + '\n');
  if (uint64_t more = total.value("notes_left_out", uint64_t(0)))
    session.output.text("note: " + std::to_string(more) + " more of these\n");
  auto count = [&](const char *name) { return total[name].dump(); };
  session.output.text(count("added") + " added, " + count("faster") +
                      " replaced by a faster one, " + count("changed") +
                      " by a newer one of another status, " + count("kept") +
                      " kept, " + count("equal") + " equal\n");
}

static Expected<int> merge(Session &session, const Options &options) {
  Json total = {{"notes", Json::array()}};
  // A mistake in the last file must not leave half of the work done.
  std::vector<Store> others;
  for (const std::string &file : options.files) {
    Expected<Store> other = open(session, file, NEREID_TUNE_READ_ONLY);
    if (!other)
      return other.error();
    others.push_back(std::move(*other));
  }
  Expected<Store> store = open(session, options.store, 0);
  if (!store)
    return store.error();
  for (const Store &other : others) {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_tune_merge(store->get(), other.get(), &buffer);
    Expected<Json> done = takeJson(status, buffer);
    if (!done)
      return done.error();
    addCounts(total, *done);
  }
  showMerge(session, total);
  return exitOk;
}

static Expected<int> import(Session &session, const Options &options) {
  Json total = {{"notes", Json::array()}};
  std::vector<std::string> texts;
  for (const std::string &file : options.files) {
    Expected<std::string> text =
        file == "-" ? readInput("standard input") : readFile(file);
    if (!text)
      return text.error();
    texts.push_back(std::move(*text));
  }
  Expected<Store> store = open(session, options.store, 0);
  if (!store)
    return store.error();
  for (size_t i = 0; i < texts.size(); ++i) {
    auto request = detail::sized<nereid_tune_import_t>();
    request.text = {texts[i].data(), texts[i].size()};
    request.format = detail::borrow(options.format);
    request.name = detail::borrow(options.files[i]);
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_tune_import(store->get(), &request, &buffer);
    Expected<Json> done = takeJson(status, buffer);
    if (!done)
      return done.error();
    addCounts(total, *done);
  }
  showMerge(session, total);
  return exitOk;
}

static Expected<int> diff(Session &session, const Options &options) {
  Expected<Store> before =
      open(session, options.files[0], NEREID_TUNE_READ_ONLY);
  if (!before)
    return before.error();
  Expected<Store> after =
      open(session, options.files[1], NEREID_TUNE_READ_ONLY);
  if (!after)
    return after.error();
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_tune_diff(before->get(), after->get(), &buffer);
  Expected<Json> found = takeJson(status, buffer);
  if (!found)
    return found.error();
  session.output.document(*found);
  Table table({"verdict", "operator", "key", "device", "before", "after",
               "ratio", "winner"});
  for (size_t column : {4, 5, 6})
    table.alignRight(column);
  size_t shown = 0;
  for (const Json &winner : (*found)["winners"]) {
    std::string verdict = winner.value("verdict", "");
    if (verdict == "same" && !winner.value("is_other", false))
      continue;
    ++shown;
    auto side = [&](const char *name) {
      return winner[name].is_object() ? timeText(winner[name]) : "none";
    };
    table.add(
        {verdict, winner.value("operator", ""), valuesText(winner["key"]),
         winner.value("device_architecture", ""), side("before"), side("after"),
         winner.contains("ratio") ? threeDigits(winner["ratio"].get<double>())
                                  : "-",
         winner["after"].is_object() ? configurationText(winner["after"])
                                     : "-"});
  }
  std::string counts;
  for (const auto &[verdict, count] : (*found)["counts"].items())
    counts += (counts.empty() ? "" : ", ") + count.dump() + ' ' + verdict;
  session.output.text((shown ? table.text() + '\n' : "") + counts + '\n');
  return exitOk;
}

// Writes `text` to the file of -o, or to stdout without one. `facts` are about
// the file.
static Expected<int> write(Session &session, const Options &options,
                           const std::string &text, Json facts) {
  if (options.output.empty() || options.output == "-") {
    if (session.output.isJson())
      return invalid("with --json, -o FILE is needed: stdout is one document");
    session.output.raw(text);
    return exitOk;
  }
  if (Expected<void> written = writeFile(options.output, {text}); !written)
    return written.error();
  facts["written"] = options.output;
  facts["bytes"] = text.size();
  session.output.document(facts);
  session.output.text("wrote " + options.output + ", " +
                      tools::bytesText(text.size()) + '\n');
  return exitOk;
}

static Expected<int> exportResults(Session &session, const Options &options) {
  Expected<Store> store = open(session, options.store, NEREID_TUNE_READ_ONLY);
  if (!store)
    return store.error();
  auto exported = detail::sized<nereid_tune_exported_t>();
  nereid_buffer_t *buffer = nullptr;
  std::string format = options.format.empty() ? "json" : options.format;
  nereid_status_t status =
      nereid_tune_export(store->get(), detail::borrow(options.operatorName),
                         detail::borrow(format), &exported, &buffer);
  Expected<std::string> text = detail::take(status, buffer);
  if (!text)
    return text.error();
  if (exported.left_out)
    session.output.message(
        {NEREID_OK,
         "warning: " + std::to_string(exported.left_out) +
             (exported.left_out == 1 ? " result is" : " results are") +
             " left out: '" + format +
             "' holds one for each set of parameters, and only what "
             "was imported from it"});
  return write(
      session, options, *text,
      {{"results", exported.written}, {"left_out", exported.left_out}});
}

static Expected<int> report(Session &session, const Options &options) {
  Expected<Store> store = open(session, options.store, NEREID_TUNE_READ_ONLY);
  if (!store)
    return store.error();
  Store before;
  if (!options.before.empty()) {
    Expected<Store> opened =
        open(session, options.before, NEREID_TUNE_READ_ONLY);
    if (!opened)
      return opened.error();
    before = std::move(*opened);
  }
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_tune_report(store->get(), before.get(), &buffer);
  Expected<std::string> html = detail::take(status, buffer);
  if (!html)
    return html.error();
  return write(session, options, *html, Json::object());
}

static Expected<int> run(Session &session, const Options &options) {
  Store store;
  if (!options.tuning.isPlan || options.tuning.isRecorded) {
    Expected<Store> opened =
        open(session, options.store,
             options.tuning.isPlan ? NEREID_TUNE_READ_ONLY : 0);
    if (!opened)
      return opened.error();
    store = std::move(*opened);
  }
  // Else the first result would be lost after minutes of work.
  if (!options.tuning.isPlan && store.isReadOnly)
    return failure(NEREID_IO_ERROR, store.path + ": cannot be written");
  Expected<std::string> tasks =
      planTuning(session, options.tuning, options.files, store.get());
  if (!tasks)
    return tasks.error();
  if (!options.tuning.isPlan && !options.tuning.ray.empty())
    return runTuningWithRay(session, options.tuning, *tasks, options.store);
  if (!options.tuning.isPlan)
    return runTuning(session, options.tuning, *tasks, store.get());
  if (session.output.isJson())
    return invalid("--plan writes a JSON object in each line; --json does not "
                   "belong to it");
  session.output.raw(*tasks);
  return exitOk;
}

namespace {
/// An action, its files, and the options that it has.
struct Action {
  std::string name, files;
  size_t least, most;
  std::vector<std::string> options;
  Expected<int> (*run)(Session &, const Options &);
};
} // namespace

static const std::vector<Action> &actions() {
  static const std::vector<Action> all = {
      {"run",
       "OPERATOR...",
       0,
       SIZE_MAX,
       {"--store", "--target", "--packs", "--shapes", "--tasks", "--budget",
        "--limit", "--jobs", "--search", "--python", "--progress", "--shape",
        "--dtype", "--stride", "--attribute", "--recorded", "--plan",
        "--resume", "--ray"},
       run},
      {"list", "no FILE", 0, 0, {"--store", "--operator"}, list},
      {"merge", "FILE...", 1, SIZE_MAX, {"--store"}, merge},
      {"diff", "BEFORE AFTER", 2, 2, {}, diff},
      {"export",
       "no FILE",
       0,
       0,
       {"--store", "--operator", "--format", "-o"},
       exportResults},
      {"import", "FILE...", 1, SIZE_MAX, {"--store", "--format"}, import},
      {"report", "no FILE", 0, 0, {"--store", "--before", "-o"}, report},
  };
  return all;
}

static Expected<int> manage(Session &session, const Options &options) {
  std::vector<std::string> names;
  for (const Action &action : actions())
    names.push_back(action.name);
  auto action =
      std::find_if(actions().begin(), actions().end(), [&](const Action &each) {
        return each.name == options.action;
      });
  if (action == actions().end())
    return invalid("unknown action '" + options.action + "'" +
                   suggestNames(options.action, names));
  if (options.files.size() < action->least ||
      options.files.size() > action->most)
    return invalid("'tune " + options.action + "' takes " + action->files);
  std::vector<std::string> given = options.tuning.given();
  for (auto [name, value] : {std::pair("--store", &options.store),
                             std::pair("--operator", &options.operatorName),
                             std::pair("--format", &options.format),
                             std::pair("--before", &options.before),
                             std::pair("-o", &options.output)})
    if (!value->empty())
      given.emplace_back(name);
  for (const std::string &name : given)
    if (std::find(action->options.begin(), action->options.end(), name) ==
        action->options.end())
      return invalid(name + " does not belong to 'tune " + options.action +
                     "'");
  return action->run(session, options);
}

Verb tuneVerb() {
  auto options = std::make_shared<Options>();
  TuneRunOptions &tuning = options->tuning;
  return {
      "tune",
      "tune operators; show, merge, compare or exchange the results",
      "tune run|list|merge|diff|export|import|report [FILE...] [options]",
      "run [OPERATOR...]   time what calls may use, and record it; also "
      "--plan,\n"
      "                    --tasks, --stride, -A, --jobs, --limit, --search,\n"
      "                    --packs, --python, --progress, --ray "
      "(docs/tuning.md)\n"
      "list, merge FILE... show results; add those of other stores\n"
      "diff BEFORE AFTER   compare two stores; report: one HTML file\n"
      "export, import FILE...   as json, ort (ONNX Runtime) or pytorch\n",
      {{"ACTION", &options->action, "", "", true},
       {"FILE", &options->files, "", ""},
       {"--target", &tuning.target, "TARGET", "run: the device"},
       {"--shapes", &tuning.shapesFile, "FILE",
        "run: the calls of a file, in YAML or JSON"},
       {"--tasks", &tuning.tasksFile, "FILE"},
       {"--recorded", &tuning.isRecorded, "",
        "run: the calls that programs wrote down"},
       {"--shape", &tuning.shapes, "[NAME=]SIZES",
        "run: of an input, as 4096x1024 or scalar"},
       {"--dtype", &tuning.dtypes, "[NAME=]TYPE",
        "run: of all inputs, or of one; by default f32"},
       {"--stride", &tuning.strides, "NAME=STEPS"},
       {"-A,--attribute", &tuning.attributes, "NAME=VALUE"},
       {"--plan", &tuning.isPlan, ""},
       {"--budget", &tuning.budget, "TIME",
        "run: end after that long, as 60s, 5m or 2h"},
       {"--limit", &tuning.limit, "TIME"},
       {"--jobs", &tuning.jobs, "N"},
       {"--search", &tuning.search, "usual|expanded"},
       {"--resume", &tuning.resumes, "",
        "run: skip what the store has of this device and source"},
       {"--packs", &tuning.packDirs, "DIRS"},
       {"--python", &tuning.python, "PROGRAM"},
       {"--ray", &tuning.ray, "ADDRESS"},
       {"--progress", &tuning.progress, "MODE"},
       {"--store", &options->store, "FILE",
        "file or postgresql://...; by default the user's own"},
       {"--operator", &options->operatorName, "NAME",
        "list, export: only this one's results"},
       {"--format", &options->format, "FORMAT",
        "export: json by default; import: recognized by default"},
       {"--before", &options->before, "FILE",
        "report: a store to compare with"},
       {"-o", &options->output, "FILE",
        "export, report: the file to write; stdout by default"}},
      [options](Session &session) { return manage(session, *options); }};
}

} // namespace nereid::tool
