// tune.cpp - nereid/tune.h.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/tune.h"

#include "abi/Struct.h"
#include "report/Report.h"
#include "store/Exchange.h"
#include "store/Lookup.h"
#include "store/Merge.h"
#include "store/Origin.h"
#include "store/Store.h"
#include "support/Guard.h"
#include "support/Json.h"
#include "tune/Statistics.h"
#include "tune/Sweep.h"

#include <nlohmann/json.hpp>

#include <ctime>
#include <limits>

using namespace nereid::ops;
using nereid::host::readItem;
using nereid::host::readStruct;
using nereid::host::writeStruct;
using Json = nlohmann::ordered_json;

struct nereid_tune_store_t {
  std::unique_ptr<Store> store;
};

static Failure invalid(std::string text) {
  return {NEREID_INVALID_ARGUMENT, std::move(text)};
}

static std::string copied(nereid_string_t text) {
  return std::string(view(text));
}

static Outcome giveJson(const Json &json, nereid_buffer_t **out) {
  return giveText(
      json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n', out);
}

// -------------------------------------------------------------------- opening

nereid_status_t nereid_tune_open(const nereid_tune_open_t *request,
                                 nereid_tune_store_t **out_store) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(request, "request"), require(out_store, "out_store")})
      if (!given)
        return given;
    nereid_tune_open_t read = readStruct(*request);
    constexpr uint32_t known =
        NEREID_TUNE_READ_ONLY | NEREID_TUNE_EXISTING | NEREID_TUNE_OPTIONAL;
    if (read.flags & ~known)
      return invalid("flags has unknown bits");
    StoreOptions options;
    options.path = copied(read.path);
    if (options.path.empty())
      options.path = defaultStorePath();
    options.isReadOnly = read.flags & NEREID_TUNE_READ_ONLY;
    options.mayCreate = !(read.flags & NEREID_TUNE_EXISTING);
    options.isOptional = read.flags & NEREID_TUNE_OPTIONAL;
    if (read.busy_milliseconds)
      options.busyMilliseconds = static_cast<int>(
          std::min<uint32_t>(read.busy_milliseconds, 3'600'000));
    Result<std::unique_ptr<Store>> store = Store::open(std::move(options));
    if (!store)
      return store.failure();
    *out_store = new nereid_tune_store_t{std::move(*store)};
    return {};
  });
}

void nereid_tune_close(nereid_tune_store_t *store) { delete store; }

nereid_status_t nereid_tune_info(nereid_tune_store_t *store,
                                 nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(store, "store"); !given)
      return given;
    Result<std::vector<TunedResult>> rows = store->store->read();
    if (!rows)
      return rows.failure();
    return giveJson({{"path", store->store->path()},
                     {"format", store->store->version()},
                     {"read_only", store->store->isReadOnly()},
                     {"results", rows->size()},
                     {"damaged", store->store->damagedRows()},
                     {"notices", store->store->notices()}},
                    out_json);
  });
}

// -------------------------------------------------------------------- results

static Outcome readOrigin(const nereid_tune_origin_t *given,
                          CompilerIdentity &compiler, DeviceIdentity &device) {
  if (Outcome there = require(given, "origin"); !there)
    return there;
  nereid_tune_origin_t origin = readStruct(*given);
  compiler = {copied(origin.compiler_plugin), copied(origin.compiler_release),
              copied(origin.compiler_build),
              copied(origin.compiler_dependencies)};
  device = {copied(origin.device_name), copied(origin.device_architecture),
            origin.device_units, copied(origin.device_driver)};
  return {};
}

nereid_status_t nereid_tune_origin(nereid_backend_t *backend, uint32_t device,
                                   nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(backend, "backend"); !given)
      return given;
    Result<Origin> origin = originOf(backend, device);
    return origin ? giveText(originJson(*origin), out_json) : origin.failure();
  });
}

