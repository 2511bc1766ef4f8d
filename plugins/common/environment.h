// environment.h - environment variables that configure a plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An unset or empty variable has its default. A process with raised privileges
// ignores all of them, as libnereid does. An illegal value is a Failure with
// NEREID_INVALID_ARGUMENT, which names the variable and what was expected.

#ifndef NEREID_PLUGINS_COMMON_ENVIRONMENT_H
#define NEREID_PLUGINS_COMMON_ENVIRONMENT_H

#include <cstdint>
#include <string>

namespace nereid::plugin {

/// Its value; empty if it is not set.
std::string readVariable(const char *name);

/// The folder in which the host keeps its cache (docs/cache.md); empty if there
/// is none.
std::string readCacheDirectory();

/// 0 or 1.
bool readSwitch(const char *name, bool byDefault);

/// A number from `least` to `most`; `what` is it in the message: "a number of
/// bytes".
uint64_t readNumber(const char *name, const char *what, uint64_t least,
                    uint64_t most, uint64_t byDefault);

/// Throws the Failure for a variable with an illegal value.
[[noreturn]] void refuseVariable(const char *name, const std::string &value,
                                 const std::string &expected);

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_ENVIRONMENT_H
