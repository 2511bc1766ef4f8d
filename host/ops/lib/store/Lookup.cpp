// Lookup.cpp - groups results by who measured them, and orders the groups.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Lookup.h"
#include "tune/Statistics.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nereid::ops {

using Json = nlohmann::ordered_json;

// An explanation with more groups is for no reader.
static constexpr size_t consideredLimit = 64;

namespace {
using Configuration = std::pair<std::string_view, std::string_view>;

/// Results of one key that are comparable.
struct Group {
  Match match = Match::Exact;
  Trust trust = Trust::Foreign;
  double distance = 0;
  size_t source = 0;
  std::vector<const TunedResult *> rows;
  const TunedResult *newest = nullptr;
  bool isPreferred = false;

  auto order() const {
    return std::tuple(match, trust, distance, source, !isPreferred,
                      -newest->time, newest->identity());
  }
};

/// Configurations that failed where the query is.
class Quarantine {
public:
  Quarantine(std::span<const OperatorRows *const> sources, const Query &query);
  /// The result that speaks against \p result; null if none does.
  const TunedResult *find(const TunedResult &result) const;

private:
  using Newest = std::map<Configuration, const TunedResult *>;
  static void add(Newest &newest, const TunedResult &row);

  Newest exact, bucket;
};
} // namespace

std::string_view matchName(Match match) {
  switch (match) {
  case Match::Exact:
    return "exact";
  case Match::Bucket:
    return "bucket";
  case Match::Nearest:
    return "nearest";
  }
  return "";
}

static Measurement measured(const TunedResult &result) {
  return {result.median, result.spread, static_cast<uint64_t>(result.samples)};
}

const TunedResult *winnerOf(const std::vector<const TunedResult *> &rows) {
  const TunedResult *best = nullptr, *standard = nullptr;
  // Imported results may have no time; any time is better than none.
  auto order = [](const TunedResult *row) {
    return std::tuple(row->median == 0, row->median,
                      std::string_view(row->variant),
                      std::string_view(row->configuration));
  };
  for (const TunedResult *row : rows) {
    if (!row->isOk())
      continue;
    if (!best || order(row) < order(best))
      best = row;
    if (row->isDefault && (!standard || order(row) < order(standard)))
      standard = row;
  }
  if (standard && standard->median > 0 && best->median > 0 &&
      !isFaster(measured(*best), measured(*standard)))
    return standard;
  return best;
}

// ----------------------------------------------------------------- quarantine

// Of one configuration the newest result counts; a failure of the same second.
void Quarantine::add(Newest &newest, const TunedResult &row) {
  if (!row.isOk() && !row.isBad())
    return;
  const TunedResult *&kept = newest[{row.variant, row.configuration}];
  if (!kept ||
      std::pair(row.time, row.isBad()) > std::pair(kept->time, kept->isBad()))
    kept = &row;
}

Quarantine::Quarantine(std::span<const OperatorRows *const> sources,
                       const Query &query) {
  auto isConcerned = [&](const KeyRows &key) {
    return key.hasBad && (key.key == query.key ||
                          std::any_of(key.rows.begin(), key.rows.end(),
                                      [&](const TunedResult &row) {
                                        return row.bucket == query.bucket;
                                      }));
  };
  // The usual case.
  if (std::none_of(sources.begin(), sources.end(),
                   [&](const OperatorRows *source) {
                     return std::any_of(source->keys.begin(),
                                        source->keys.end(), isConcerned);
                   }))
    return;
  // In a bucket a configuration may be good for one key and bad for another:
  // what is bad for one of them is bad.
  std::map<std::string_view, Newest> keys;
  for (const OperatorRows *source : sources)
    for (const KeyRows &key : source->keys)
      for (const TunedResult &row : key.rows) {
        if (row.compiler != query.compiler ||
            row.device.architecture != query.device.architecture)
          continue;
        if (row.key == query.key)
          add(exact, row);
        else if (row.bucket == query.bucket)
          add(keys[row.key], row);
      }
  for (const auto &[key, newest] : keys)
    for (const auto &[configuration, row] : newest)
      if (row->isBad())
        bucket.emplace(configuration, row);
}

const TunedResult *Quarantine::find(const TunedResult &result) const {
  Configuration configuration(result.variant, result.configuration);
  if (auto known = exact.find(configuration); known != exact.end())
    return known->second->isBad() ? known->second : nullptr;
  auto known = bucket.find(configuration);
  return known == bucket.end() ? nullptr : known->second;
}

// --------------------------------------------------------------------- groups

