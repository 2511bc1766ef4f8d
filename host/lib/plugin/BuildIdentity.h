// BuildIdentity.h - tells builds of a plugin apart, for the cache of kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_BUILD_IDENTITY_H
#define NEREID_HOST_PLUGIN_BUILD_IDENTITY_H

#include <string>

namespace nereid::host {

/// Stands for the build id of the file at \p path, which has none: its size and
/// its time of change.
std::string fileIdentity(const std::string &path);

/// The linker's build id of the program or library that \p address lies in,
/// or its fileIdentity(); empty for memory of no file.
std::string objectIdentity(const void *address);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_BUILD_IDENTITY_H
