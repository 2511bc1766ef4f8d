// Compiled.h - the result of a compilation, from the compiler or the cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILED_H
#define NEREID_HOST_COMPILED_H

#include "CacheKey.h"
#include "Pipeline.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

/// Data only: it depends on no plugin and may be used on any thread.
class Compiled {
public:
  std::string sourceName, pluginId;
  std::string lastStage, kind, extension;
  bool isImage = false;
  Values metadata;
  std::vector<StageTime> times;

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

  Compiled() = default;
  Compiled(const Compiled &) = delete;
  Compiled &operator=(const Compiled &) = delete;

  /// What nereid_compiled_describe() gives.
  Json describe() const;

  /// Everything of a result but its output, for the cache.
  std::string encodeRecord() const;
  /// Takes a record back; refuses what encodeRecord() did not write.
  Outcome decodeRecord(std::string_view record);
};

} // namespace nereid

#endif // NEREID_HOST_COMPILED_H