// How `row` may match; its bucket may be one of other strategies.
static Match matchOf(const TunedResult &row, const Query &query) {
  if (row.key == query.key)
    return Match::Exact;
  return row.bucket == query.bucket ? Match::Bucket : Match::Nearest;
}

// Adds the groups of `key` that match in one way.
static void addGroups(std::vector<Group> &groups, const KeyRows &key,
                      const Query &query, Match match, double distance,
                      size_t source) {
  using Origin = std::tuple<const CompilerIdentity &, const DeviceIdentity &,
                            std::string_view, std::string_view>;
  std::map<Origin, Group> found;
  for (const TunedResult &row : key.rows) {
    if (row.status == status::wanted || matchOf(row, query) != match ||
        (!query.variant.empty() && row.variant != query.variant))
      continue;
    Origin origin(row.compiler, row.device, row.protocol, row.bucket);
    auto [entry, isNew] = found.try_emplace(origin);
    Group &group = entry->second;
    if (isNew) {
      group.match = match;
      group.trust = trustOf(row, query.compiler, query.device);
      group.distance = distance;
      group.source = source;
      group.isPreferred = row.protocol == query.protocol;
    }
    if (isNew || row.time > group.newest->time)
      group.newest = &row;
    group.rows.push_back(&row);
  }
  for (auto &[origin, group] : found)
    groups.push_back(std::move(group));
}

// The keys of `rows` that may match in that way.
static std::span<const KeyRows> keysFor(const OperatorRows &rows,
                                        const Query &query, Match match) {
  if (match != Match::Exact)
    return rows.keys;
  auto found = std::lower_bound(rows.keys.begin(), rows.keys.end(), query.key,
                                [](const KeyRows &entry, const auto &wanted) {
                                  return entry.key < wanted;
                                });
  bool isFound = found != rows.keys.end() && found->key == query.key;
  return {found, isFound ? size_t(1) : size_t(0)};
}

// The groups that match in one way, in their order.
static std::vector<Group> groupsOf(std::span<const OperatorRows *const> sources,
                                   const Query &query, Match match) {
  std::vector<Group> groups;
  std::vector<KeyMember> members = membersOf(query.key);
  for (size_t source = 0; source < sources.size(); ++source)
    for (const KeyRows &key : keysFor(*sources[source], query, match))
      addGroups(groups, key, query, match,
                match == Match::Exact ? 0 : keyDistance(members, key.members),
                source);
  std::sort(groups.begin(), groups.end(), [](const Group &a, const Group &b) {
    return a.order() < b.order();
  });
  return groups;
}

static std::string foreignText(const TunedResult &row, const Query &query) {
  if (row.compiler.plugin != query.compiler.plugin ||
      row.compiler.release != query.compiler.release)
    return "foreign: compiled by " + row.compiler.plugin + ' ' +
           row.compiler.release + ", this is " + query.compiler.plugin + ' ' +
           query.compiler.release;
  return "foreign: measured on " + row.device.architecture + ", this is " +
         query.device.architecture;
}

static std::string quarantineText(const TunedResult &row) {
  std::string text =
      "quarantined: " + objectText(row.configuration) + ' ' +
      (row.status == status::wrong ? "gave a wrong result" : row.status);
  text += " for " + objectText(row.key);
  return row.note.empty() ? text : text + ": " + row.note;
}

// The winner of the group, or why it has none.
static const TunedResult *judge(const Group &group, const Query &query,
                                const Quarantine &quarantine,
                                std::string &verdict) {
  if (group.trust == Trust::Foreign) {
    verdict = foreignText(*group.newest, query);
    return nullptr;
  }
  if (group.match == Match::Nearest && !(group.distance <= query.reach)) {
    verdict = "too far from the key";
    return nullptr;
  }
  std::vector<const TunedResult *> usable;
  for (const TunedResult *row : group.rows) {
    if (const TunedResult *against = quarantine.find(*row))
      verdict = quarantineText(*against);
    else
      usable.push_back(row);
  }
  const TunedResult *winner = winnerOf(usable);
  while (winner && query.objection) {
    std::string objection = query.objection(*winner);
    if (objection.empty())
      break;
    verdict = std::move(objection);
    std::erase(usable, winner);
    winner = winnerOf(usable);
  }
  if (!winner && verdict.empty())
    verdict = "no configuration was measured to its end";
  return winner;
}

Choice lookUp(const OperatorRows &rows, const Query &query, bool isExplained) {
  const OperatorRows *source = &rows;
  return lookUp({&source, 1}, query, isExplained);
}

static std::vector<Comparable> comparable(const Group &group,
                                          const Quarantine &quarantine) {
  std::vector<Comparable> rows;
  for (const TunedResult *row : group.rows) {
    const TunedResult *against = quarantine.find(*row);
    rows.push_back({row, against ? quarantineText(*against) : ""});
  }
  return rows;
}

