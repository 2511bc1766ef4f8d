// Merge.cpp - merges and compares lists of results.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Merge.h"
#include "store/Places.h"
#include "tune/Statistics.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nereid::ops {

using Json = nlohmann::ordered_json;

// More notes are no help.
static constexpr size_t noteLimit = 20;

static std::string nameOf(const TunedResult &result) {
  return result.operatorName + ' ' + objectText(result.key) + ", " +
         (result.variant.empty() ? "" : result.variant + ' ') +
         objectText(result.configuration);
}

static void addNote(Merge &merge, std::string text) {
  if (merge.notes.size() < noteLimit)
    merge.notes.push_back(std::move(text));
  else
    ++merge.notesLeftOut;
}

Json Merge::json() const {
  return {{"added", added},
          {"faster", faster},
          {"kept", kept},
          {"equal", equal},
          {"changed", changed},
          {"notes", notes},
          {"notes_left_out", notesLeftOut}};
}

namespace {
struct ByIdentity {
  bool operator()(const TunedResult *a, const TunedResult *b) const {
    return a->identity() < b->identity();
  }
};
} // namespace

// Decides about two results of one identity.
static void settle(Merge &merge, const TunedResult &own,
                   const TunedResult &other) {
  if (checksumOf(own) == checksumOf(other)) {
    ++merge.equal;
    return;
  }
  if (own.isOk() && other.isOk()) {
    // One without a time says less.
    bool isFaster =
        other.median > 0 && (own.median == 0 || other.median < own.median);
    ++(isFaster ? merge.faster : merge.kept);
    if (isFaster)
      merge.changes.push_back(other);
    return;
  }
  bool isNewer = other.time > own.time;
  if (own.status != other.status)
    addNote(merge, nameOf(own) + ": '" + own.status + "' here and '" +
                       other.status + "' there, the newer '" +
                       (isNewer ? other : own).status + "' remains");
  ++(isNewer ? merge.changed : merge.kept);
  if (isNewer)
    merge.changes.push_back(other);
}

// What two protocols measured of one thing.
static auto subjectOf(const TunedResult &result) {
  return std::tie(result.operatorName, result.key, result.variant,
                  result.configuration, result.compiler, result.device);
}

// A note for each configuration that was measured in two ways.
static void noteProtocols(Merge &merge, const std::vector<TunedResult> &own,
                          const std::vector<const TunedResult *> &added) {
  std::map<decltype(subjectOf(own[0])), const TunedResult *> subjects;
  for (const TunedResult &result : own)
    subjects.emplace(subjectOf(result), &result);
  for (const TunedResult *result : added) {
    auto known = subjects.find(subjectOf(*result));
    if (known != subjects.end())
      addNote(merge, nameOf(*result) + ": measured by '" +
                         known->second->protocol + "' here and by '" +
                         result->protocol + "' there, both are kept");
  }
}

Merge mergeResults(const std::vector<TunedResult> &own,
                   const std::vector<TunedResult> &others) {
  Merge merge;
  std::set<const TunedResult *, ByIdentity> known;
  for (const TunedResult &result : own)
    known.insert(&result);
  std::vector<const TunedResult *> added;
  for (const TunedResult &result : others) {
    auto found = known.find(&result);
    if (found != known.end()) {
      settle(merge, **found, result);
      continue;
    }
    ++merge.added;
    merge.changes.push_back(result);
    added.push_back(&result);
  }
  noteProtocols(merge, own, added);
  return merge;
}

// ----------------------------------------------------------------------- diff

static Measurement measured(const TunedResult &result) {
  return {result.median, result.spread, static_cast<uint64_t>(result.samples)};
}

// "same" is within the noise of both.
static const char *verdictOn(const TunedResult *before,
                             const TunedResult *after) {
  if (!before)
    return "added";
  if (!after)
    return "removed";
  if (before->status != after->status)
    return "status";
  if (!before->isOk() || before->median == 0 || after->median == 0)
    return "same";
  if (isFaster(measured(*after), measured(*before)))
    return "faster";
  if (isFaster(measured(*before), measured(*after)))
    return "slower";
  return "same";
}

static Json sideJson(const TunedResult *result) {
  if (!result)
    return nullptr;
  return {{"variant", result->variant},
          {"configuration", Json::parse(result->configuration, nullptr, false)},
          {"status", result->status},
          {"median_ns", result->median},
          {"spread_ns", result->spread},
          {"samples", result->samples},
          {"compiler_release", result->compiler.release},
          {"compiler_build", result->compiler.build}};
}

static Json entryJson(const Place &place, const char *verdict,
                      const TunedResult *before, const TunedResult *after) {
  Json entry = {{"verdict", verdict},
                {"operator", place.operatorName},
                {"key", Json::parse(place.key, nullptr, false)},
                {"device_name", place.deviceName},
                {"device_architecture", place.deviceArchitecture},
                {"protocol", place.protocol},
                {"before", sideJson(before)},
                {"after", sideJson(after)}};
  if (before && after && before->median > 0 && after->median > 0)
    entry["ratio"] = after->median / before->median;
  return entry;
}

Json diffResults(const std::vector<TunedResult> &before,
                 const std::vector<TunedResult> &after) {
  Places old = placesOf(before), now = placesOf(after);
  std::set<Place> places;
  for (const auto *side : {&old, &now})
    for (const auto &[place, configurations] : *side)
      places.insert(place);
  Json counts = {{"same", 0},   {"faster", 0}, {"slower", 0},
                 {"status", 0}, {"added", 0},  {"removed", 0}};
  Json changes = Json::array(), winners = Json::array();
  for (const Place &place : places) {
    const Configurations &left = old[place], &right = now[place];
    using Configuration = Configurations::key_type;
    std::set<Configuration> all;
    for (const auto *side : {&left, &right})
      for (const auto &[configuration, row] : *side)
        all.insert(configuration);
    auto find = [](const Configurations &side, const Configuration &wanted) {
      auto found = side.find(wanted);
      return found == side.end() ? nullptr : found->second;
    };
    for (const Configuration &configuration : all) {
      const TunedResult *a = find(left, configuration);
      const TunedResult *b = find(right, configuration);
      const char *verdict = verdictOn(a, b);
      counts[verdict] = counts[verdict].get<uint64_t>() + 1;
      if (std::string_view(verdict) != "same")
        changes.push_back(entryJson(place, verdict, a, b));
    }
    const TunedResult *a = winnerOf(left), *b = winnerOf(right);
    if (a || b) {
      Json entry = entryJson(place, verdictOn(a, b), a, b);
      entry["is_other"] =
          a && b &&
          (a->variant != b->variant || a->configuration != b->configuration);
      winners.push_back(std::move(entry));
    }
  }
  return {{"counts", counts}, {"changes", changes}, {"winners", winners}};
}

} // namespace nereid::ops
