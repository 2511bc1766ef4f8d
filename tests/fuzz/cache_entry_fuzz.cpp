// cache_entry_fuzz.cpp - no file makes the reader of cache entries crash, and
// it accepts only what the writer writes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/CacheRecord.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdlib>
#include <cstring>

using namespace nereid::host;

static void check(std::string_view file) {
  Result<CacheRecord> record = parseCacheRecord(file);
  if (!record) {
    if (record.failure().text.empty())
      std::abort(); // a refusal without a reason
    return;
  }
  std::string again(encodedSize(*record), '\0');
  encodeCacheRecord(*record, again);
  if (again != file)
    std::abort(); // two files for one entry
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string file(reinterpret_cast<const char *>(data), size);
  check(file);
  if (size < cacheRecordSize)
    return 0;
  // No fuzzer guesses a digest, so what lies behind that check is reached by
  // sealing the input.
  file.replace(size - cacheRecordSize, 8, "nereidCE");
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits(file.data(), size - 16));
  std::memcpy(&file[size - 16], digest.digest, 16);
  check(file);
  return 0;
}