// The canonical key and bucket.
static Outcome readKey(nereid_string_t given, nereid_string_t strategies,
                       std::string &key, std::string &bucket) {
  Result<std::string> canonical = canonicalObject(view(given), "key");
  if (!canonical)
    return canonical.failure();
  Result<Strategies> parsed = parseStrategies(view(strategies));
  if (!parsed)
    return parsed.failure();
  Result<std::string> rounded = bucketOf(*canonical, *parsed);
  if (!rounded)
    return rounded.failure();
  key = std::move(*canonical);
  bucket = std::move(*rounded);
  return {};
}

static Outcome readResult(const nereid_tune_result_t &given,
                          TunedResult &result) {
  if (Outcome read =
          readKey(given.key, given.strategies, result.key, result.bucket);
      !read)
    return read;
  if (Outcome read = readOrigin(given.origin, result.compiler, result.device);
      !read)
    return read;
  if (given.is_default > 1)
    return invalid("is_default is " + std::to_string(given.is_default) +
                   ", expected 0 or 1");
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  if (given.samples > most)
    return invalid("samples is too large");
  result.isDefault = given.is_default;
  result.operatorName = copied(given.operator_name);
  result.variant = copied(given.variant);
  result.configuration = copied(given.configuration);
  result.status = copied(given.status);
  result.protocol = copied(given.protocol);
  result.source = copied(given.source);
  result.note = copied(given.note);
  result.median = given.median;
  result.spread = given.spread;
  result.samples = static_cast<int64_t>(given.samples);
  result.time = given.time ? given.time : static_cast<int64_t>(time(nullptr));
  return {};
}

nereid_status_t nereid_tune_record(nereid_tune_store_t *store,
                                   const nereid_tune_result_t *results,
                                   uint64_t count) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(store, "store"); !given)
      return given;
    if (!count)
      return {};
    if (Outcome given = require(results, "results"); !given)
      return given;
    if (results->struct_size < sizeof results->struct_size)
      return invalid("struct_size of the results is " +
                     std::to_string(results->struct_size) +
                     ", expected their sizeof");
    std::vector<TunedResult> rows(count);
    for (uint64_t i = 0; i < count; ++i)
      if (Outcome read = readResult(readItem(results, i), rows[i]); !read)
        return Failure{read.failure().status, "results[" + std::to_string(i) +
                                                  "]: " + read.failure().text};
    return store->store->record(rows);
  });
}

// The results of a store, or of an operator.
static Result<std::vector<TunedResult>>
readAll(nereid_tune_store_t *store, nereid_string_t operatorName = {}) {
  if (Outcome given = require(store, "store"); !given)
    return given.failure();
  return store->store->read(view(operatorName));
}

nereid_status_t nereid_tune_list(nereid_tune_store_t *store,
                                 nereid_string_t operator_name,
                                 nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    Result<std::vector<TunedResult>> rows = readAll(store, operator_name);
    if (!rows)
      return rows.failure();
    Json list = Json::array();
    for (const TunedResult &row : *rows)
      list.push_back(rowJson(row));
    return giveJson(list, out_json);
  });
}

// --------------------------------------------------------------------- lookup

nereid_status_t nereid_tune_lookup(nereid_tune_store_t *store,
                                   const nereid_tune_query_t *query,
                                   nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(store, "store"), require(query, "query")})
      if (!given)
        return given;
    nereid_tune_query_t read = readStruct(*query);
    Query wanted;
    wanted.operatorName = copied(read.operator_name);
    wanted.variant = copied(read.variant);
    wanted.protocol = copied(read.protocol);
    if (!(read.reach >= 0))
      return invalid("reach is negative or not a number");
    if (read.reach > 0)
      wanted.reach = read.reach;
    if (Outcome done =
            readKey(read.key, read.strategies, wanted.key, wanted.bucket);
        !done)
      return done;
    if (Outcome done = readOrigin(read.origin, wanted.compiler, wanted.device);
        !done)
      return done;
    const OperatorRows &rows = store->store->rows(wanted.operatorName);
    return giveJson(choiceJson(wanted, lookUp(rows, wanted, true)), out_json);
  });
}

