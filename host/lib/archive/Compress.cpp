// Compress.cpp - zstd, linked statically and hidden where it is installed so.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/Compress.h"

#ifdef NEREID_HAS_ZSTD
#include <zstd.h>
#endif

namespace nereid::host {

#ifdef NEREID_HAS_ZSTD

// Images are compressed once and shipped often.
static constexpr int level = 19;

bool hasZstd() { return true; }

Result<std::string> compress(std::string_view plain) {
  std::string stored(ZSTD_compressBound(plain.size()), '\0');
  size_t size = ZSTD_compress(stored.data(), stored.size(), plain.data(),
                              plain.size(), level);
  if (ZSTD_isError(size))
    return Failure{NEREID_OUT_OF_RESOURCES,
                   std::string("zstd: ") + ZSTD_getErrorName(size)};
  stored.resize(size);
  return stored;
}

Result<std::string> decompress(std::string_view stored, uint64_t size) {
  // A frame says how long its contents are: check that before allocating.
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != size)
    return Failure{NEREID_IO_ERROR,
                   "zstd: not a frame of " + std::to_string(size) + " bytes"};
  std::string plain(size, '\0');
  size_t done =
      ZSTD_decompress(plain.data(), size, stored.data(), stored.size());
  if (ZSTD_isError(done) || done != size)
    return Failure{NEREID_IO_ERROR,
                   std::string("zstd: ") + (ZSTD_isError(done)
                                                ? ZSTD_getErrorName(done)
                                                : "fewer bytes than expected")};
  return plain;
}

#else

bool hasZstd() { return false; }

static Failure withoutZstd() {
  return {NEREID_UNIMPLEMENTED,
          "this libnereid was built without zstd (no libzstd.a was installed)"};
}
Result<std::string> compress(std::string_view) { return withoutZstd(); }
Result<std::string> decompress(std::string_view, uint64_t) {
  return withoutZstd();
}

#endif

} // namespace nereid::host
