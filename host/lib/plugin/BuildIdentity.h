// BuildIdentity.h - distinguishes builds of a plugin, for the kernel cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_BUILD_IDENTITY_H
#define NEREID_HOST_PLUGIN_BUILD_IDENTITY_H

#include <string>

namespace nereid::host {

/// Replaces the build id of the file at \p path, which has none: its size and
/// modification time.
std::string fileIdentity(const std::string &path);

/// The linker's build id of the program or library that contains \p address,
/// or its fileIdentity(); empty for anonymous memory.
std::string objectIdentity(const void *address);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_BUILD_IDENTITY_H
