// RayScript.h - the text of ray_sweep.py.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_TUNE_RAYSCRIPT_H
#define NEREID_TOOL_TUNE_RAYSCRIPT_H

namespace nereid::tool {

extern const char *const rayScript;

} // namespace nereid::tool

#endif // NEREID_TOOL_TUNE_RAYSCRIPT_H
