// Compiled.cpp - the result of a compilation as JSON and as a cache record.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Compiled.h"

#include "Json.h"

namespace nereid {

Json Compiled::describe() const {
  Json stages = Json::array();
  for (const StageTime &time : times)
    stages.push_back({{"name", time.stage}, {"nanoseconds", time.nanoseconds}});
  Json json = {{"source", sourceName},          {"plugin", pluginId},
               {"last_stage", lastStage},       {"kind", kind},
               {"extension", extension},        {"image", isImage},
               {"output_bytes", output.size()}, {"from_cache", isFromCache}};
  if (!isFromCache)
    json["miss_reason"] = missReason;
  json["key"] = key;
  json["key_ingredients"] = ingredients.json();
  if (!path.empty())
    json["path"] = path;
  json["stages"] = std::move(stages);
  json["metadata"] = metadata.json();
  return json;
}

static void addList(Values &record, std::string_view name,
                    const std::vector<nereid_string_t> &names) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = NEREID_TYPE_STRING_LIST;
  value.list = names.data();
  value.list_size = names.size();
  (void)record.add(value);
}

static void addList(Values &record, std::string_view name,
                    const std::vector<int64_t> &numbers) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = NEREID_TYPE_I64_LIST;
  value.list = numbers.data();
  value.list_size = numbers.size();
  (void)record.add(value);
}

std::string Compiled::encodeRecord() const {
  std::vector<nereid_string_t> stages;
  std::vector<int64_t> nanoseconds;
  for (const StageTime &time : times) {
    stages.push_back(borrow(time.stage));
    nanoseconds.push_back(time.nanoseconds);
  }
  std::string encodedMetadata = metadata.encode();
  nereid_value_t nested = {};
  nested.name = borrow("metadata");
  nested.type = NEREID_TYPE_BYTES;
  nested.text = borrow(encodedMetadata);

  Values record;
  record.addString("last_stage", lastStage);
  record.addString("kind", kind);
  record.addString("extension", extension);
  record.addInteger("image", isImage);
  addList(record, "stages", stages);
  addList(record, "nanoseconds", nanoseconds);
  (void)record.add(nested);
  return record.encode();
}

// The stage times, of two lists that must be equally long.
static bool readTimes(const Values &record, std::vector<StageTime> &times) {
  const nereid_value_t *stages = record.find("stages");
  const nereid_value_t *nanoseconds = record.find("nanoseconds");
  if (!stages || stages->type != NEREID_TYPE_STRING_LIST || !nanoseconds ||
      nanoseconds->type != NEREID_TYPE_I64_LIST ||
      stages->list_size != nanoseconds->list_size)
    return false;
  for (uint64_t i = 0; i < stages->list_size; ++i)
    times.push_back({std::string(view(static_cast<const nereid_string_t *>(
                         stages->list)[i])),
                     static_cast<const int64_t *>(nanoseconds->list)[i]});
  return true;
}

Outcome Compiled::decodeRecord(std::string_view bytes) {
  Result<Values> record = Values::decode(bytes);
  if (!record)
    return record.failure();
  auto stage = record->string("last_stage");
  auto kindName = record->string("kind");
  auto suffix = record->string("extension");
  auto image = record->integer("image");
  const nereid_value_t *nested = record->find("metadata");
  std::vector<StageTime> readStages;
  if (!stage || !kindName || !suffix || !image || !nested ||
      nested->type != NEREID_TYPE_BYTES || !readTimes(*record, readStages))
    return Failure{NEREID_INVALID_ARGUMENT,
                   "the record lacks a field, expected the one of this "
                   "version of libnereid"};
  Result<Values> decoded = Values::decode(view(nested->text));
  if (!decoded)
    return decoded.failure();
  lastStage = *stage;
  kind = *kindName;
  extension = *suffix;
  isImage = *image != 0;
  metadata = std::move(*decoded);
  times = std::move(readStages);
  return {};
}

} // namespace nereid
