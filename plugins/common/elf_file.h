// elf_file.h - checks of an ELF file before it is loaded.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_ELF_FILE_H
#define NEREID_PLUGINS_COMMON_ELF_FILE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace nereid::plugin {

/// What is wrong with `image` as a shared object for this machine, judged by
/// its header; empty if nothing is.
std::string elfProblem(std::string_view image);

/// Bytes of the segment that is loaded from the start of the file to the start
/// of the memory; 0 if there is none.
uint64_t elfFirstSegment(std::string_view image);

/// The GNU build id in hexadecimal; empty if there is none. All offsets are
/// checked against the size.
std::string elfBuildId(std::string_view image);

/// The same of the file at `path`, of which only headers and notes are read.
std::string elfBuildIdOfFile(const std::string &path);

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_ELF_FILE_H
