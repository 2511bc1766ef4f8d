// small_file.h - reads a file of the kernel that has a line or a few.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_SMALL_FILE_H
#define NEREID_CPU_SMALL_FILE_H

#include <string>

namespace nereid::cpu {

/// The text of the file at \p path; empty if it cannot be read. Without a
/// stream, whose locale and buffer take longer than the file.
std::string readSmallFile(const std::string &path);

} // namespace nereid::cpu

#endif // NEREID_CPU_SMALL_FILE_H