nereid_status_t nereid_tune_refresh(nereid_tune_store_t *store) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(store, "store"); !given)
      return given;
    store->store->refresh();
    return {};
  });
}

// ------------------------------------------------------------ stores together

static Outcome mergeInto(Store &store, const std::vector<TunedResult> &others,
                         nereid_buffer_t **out_json) {
  if (Outcome given = require(out_json, "out_json"); !given)
    return given;
  Merge merge;
  Outcome done = store.update([&](const std::vector<TunedResult> &own) {
    merge = mergeResults(own, others);
    return merge.changes;
  });
  return done ? giveJson(merge.json(), out_json) : done;
}

nereid_status_t nereid_tune_merge(nereid_tune_store_t *store,
                                  nereid_tune_store_t *other,
                                  nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(store, "store"); !given)
      return given;
    Result<std::vector<TunedResult>> rows = readAll(other);
    if (!rows)
      return rows.failure();
    return mergeInto(*store->store, *rows, out_json);
  });
}

nereid_status_t nereid_tune_diff(nereid_tune_store_t *before,
                                 nereid_tune_store_t *after,
                                 nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    Result<std::vector<TunedResult>> old = readAll(before);
    if (!old)
      return old.failure();
    Result<std::vector<TunedResult>> now = readAll(after);
    if (!now)
      return now.failure();
    return giveJson(diffResults(*old, *now), out_json);
  });
}

nereid_status_t nereid_tune_export(nereid_tune_store_t *store,
                                   nereid_string_t operator_name,
                                   nereid_string_t format,
                                   nereid_tune_exported_t *out_exported,
                                   nereid_buffer_t **out_text) {
  return guarded([&]() -> Outcome {
    Result<std::vector<TunedResult>> rows = readAll(store, operator_name);
    if (!rows)
      return rows.failure();
    Result<Exported> text = exportResults(*rows, view(format));
    if (!text)
      return text.failure();
    if (out_exported) {
      nereid_tune_exported_t exported = {};
      exported.struct_size = sizeof exported;
      exported.written = text->written;
      exported.left_out = text->leftOut;
      if (Outcome done = writeStruct(exported, out_exported); !done)
        return done;
    }
    return giveText(text->text, out_text);
  });
}

nereid_status_t nereid_tune_import(nereid_tune_store_t *store,
                                   const nereid_tune_import_t *request,
                                   nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(store, "store"), require(request, "request")})
      if (!given)
        return given;
    nereid_tune_import_t read = readStruct(*request);
    std::string_view text(static_cast<const char *>(read.text.data),
                          read.text.data ? read.text.size : 0);
    std::string name = read.name.size ? copied(read.name) : "the file";
    Result<std::vector<TunedResult>> results =
        importResults(text, view(read.format), name);
    if (!results)
      return results.failure();
    return mergeInto(*store->store, *results, out_json);
  });
}

nereid_status_t nereid_tune_report(nereid_tune_store_t *store,
                                   nereid_tune_store_t *before,
                                   nereid_buffer_t **out_html) {
  return guarded([&]() -> Outcome {
    Result<std::vector<TunedResult>> rows = readAll(store);
    if (!rows)
      return rows.failure();
    Report report{store->store->path(), std::move(*rows), {}, {}};
    if (before) {
      Result<std::vector<TunedResult>> old = readAll(before);
      if (!old)
        return old.failure();
      report.beforeName = before->store->path();
      report.before = std::move(*old);
    }
    return giveText(reportHtml(report), out_html);
  });
}

// ----------------------------------------------------------------- statistics

nereid_status_t
nereid_tune_measure(const double *samples, uint64_t count,
                    nereid_tune_measurement_t *out_measurement) {
  return guarded([&]() -> Outcome {
    if (count && !samples)
      return invalid("samples is null");
    Measurement found = measurementOf({samples, count});
    nereid_tune_measurement_t measurement = {};
    measurement.struct_size = sizeof measurement;
    measurement.median = found.median;
    measurement.spread = found.spread;
    measurement.samples = found.samples;
    return writeStruct(measurement, out_measurement);
  });
}

