// Features.h - LLVM's features of a target machine, by name.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_FEATURES_H
#define NEREID_CPU_COMPILER_BACKEND_FEATURES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

namespace nereid::cpu {

/// Is LLVM's feature `name` ("avx2") on? MCSubtargetInfo::checkFeatures() would
/// parse it and copy all features: some 100,000 instructions each time.
inline bool hasFeature(const llvm::TargetMachine &machine,
                       llvm::StringRef name) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  llvm::ArrayRef<llvm::SubtargetFeatureKV> all = info.getAllProcessorFeatures();
  const auto *known = llvm::lower_bound(
      all, name, [](const llvm::SubtargetFeatureKV &one, llvm::StringRef key) {
        return llvm::StringRef(one.Key) < key;
      });
  return known != all.end() && name == known->Key &&
         info.getFeatureBits().test(known->Value);
}

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_FEATURES_H
