// CodeGen.cpp - the passes of code generation, in LLVM's order.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CodeGen.h"

#include "MachinePasses.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetLoweringObjectFile.h"

namespace nereid::cpu {

namespace {
/// Gives access to a protected function of LLVM.
struct OpenConfig : llvm::TargetPassConfig {
  using TargetPassConfig::addCoreISelPasses;
};
} // namespace

/// Like TargetPassConfig::addISelPasses, but with only those passes over LLVM
/// IR that level 0 has: the ones that lower something.
static bool addSelection(llvm::TargetPassConfig &config,
                         llvm::legacy::PassManagerBase &passes,
                         llvm::TargetMachine &machine) {
  passes.add(llvm::createTargetTransformInfoWrapperPass(
      machine.getTargetIRAnalysis()));
  passes.add(llvm::createPreISelIntrinsicLoweringPass());
  passes.add(llvm::createExpandLargeDivRemPass());
  passes.add(llvm::createExpandLargeFpConvertPass());
  // Loads from scratch may be reordered with stores to tensors.
  passes.add(llvm::createScopedNoAliasAAWrapperPass());

  llvm::CodeGenOptLevel level = machine.getOptLevel();
  machine.setOptLevel(llvm::CodeGenOptLevel::None);
  config.addIRPasses();
  machine.setOptLevel(level);

  config.addCodeGenPrepare();
  config.addPassesToHandleExceptions();
  config.addISelPrepare();
  return !(config.*&OpenConfig::addCoreISelPasses)();
}

/// Returns false if the machine cannot emit files of `type`.
static bool addPasses(llvm::legacy::PassManagerBase &passes,
                      llvm::TargetMachine &generic,
                      llvm::raw_pwrite_stream &out,
                      llvm::CodeGenFileType type) {
  auto &machine = static_cast<llvm::LLVMTargetMachine &>(generic);
  llvm::CodeGenOptLevel level = machine.getOptLevel();
  // The module was verified when it was generated or read.
  constexpr bool kDisableVerify = true;
  if (level == llvm::CodeGenOptLevel::None ||
      level == llvm::CodeGenOptLevel::Aggressive)
    return !machine.addPassesToEmitFile(passes, out, nullptr, type,
                                        kDisableVerify);

  auto *modules = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(kDisableVerify);
  passes.add(config);
  passes.add(modules);
  if (!addSelection(*config, passes, machine))
    return false;
  config->addMachinePasses();
  config->setInitialized();
  // Emission looks sections up here.
  const_cast<llvm::TargetLoweringObjectFile *>(machine.getObjFileLowering())
      ->Initialize(modules->getMMI().getContext(), machine);
  if (machine.addAsmPrinter(passes, out, nullptr, type,
                            modules->getMMI().getContext()))
    return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

llvm::Expected<std::unique_ptr<CodeGenerator>>
CodeGenerator::create(llvm::TargetMachine &machine,
                      llvm::CodeGenFileType type) {
  std::unique_ptr<CodeGenerator> out(new CodeGenerator);
  MachinePasses needed(out->passes, machine);
  if (!addPasses(needed, machine, out->stream, type))
    return llvm::createStringError("LLVM cannot write such a file for " +
                                   machine.getTargetTriple().str());
  return out;
}

Bytes CodeGenerator::run(llvm::Module &module) {
  passes.run(module);
  return std::exchange(file, {});
}

} // namespace nereid::cpu
