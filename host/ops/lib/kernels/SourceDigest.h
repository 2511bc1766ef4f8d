// SourceDigest.h - one number for the Python files of a folder.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_KERNELS_SOURCE_DIGEST_H
#define NEREID_OPS_KERNELS_SOURCE_DIGEST_H

#include "support/Result.h"

#include <filesystem>
#include <string>

namespace nereid::ops {

/// The digest of the names and texts of the Python files in \p folder.
host::Result<std::string> digestOfSources(const std::filesystem::path &folder);

} // namespace nereid::ops

#endif // NEREID_OPS_KERNELS_SOURCE_DIGEST_H
