// CacheEntry.h - one verified entry of the cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CACHE_CACHE_ENTRY_H
#define NEREID_HOST_CACHE_CACHE_ENTRY_H

#include <memory>
#include <string>
#include <string_view>

namespace nereid::host {

/// The bytes of an entry, all of them checked. Copies share the bytes, which
/// are in their own memory: later changes of the file do not affect
/// them.
struct CacheEntry {
  std::string_view body; // aligned to 16 bytes
  std::string_view metadata;
  /// The entry's file, which starts with the body. Empty if it is in no file,
  /// or in one that cannot be mapped for execution. The file may be evicted at
  /// any time: then use `body`.
  std::string path;
  bool isFromCache = false; // as opposed to computed by this call

  /// Keeps the views alive.
  std::shared_ptr<const char[]> storage;
};

/// What a computation hands to the cache.
struct CacheValue {
  std::string body;
  std::string metadata;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_CACHE_ENTRY_H
