// PackKernels.h - a pack of operators as part of an archive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_BUILD_PACK_KERNELS_H
#define NEREID_TOOL_BUILD_PACK_KERNELS_H

#include "build/Compile.h"

namespace nereid::tool {

/// Whether \p path is the directory of a pack.
bool isPack(const std::string &path);

/// Adds the model of the pack in \p directory, and the kernels of its tuned
/// results and of the calls in the file \p shapes, which may be empty. \p
/// python makes their TTIR.
Expected<void> addPack(BuildPlan &plan, const Runtime &runtime,
                       const std::vector<BuildTarget> &targets,
                       const std::string &directory, const std::string &shapes,
                       const std::string &python);

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_PACK_KERNELS_H
