// IndexCheck.h - whether the index of an archive refers only to what is there.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_INDEX_CHECK_H
#define NEREID_HOST_ARCHIVE_INDEX_CHECK_H

#include "archive/ArchiveFormat.h"

namespace nereid::host {

/// Checks every record of \p index, which is as long as its counts say. What
/// passes can be used without further checks.
Outcome checkArchiveIndex(std::string_view index, const IndexCounts &counts,
                          uint64_t totalSize);

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_INDEX_CHECK_H
