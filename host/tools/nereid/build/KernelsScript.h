// KernelsScript.h - kernels.py, so that the tool is one file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_BUILD_KERNELSSCRIPT_H
#define NEREID_TOOL_BUILD_KERNELSSCRIPT_H

namespace nereid::tool {

extern const char *const kernelsScript;

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_KERNELSSCRIPT_H
