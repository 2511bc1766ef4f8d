// Tuning.cpp - asks the store and the packs for the best result of a call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/Tuning.h"

#include "select/Candidates.h"
#include "select/Describe.h"
#include "support/Json.h"
#include "text/Suggestions.h"
#include "tune/Sweep.h"

#include <charconv>
#include <cstdlib>
#include <ctime>

namespace nereid::ops {

using host::Json;

static constexpr std::pair<std::string_view, TuningMode> modes[] = {
    {"off", TuningMode::Off},
    {"use", TuningMode::Use},
    {"record", TuningMode::Record},
    {"on", TuningMode::On}};

Result<TuningSetting> tuningOf(std::string_view text) {
  std::string where = "the tuning mode";
  if (text.empty()) {
    const char *variable = ::secure_getenv("NEREID_TUNING");
    text = variable ? variable : "";
    where = "environment variable NEREID_TUNING";
  }
  TuningSetting setting;
  if (text.empty())
    return setting;
  std::string_view word = text.substr(0, text.find(':'));
  if (word == "on" && word.size() < text.size()) {
    std::string_view seconds = text.substr(word.size() + 1);
    auto [end, error] = std::from_chars(
        seconds.data(), seconds.data() + seconds.size(), setting.budget);
    if (error != std::errc() || end != seconds.data() + seconds.size() ||
        !(setting.budget > 0) || setting.budget > 86400)
      return Failure{NEREID_INVALID_ARGUMENT,
                     where + " is '" + std::string(text) +
                         "', expected seconds after 'on:', as in 'on:2.5'"};
    text = word;
  }
  std::vector<std::string> names;
  for (const auto &[name, mode] : modes) {
    if (name == text) {
      setting.mode = mode;
      return setting;
    }
    names.emplace_back(name);
  }
  return Failure{NEREID_INVALID_ARGUMENT, where + " is '" + std::string(text) +
                                              "', expected one of " +
                                              quotedList(names)};
}

std::string_view tuningModeName(TuningMode mode) {
  for (const auto &[name, each] : modes)
    if (each == mode)
      return name;
  return "";
}

Tuning::Tuning(const Packs &packs, const TargetFacts &target,
               TuningOptions options)
    : packs(packs), target(target), options(std::move(options)) {}

/// What is known about one call while a result is looked for.
struct Tuning::Lookup {
  Query query;
  std::vector<const OperatorRows *> sources;
  const CallFacts *call = nullptr;
  Choice choice;
  // What results that were looked at name, and what speaks against it.
  struct Checked {
    Wanted wanted;
    std::string objection;
  };
  std::map<std::pair<std::string, std::string>, Checked> checked;

