// Artifact.h - the result of a compilation, from the compiler or the cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARTIFACT_ARTIFACT_H
#define NEREID_HOST_ARTIFACT_ARTIFACT_H

#include "compile/KeyIngredients.h"
#include "compile/Pipeline.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

class Cache;

/// Data only: it depends on no plugin and may be used on any thread.
class Artifact {
public:
  std::string sourceName, pluginId;
  std::string lastStage, kind, extension;
  bool isImage = false;
  Values metadata;
  std::vector<StageTime> times;
  std::vector<StageOutput> kept; // of the stages before the last

  bool isFromCache = false;
  std::string missReason; // empty if it was cached
  KeyIngredients ingredients;
  std::string key; // hexadecimal

  /// Bytes of the last stage, in `storage` or in what `keepAlive` holds.
  std::string_view output;
  /// A file whose first bytes are the output; empty if there is none.
  std::string path;
  std::string storage;
  std::shared_ptr<const void> keepAlive;

  Artifact() = default;
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  /// The result of nereid_artifact_describe().
  Json describe() const;

  /// Everything of a result but its output, for the cache.
  std::string encodeRecord() const;
  /// The inverse; refuses bytes that encodeRecord() did not write.
  Outcome decodeRecord(std::string_view record);

  /// The result in one piece, without what was kept of its stages.
  Result<std::string> save() const;
  /// The inverse of save(); \p cache may have the same bytes in a file.
  static Result<std::unique_ptr<Artifact>>
  open(std::string_view file, std::string_view name, Cache *cache);

private:
  std::string encodeRecord(bool withKept) const;
};

} // namespace nereid::host

#endif // NEREID_HOST_ARTIFACT_ARTIFACT_H
