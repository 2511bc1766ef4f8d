// F16Compares.cpp - a workaround for how LLVM 19 selects comparisons of f16.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "F16Compares.h"

#include "Features.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace nereid::cpu {

void compareF16InF32(llvm::Module &module, const llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() || !hasFeature(machine, "avx512fp16"))
    return;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
      auto *type = compare ? llvm::dyn_cast<llvm::FixedVectorType>(
                                 compare->getOperand(0)->getType())
                           : nullptr;
      if (!type || !type->getElementType()->isHalfTy())
        continue;
      llvm::IRBuilder<> builder(compare);
      for (llvm::Use &operand : compare->operands())
        operand.set(builder.CreateFPExt(
            operand, type->getWithNewType(builder.getFloatTy())));
    }
}

} // namespace nereid::cpu
