// ObjectFile.h - an archive as an object file, to link into a program.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The ELF file is written here: it is small and the same everywhere, and needs
// neither an assembler nor a linker for the machine that it is for.

#ifndef NEREID_TOOL_BUILD_OBJECTFILE_H
#define NEREID_TOOL_BUILD_OBJECTFILE_H

#include "Output.h"

namespace nereid::tool {

/// A relocatable object for \p arch, "x86_64" or "aarch64" (empty: this
/// machine), with \p bytes as PREFIX_nra up to PREFIX_nra_end.
Expected<std::string> objectFile(std::string_view bytes,
                                 const std::string &prefix,
                                 const std::string &arch);

/// A static library with one object that defines the same symbols.
std::string staticLibrary(const std::string &object, const std::string &prefix);

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_OBJECTFILE_H
