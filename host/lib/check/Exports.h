// Exports.h - what a shared object exports.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CHECK_EXPORTS_H
#define NEREID_HOST_CHECK_EXPORTS_H

#include <string>
#include <vector>

namespace nereid::host {

/// The names that the shared object at \p path exports; empty if it cannot be
/// mapped. Runs its constructors and trusts what the linker wrote, so it is
/// for a child process.
std::vector<std::string> exportedSymbols(const std::string &path);

} // namespace nereid::host

#endif // NEREID_HOST_CHECK_EXPORTS_H
