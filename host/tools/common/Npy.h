// Npy.h - numpy's .npy files, read with every length checked.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// numpy has no bf16 and no 8-bit floats: these are stored as uint16 and
// uint8, bit for bit. Unsigned integers are read as the signed ones of their
// width.

#ifndef NEREID_TOOLS_NPY_H
#define NEREID_TOOLS_NPY_H

#include "Array.h"

#include <optional>

namespace nereid::tools {

/// The header of a file.
struct NpyHeader {
  std::string descr; ///< "<f4"
  bool isFortranOrder;
  Shape shape;
  uint64_t dataOffset;
};

/// Reads the header at the start of \p bytes. Errors start with \p name.
Expected<NpyHeader> parseNpyHeader(std::string_view bytes,
                                   const std::string &name);

/// The array in \p bytes. \p wanted is the element type; without
/// it, the type in the header.
Expected<Array> parseNpy(std::string_view bytes, const std::string &name,
                         std::optional<DType> wanted = {});

/// The same for the file at \p path.
Expected<Array> readNpy(const std::string &path,
                        std::optional<DType> wanted = {});

/// The header to write before the bytes of \p array.
std::string npyHeader(const Array &array);

Expected<void> writeNpy(const std::string &path, const Array &array);

} // namespace nereid::tools

#endif // NEREID_TOOLS_NPY_H