nereid_status_t nereid_tune_is_faster(const nereid_tune_measurement_t *winner,
                                      const nereid_tune_measurement_t *other,
                                      uint32_t *out_faster) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(winner, "winner"), require(other, "other"),
                          require(out_faster, "out_faster")})
      if (!given)
        return given;
    auto read = [](const nereid_tune_measurement_t &given) {
      nereid_tune_measurement_t copy = readStruct(given);
      return Measurement{copy.median, copy.spread, copy.samples};
    };
    *out_faster = isFaster(read(*winner), read(*other));
    return {};
  });
}

nereid_status_t nereid_tune_is_hopeless(const double *samples, uint64_t count,
                                        double best, uint32_t *out_hopeless) {
  return guarded([&]() -> Outcome {
    if (count && !samples)
      return invalid("samples is null");
    if (Outcome given = require(out_hopeless, "out_hopeless"); !given)
      return given;
    *out_hopeless = isHopeless({samples, count}, best);
    return {};
  });
}

// --------------------------------------------------------------------- tuning

static Outcome giveLines(const std::vector<SweepTask> &tasks,
                         nereid_buffer_t **out) {
  std::string lines;
  for (const SweepTask &task : tasks)
    lines += taskLine(task) + '\n';
  return giveText(lines, out);
}

nereid_status_t nereid_tune_run(nereid_tune_store_t *store,
                                const nereid_tune_run_t *request,
                                nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    for (Outcome given : {require(store, "store"), require(request, "request"),
                          require(out_json, "out_json")})
      if (!given)
        return given;
    nereid_tune_run_t read = readStruct(*request);
    if (read.flags & ~(NEREID_TUNE_RUN_EXPANDED | NEREID_TUNE_RUN_RESUME))
      return invalid("flags has unknown bits");
    if (!(read.budget >= 0) || !(read.limit >= 0))
      return invalid("budget and limit are seconds from 0");
    Result<std::vector<SweepTask>> tasks =
        readTasks(view(read.tasks), view(read.name));
    if (!tasks)
      return tasks.failure();
    SweepOptions options;
    options.setup = copied(read.setup);
    options.budget = read.budget;
    options.limit = read.limit > 0 ? read.limit : options.limit;
    options.jobs = read.jobs;
    options.isExpanded = read.flags & NEREID_TUNE_RUN_EXPANDED;
    options.resumes = read.flags & NEREID_TUNE_RUN_RESUME;
    if (read.event)
      options.event = [&read](const nereid::host::Json &event) {
        std::string text = event.dump(
            -1, ' ', false, nereid::host::Json::error_handler_t::replace);
        return read.event(read.user, borrow(text)) == NEREID_OK;
      };
    if (read.is_cancelled)
      options.isCancelled = [&read] {
        return read.is_cancelled(read.user) != 0;
      };
    Result<std::unique_ptr<nereid::host::Json>> done =
        sweep(*store->store, *tasks, options);
    if (!done)
      return done.failure();
    return giveText(nereid::host::dumpJson(**done), out_json);
  });
}

nereid_status_t nereid_tune_tasks(nereid_string_t text, nereid_string_t name,
                                  nereid_buffer_t **out_lines) {
  return guarded([&]() -> Outcome {
    Result<std::vector<SweepTask>> tasks = readTasks(view(text), view(name));
    if (!tasks)
      return tasks.failure();
    return giveLines(*tasks, out_lines);
  });
}

nereid_status_t nereid_tune_wanted(nereid_tune_store_t *store,
                                   nereid_buffer_t **out_lines) {
  return guarded([&]() -> Outcome {
    Result<std::vector<TunedResult>> rows = readAll(store);
    if (!rows)
      return rows.failure();
    return giveLines(wantedTasks(*rows), out_lines);
  });
}
