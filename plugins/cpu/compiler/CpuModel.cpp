// CpuModel.cpp - what a CPU does by itself, for the rewrites that need to know.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CpuModel.h"

#include "nereid/codegen/Expand.h"

namespace nereid::cpu {

codegen::ExpandOptions expandOptionsFor(const llvm::TargetMachine &machine) {
  codegen::ExpandOptions options;
  auto has = [&](const char *feature) { return hasFeature(machine, feature); };
  if (machine.getTargetTriple().isX86()) {
    options.hasFma = has("fma") || has("avx512f");
    options.hasF16Conversions = has("f16c") || has("avx512f");
    options.hasF16Arithmetic = has("avx512fp16");
  } else if (machine.getTargetTriple().isAArch64()) {
    options.hasF16Arithmetic = has("fullfp16");
  }
  return options;
}

} // namespace nereid::cpu
