// MachinePasses.cpp - the passes that are left out, and why.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "MachinePasses.h"

#include "Features.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/Passes.h"

namespace nereid::cpu {

/// Comes after an allocation of tile registers, and only after that.
static constexpr llvm::StringLiteral kConfigureTiles =
    "Tile Register Configure";

/// Passes are known by the addresses of their IDs, those of targets by name.
static bool isOneOf(const llvm::Pass &pass,
                    llvm::ArrayRef<const char *> passes) {
  return llvm::is_contained(passes, pass.getPassID());
}

MachinePasses::MachinePasses(llvm::legacy::PassManagerBase &target,
                             const llvm::TargetMachine &machine)
    : target(target), isX86(machine.getTargetTriple().isX86()),
      hasTiles(isX86 && hasFeature(machine, "amx-tile")),
      hardensLoads(isX86 && hasFeature(machine, "lvi-load-hardening")) {}

bool MachinePasses::isNeeded(const llvm::Pass &pass) {
  // The processors that we tune for execute out of order.
  if (isOneOf(pass, {&llvm::MachineSchedulerID, &llvm::PostRASchedulerID}))
    return false;
  if (!isX86)
    return true;
  // They change no kernel of tests/data/kernels/bench, or nothing that counts.
  if (isOneOf(pass,
              {&llvm::DeadMachineInstructionElimID, &llvm::DetectDeadLanesID,
               &llvm::EarlyIfConverterID, &llvm::LiveRangeShrinkID,
               &llvm::MachineLICMID, &llvm::MachineLateInstrsCleanupID,
               &llvm::OptimizePHIsID, &llvm::PostRAMachineSinkingID,
               &llvm::RenameIndependentSubregsID, &llvm::ShrinkWrapID,
               &llvm::TailDuplicateID}))
    return false;
  // It moves the loads of a vector's lanes, each behind a condition, out of
  // line. The pass that orders the blocks folds branches, too.
  if (isOneOf(pass, {&llvm::BranchFolderPassID}))
    return false;
  // The second time it finds only what was spilled.
  if (isOneOf(pass, {&llvm::MachineCopyPropagationID}))
    return !std::exchange(hasCopyPropagation, true);
  llvm::StringRef name = pass.getPassName();
  if (name == "Tile Register Pre-configure" || name == kConfigureTiles)
    return hasTiles;
  if (name == "X86 Load Value Injection (LVI) Load Hardening")
    return hardensLoads;
  return name != "X86 Domain Reassignment Pass";
}

void MachinePasses::add(llvm::Pass *pass) {
  std::unique_ptr<llvm::Pass> owned(pass);
  if (allocation && pass->getPassName() != kConfigureTiles)
    target.add(allocation.release());
  allocation.reset();
  if (!isNeeded(*pass))
    return;
  if (isX86 && !hasTiles && isOneOf(*pass, {&llvm::RAGreedyID}))
    allocation = std::move(owned);
  else
    target.add(owned.release());
}

} // namespace nereid::cpu