static void take(Choice &choice, const Group &group, const TunedResult *winner,
                 const Quarantine &quarantine, bool isExplained) {
  choice.result = winner;
  choice.match = group.match;
  choice.trust = group.trust;
  choice.distance = group.distance;
  if (isExplained)
    choice.group = comparable(group, quarantine);
}

// Looks at one group; true if there is nothing more to do. A group with the
// default alone, of a sweep that was interrupted for instance, has compared
// nothing: it goes to \p untried, for want of another.
static bool consider(Choice &choice, Choice &untried, const Group &group,
                     const Query &query, const Quarantine &quarantine,
                     bool isExplained) {
  std::string verdict;
  const TunedResult *winner = judge(group, query, quarantine, verdict);
  if (winner && group.rows.size() == 1 && winner->isDefault) {
    if (!untried.result)
      take(untried, group, winner, quarantine, isExplained);
    verdict = "only the default was measured";
  } else if (winner && !choice.result) {
    take(choice, group, winner, quarantine, isExplained);
    verdict = "used" + (verdict.empty() ? "" : "; " + verdict);
  } else if (winner) {
    verdict = "not needed";
  }
  if (!isExplained)
    return choice.result;
  if (choice.considered.size() == consideredLimit)
    ++choice.leftOut;
  else
    choice.considered.push_back({group.match, group.trust, group.distance,
                                 winner ? winner : group.newest,
                                 std::move(verdict)});
  return false;
}

Choice lookUp(std::span<const OperatorRows *const> sources, const Query &query,
              bool isExplained) {
  Choice choice, untried;
  Quarantine quarantine(sources, query);
  // The usual case, the key itself, looks at nothing else.
  for (Match match : {Match::Exact, Match::Bucket, Match::Nearest})
    for (const Group &group : groupsOf(sources, query, match))
      if (consider(choice, untried, group, query, quarantine, isExplained))
        return choice;
  if (!choice.result && untried.result) {
    untried.considered = std::move(choice.considered);
    untried.leftOut = choice.leftOut;
    for (Considered &each : untried.considered)
      if (each.result == untried.result)
        each.verdict = "used; " + each.verdict;
    return untried;
  }
  return choice;
}

// ----------------------------------------------------------------------- JSON

Json resultJson(const TunedResult &result) {
  auto object = [](const std::string &text) {
    return Json::parse(text, nullptr, false);
  };
  return {{"key", object(result.key)},
          {"variant", result.variant},
          {"configuration", object(result.configuration)},
          {"status", result.status},
          {"is_default", result.isDefault},
          {"median_ns", result.median},
          {"spread_ns", result.spread},
          {"samples", result.samples},
          {"protocol", result.protocol},
          {"device_name", result.device.name},
          {"device_architecture", result.device.architecture},
          {"compiler_plugin", result.compiler.plugin},
          {"compiler_release", result.compiler.release},
          {"time", result.time}};
}

// A distance that is infinite has no number in JSON.
static Json distanceJson(double distance) {
  return distance <= 1e9 ? Json(distance) : Json(nullptr);
}

static Json matchJson(Match match, Trust trust, double distance) {
  return {{"match", matchName(match)},
          {"trust", trustName(trust)},
          {"distance", distanceJson(distance)}};
}

Json choiceJson(const Query &query, const Choice &choice) {
  Json considered = Json::array();
  for (const Considered &group : choice.considered) {
    Json entry = matchJson(group.match, group.trust, group.distance);
    entry["verdict"] = group.verdict;
    entry.update(resultJson(*group.result));
    considered.push_back(std::move(entry));
  }
  Json json = {{"operator", query.operatorName},
               {"key", Json::parse(query.key, nullptr, false)},
               {"bucket", Json::parse(query.bucket, nullptr, false)},
               {"choice", nullptr},
               {"considered", std::move(considered)},
               {"left_out", choice.leftOut}};
  if (choice.result) {
    json["choice"] = matchJson(choice.match, choice.trust, choice.distance);
    json["choice"].update(resultJson(*choice.result));
    Json group = Json::array();
    for (const Comparable &row : choice.group)
      group.push_back({{"variant", row.result->variant},
                       {"configuration",
                        Json::parse(row.result->configuration, nullptr, false)},
                       {"status", row.result->status},
                       {"median_ns", row.result->median},
                       {"spread_ns", row.result->spread},
                       {"quarantine", row.quarantine}});
    json["choice"]["group"] = std::move(group);
  }
  return json;
}

} // namespace nereid::ops
