// Compress.h - zstd, for the blobs of an archive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_COMPRESS_H
#define NEREID_HOST_ARCHIVE_COMPRESS_H

#include "support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace nereid::host {

/// Whether this libnereid was built with zstd.
bool hasZstd();

/// The same bytes for the same input and version of zstd.
Result<std::string> compress(std::string_view plain);

/// The inverse; anything that does not yield exactly \p size bytes is refused.
Result<std::string> decompress(std::string_view stored, uint64_t size);

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_COMPRESS_H
