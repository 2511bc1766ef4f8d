// Tuning.h - tuned results in calls: which one decides, what is missing, and
// what to do if a kernel that one names does not work.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_TUNING_H
#define NEREID_OPS_CALL_TUNING_H

#include "select/Select.h"
#include "store/Lookup.h"
#include "store/Origin.h"
#include "support/JsonFwd.h"

#include <functional>
#include <set>

namespace nereid::ops {

enum class TuningMode { Off, Use, Record, On };

/// What to do, and how many seconds tuning one call may take.
struct TuningSetting {
  TuningMode mode = TuningMode::Use;
  double budget = 10;
};

/// "use", "on:2.5", ...; empty: NEREID_TUNING, else Use.
Result<TuningSetting> tuningOf(std::string_view text);
std::string_view tuningModeName(TuningMode mode);

struct TuningOptions {
  TuningSetting setting;
  /// Of the processes that time calls (nereid_tune_run_t).
  std::string setup;
  std::string store; // empty: the user's own
  /// Called once, when there is something to compare with.
  std::function<Result<Origin>()> origin;
};

/// Any thread. A call is chosen for once and remembered by who calls: this is
/// not on the path of repeated calls.
class Tuning {
public:
  Tuning(const Packs &packs, const TargetFacts &target, TuningOptions options);

  /// As select(), with the variant and the configuration of the best result. In
  /// mode Record, what has no result of this very device is written down.
  Result<Plan> choose(std::string_view op, const CallFacts &call,
                      const Wanted *wanted);

  /// The kernels of a choice cannot be made or loaded: it is not taken again,
  /// and the store is told unless the fault may pass.
  void setAside(const TunedChoice &choice, const Failure &failure);

  /// What choose() takes, and why: {"mode", "store", "notices", "choice",
  /// "considered", ...}. Writes nothing down. \p wanted becomes what is taken.
  Result<host::Json> explain(std::string_view op, const CallFacts &call,
                             std::optional<Wanted> &wanted);

private:
  struct Lookup;
  using Identity = std::tuple<std::string, std::string, std::string,
                              std::string>; // op, key, variant, configuration

  bool hasWork(const Plan &plan, const Wanted *wanted) const;
  /// Null if there is nothing to look in.
  Result<std::unique_ptr<Lookup>> lookUpFor(std::string_view op,
                                            const CallFacts &call,
                                            const Plan &plan, bool isExplained);
  std::string objectionTo(Lookup &lookup, const TunedResult &result);
  /// True if there are new results.
  bool tuneNow(const Lookup &lookup, const CallFacts &call);
  void writeDown(const Lookup &lookup, const CallFacts &call, const Plan &plan);
  Store &openStore();
  Result<Origin> readOrigin();

  const Packs &packs;
  const TargetFacts &target;
  const TuningOptions options;
  std::mutex mutex; // of what follows
  std::unique_ptr<Store> store;
  std::optional<Origin> origin;
  std::set<Identity> asides;
  std::set<std::pair<std::string, std::string>> written; // operator, key
  std::string problem; // why nothing could be tuned
  std::mutex tuning;   // one call at a time
};

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_TUNING_H
