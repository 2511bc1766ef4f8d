// PlainAtomics.cpp - atomic operations that need no lock.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/PlainAtomics.h"

#include "../image.h"

using namespace mlir;

namespace nereid::cpu {

bool mayBePlain(Operation *op, const GenerateOptions &options) {
  if (!options.fastPaths.has(FastPath::ExclusiveLaunches))
    return false;
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    return update.getScope() != tt::MemSyncScope::SYSTEM;
  auto swap = dyn_cast<tt::AtomicCASOp>(op);
  return swap && swap.getScope() != tt::MemSyncScope::SYSTEM;
}

void planPlainAtomics(tt::FuncOp kernel, const GenerateOptions &options,
                      KernelInfo &info) {
  bool hasPlain = kernel
                      .walk([&](Operation *op) {
                        return mayBePlain(op, options) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (hasPlain && info.flags & NEREID_CPU_KERNEL_NEVER_WAITS &&
      !(info.flags & NEREID_CPU_KERNEL_PRINTS))
    info.flags |= NEREID_CPU_KERNEL_PLAIN_ATOMICS;
}

} // namespace nereid::cpu
