// Describe.h - an archive as JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_DESCRIBE_H
#define NEREID_HOST_ARCHIVE_DESCRIBE_H

#include "archive/Archive.h"
#include "support/JsonFwd.h"

namespace nereid::host {

/// The result of nereid_archive_describe().
Json describeArchive(const Archive &archive);
/// The result of nereid_archive_describe_kernel().
Result<Json> describeKernelOf(const Archive &archive, uint32_t kernel);

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_DESCRIBE_H
