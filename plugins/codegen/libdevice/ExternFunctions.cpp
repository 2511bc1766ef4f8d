// The external functions that kernels may call, as data.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ExternFunctions.h"

namespace nereid::codegen {

#define FUNCTION(name, symbol, result, operands, expansion)                    \
  {#name, symbol, result, operands},

static constexpr ExternFunction kFunctions[] = {
#include "ExternFunctions.def"
};

ExternFunctions externFunctions() {
  return {kFunctions, sizeof kFunctions / sizeof kFunctions[0]};
}

} // namespace nereid::codegen
