// Artifact.cpp - the result of a compilation as JSON and as a cache record.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "artifact/Artifact.h"

#include "cache/Cache.h"
#include "cache/CacheRecord.h"
#include "support/Json.h"

namespace nereid::host {

Json Artifact::describe() const {
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

static void addBytes(Values &values, std::string_view name,
                     std::string_view bytes) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = NEREID_TYPE_BYTES;
  value.text = borrow(bytes);
  (void)values.add(value);
}

std::string Artifact::encodeRecord() const { return encodeRecord(true); }

std::string Artifact::encodeRecord(bool withKept) const {
  std::vector<nereid_string_t> stages;
  std::vector<int64_t> nanoseconds;
  for (const StageTime &time : times) {
    stages.push_back(borrow(time.stage));
    nanoseconds.push_back(time.nanoseconds);
  }
  Values record;
  record.addString("last_stage", lastStage);
  record.addString("kind", kind);
  record.addString("extension", extension);
  record.addInteger("image", isImage);
  addList(record, "stages", stages);
  addList(record, "nanoseconds", nanoseconds);
  addBytes(record, "metadata", metadata.encode());
  if (withKept && !kept.empty()) {
    Values outputs;
    for (const StageOutput &output : kept)
      addBytes(outputs, output.stage, output.bytes);
    addBytes(record, "kept", outputs.encode());
  }
  return record.encode();
}

// What was kept of stages, if anything was.
static Outcome readKept(const Values &record, std::vector<StageOutput> &kept) {
  const nereid_value_t *nested = record.find("kept");
  if (!nested)
    return {};
  Result<Values> outputs = Values::decode(view(nested->text));
  if (!outputs)
    return outputs.failure();
  for (const nereid_value_t &output : outputs->items())
    kept.push_back(
        {std::string(view(output.name)), std::string(view(output.text))});
  return {};
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

Outcome Artifact::decodeRecord(std::string_view bytes) {
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
  if (Outcome read = readKept(*record, kept); !read)
    return read;
  lastStage = *stage;
  kind = *kindName;
  extension = *suffix;
  isImage = *image != 0;
  metadata = std::move(*decoded);
  times = std::move(readStages);
  return {};
}

Result<std::string> Artifact::save() const {
  std::optional<Digest> digest = Digest::fromHex(key);
  if (!digest)
    return Failure{NEREID_INTERNAL, sourceName + ": the result has no key"};
  std::string record = encodeRecord(false);
  CacheRecord parts{*digest, output, record};
  std::string file(encodedSize(parts), '\0');
  encodeCacheRecord(parts, file);
  return file;
}

Result<std::unique_ptr<Artifact>>
Artifact::open(std::string_view file, std::string_view name, Cache *cache) {
  auto result = std::make_unique<Artifact>();
  result->sourceName = name;
  result->isFromCache = true;
  result->storage = file;
  Result<CacheRecord> parts = parseCacheRecord(result->storage);
  if (!parts)
    return Failure{parts.failure().status,
                   std::string(name) +
                       ": not a saved kernel, or a damaged "
                       "one: " +
                       parts.failure().text};
  if (Outcome decoded = result->decodeRecord(parts->metadata); !decoded)
    return decoded.failure();
  result->key = parts->key.hex();
  result->output = parts->body;
  if (!cache)
    return result;
  CacheLookup found = cache->get(parts->key);
  if (found.entry && found.entry->body == parts->body)
    result->path = found.entry->path;
  return result;
}

} // namespace nereid::host