  const Checked &taken() const {
    return checked.at({choice.result->variant, choice.result->configuration});
  }
};

// With the mutex held. A mode that only reads makes no file.
Store &Tuning::openStore() {
  if (!store) {
    StoreOptions request;
    request.path = options.store.empty() ? defaultStorePath() : options.store;
    request.mayCreate = options.setting.mode >= TuningMode::Record;
    request.isOptional = true;
    // Opening an optional store cannot fail.
    store = std::move(*Store::open(std::move(request)));
  }
  return *store;
}

Result<Origin> Tuning::readOrigin() {
  if (!origin) {
    Result<Origin> found = options.origin();
    if (!found)
      return found.failure();
    origin = std::move(*found);
  }
  return *origin;
}

bool Tuning::hasWork(const Plan &plan, const Wanted *wanted) const {
  return !wanted && options.setting.mode != TuningMode::Off && plan.variant;
}

// Whether a result can be used for this call: it is data from a file, so what
// it names must be in the packs.
std::string Tuning::objectionTo(Lookup &lookup, const TunedResult &result) {
  auto [at, isNew] =
      lookup.checked.try_emplace({result.variant, result.configuration});
  Lookup::Checked &checked = at->second;
  if (!isNew)
    return checked.objection;
  {
    std::lock_guard lock(mutex);
    if (asides.contains({lookup.query.operatorName, lookup.query.key,
                         result.variant, result.configuration}))
      return checked.objection =
                 "set aside: its kernels failed in this process";
  }
  Result<std::optional<Wanted>> found =
      findCandidate(packs, target, lookup.query.operatorName, *lookup.call,
                    result.variant, result.configuration);
  if (!found)
    return checked.objection = "not used: " + found.failure().text;
  if (!*found)
    return checked.objection =
               "not used: the packs do not have variant '" + result.variant +
               "' with " + objectText(result.configuration) + " for this call";
  checked.wanted = std::move(**found);
  Result<Plan> plan = select(packs, target, lookup.query.operatorName,
                             *lookup.call, &checked.wanted);
  if (!plan)
    checked.objection = "not used: " + plan.failure().text;
  return checked.objection;
}

Result<std::unique_ptr<Tuning::Lookup>> Tuning::lookUpFor(std::string_view op,
                                                          const CallFacts &call,
                                                          const Plan &plan,
                                                          bool isExplained) {
  auto lookup = std::make_unique<Lookup>();
  lookup->call = &call;
  {
    std::lock_guard lock(mutex);
    lookup->sources.push_back(&openStore().rows(op));
    std::set<const Pack *> seen;
    for (const Applied &applied : packs.layersFor(target))
      if (seen.insert(applied.pack).second)
        if (const OperatorRows *rows = applied.pack->tuned(op))
          lookup->sources.push_back(rows);
    bool hasRows = std::ranges::any_of(
        lookup->sources, [](const auto *rows) { return !rows->keys.empty(); });
    if (!hasRows && !isExplained && options.setting.mode < TuningMode::Record)
      return std::unique_ptr<Lookup>();
    Result<Origin> own = readOrigin();
    if (!own)
      return own.failure();
    lookup->query.compiler = own->compiler;
    lookup->query.device = own->device;
  }
  lookup->query.operatorName = op;
  lookup->query.key = plan.key;
  lookup->query.bucket = plan.bucket;
  Lookup *borrowed = lookup.get();
  lookup->query.objection = [this, borrowed](const TunedResult &result) {
    return objectionTo(*borrowed, result);
  };
  lookup->choice = lookUp(lookup->sources, lookup->query, isExplained);
  return lookup;
}

// Times the candidates of the call in processes of their own, once.
bool Tuning::tuneNow(const Lookup &lookup, const CallFacts &call) {
  Store *known = nullptr;
  {
    std::lock_guard lock(mutex);
    known = &openStore();
  }
  std::lock_guard one(tuning);
  {
    std::lock_guard lock(mutex);
    if (!written.emplace(lookup.query.operatorName, lookup.query.key).second)
      return true; // another thread did it meanwhile
  }
  SweepOptions request;
  request.setup = options.setup;
  request.budget = options.setting.budget;
  request.resumes = true;
  Result<std::unique_ptr<Json>> done = sweep(
      *known, {{lookup.query.operatorName, jsonOfCall(call).dump()}}, request);
  known->refresh();
  if (done)
    return true;
  std::lock_guard lock(mutex);
  problem = "nothing was tuned: " + done.failure().text;
  return false;
}

// What a later run of the tuner needs to know about a call.
void Tuning::writeDown(const Lookup &lookup, const CallFacts &call,
                       const Plan &plan) {
  std::lock_guard lock(mutex);
  if (!written.emplace(lookup.query.operatorName, lookup.query.key).second)
    return;
  TunedResult row;
  row.operatorName = lookup.query.operatorName;
  row.key = lookup.query.key;
  row.bucket = lookup.query.bucket;
  row.variant = plan.variant->name;
  row.configuration = "{}";
  row.status = status::wanted;
  row.protocol = status::wanted;
  row.samples = 1;
  row.compiler = lookup.query.compiler;
  row.device = lookup.query.device;
  row.time = std::time(nullptr);
  row.note = jsonOfCall(call).dump();
  // A store that cannot be written stops nothing; its notices are shown by
  // explain().
  (void)openStore().record({&row, 1});
}

Result<Plan> Tuning::choose(std::string_view op, const CallFacts &call,
                            const Wanted *wanted) {
  Result<Plan> plan = select(packs, target, op, call, wanted);
  if (!plan || !hasWork(*plan, wanted))
    return plan;
  Result<std::unique_ptr<Lookup>> found = lookUpFor(op, call, *plan, false);
  // Without a compiler, or a device that says what it is, heuristics decide.
  if (!found || !*found)
    return plan;
  auto isOwn = [&] {
    const Choice &choice = (*found)->choice;
    return choice.result && choice.match == Match::Exact &&
           choice.trust == Trust::Same;
  };
  if (!isOwn() && options.setting.mode == TuningMode::Record)
    writeDown(**found, call, *plan);
  if (!isOwn() && options.setting.mode == TuningMode::On &&
      tuneNow(**found, call)) {
    found = lookUpFor(op, call, *plan, false);
    if (!found || !*found)
      return plan;
  }
  Lookup &lookup = **found;
  const TunedResult *result = lookup.choice.result;
  if (!result)
    return plan;
  Result<Plan> tuned = select(packs, target, op, call, &lookup.taken().wanted);
  if (!tuned)
    return plan;
  tuned->selection.tuned = {std::string(op), lookup.query.key,
                            lookup.query.bucket, result->variant,
                            result->configuration};
  return tuned;
}

// Whether the same will fail the next time too.
static bool isLasting(nereid_status_t status) {
  return status == NEREID_UNIMPLEMENTED || status == NEREID_INCOMPATIBLE ||
         status == NEREID_OUT_OF_RESOURCES ||
         status == NEREID_INVALID_ARGUMENT || status == NEREID_INTERNAL;
}

void Tuning::setAside(const TunedChoice &choice, const Failure &failure) {
  std::lock_guard lock(mutex);
  asides.insert({choice.op, choice.key, choice.variant, choice.configuration});
  if (!isLasting(failure.status) || !origin)
    return;
  TunedResult row;
  row.operatorName = choice.op;
  row.key = choice.key;
  row.bucket = choice.bucket;
  row.variant = choice.variant;
  row.configuration = choice.configuration;
  row.status = status::failed;
  row.protocol = "run";
  row.compiler = origin->compiler;
  row.device = origin->device;
  row.time = std::time(nullptr);
  constexpr size_t mostNote = 1000;
  row.note = failure.text.substr(0, mostNote);
  // A cut must not be inside of a character.
  while (row.note.size() == mostNote && !row.note.empty() &&
         (static_cast<unsigned char>(row.note.back()) & 0x80))
    row.note.pop_back();
  Store &known = openStore();
  // There may be no file yet, where a pack brought the result.
  StoreOptions request;
  request.path = known.path();
  request.isOptional = true;
  if (!known.record({&row, 1}))
    if (Result<std::unique_ptr<Store>> made = Store::open(std::move(request)))
      (void)(*made)->record({&row, 1});
  known.refresh();
}

Result<Json> Tuning::explain(std::string_view op, const CallFacts &call,
                             std::optional<Wanted> &wanted) {
  Json json = {{"mode", tuningModeName(options.setting.mode)}};
  Result<Plan> plan =
      select(packs, target, op, call, wanted ? &*wanted : nullptr);
  if (!plan)
    return plan.failure();
  if (!hasWork(*plan, wanted ? &*wanted : nullptr))
    return json;
  Result<std::unique_ptr<Lookup>> found = lookUpFor(op, call, *plan, true);
  {
    std::lock_guard lock(mutex);
    json["store"] = openStore().path();
    json["notices"] = openStore().notices();
    if (!problem.empty())
      json["notices"].push_back(problem);
  }
  if (!found) {
    json["notices"].push_back(found.failure().text);
    return json;
  }
  Lookup &lookup = **found;
  Json choice = choiceJson(lookup.query, lookup.choice);
  for (const char *member : {"choice", "considered", "left_out"})
    json[member] = std::move(choice[member]);
  if (lookup.choice.result)
    wanted = lookup.taken().wanted;
  return json;
}

} // namespace nereid::ops
