// Kernels.h - what a pack's Python files declare, read without Python: the
// parameters of their functions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_KERNELS_H
#define NEREID_OPS_PACK_KERNELS_H

#include "support/Result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

struct Parameter {
  std::string name;
  bool isConstant = false; // annotated with constexpr
  bool hasDefault = false;
};

struct KernelFunction {
  std::vector<Parameter> parameters;
  bool isOpen = false; // takes others too: *args
};

using KernelFunctions = std::map<std::string, KernelFunction, std::less<>>;

/// The functions at the outer level of the Python source \p text.
KernelFunctions functionsOf(std::string_view text);

/// The text of the regular file \p path of at most 4 MiB.
host::Result<std::string> readText(const std::string &path);

class PackFiles;

/// The functions of files, each read once.
class KernelFiles {
public:
  explicit KernelFiles(const PackFiles &pack) : pack(pack) {}
  host::Result<const KernelFunctions *> of(const std::string &path);

private:
  const PackFiles &pack;
  std::map<std::string, KernelFunctions> files;
};

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_KERNELS_H
