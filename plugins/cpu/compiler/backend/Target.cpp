// Target.cpp - a pool of target machines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Target.h"

#include "../../cpu_features.h"
#include "backend/Features.h"
#include "kernel/ForkSafeMutex.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>
#include <unordered_map>
#include <vector>

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64Target();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64AsmPrinter();
void LLVMInitializeAArch64AsmParser();
}

namespace nereid::cpu {

std::string TargetConfig::key() const {
  return arch + ";" + cpu + ";" + tuneCpu + ";" + features + ";" +
         std::to_string(optLevel);
}

static void initializeX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
}

static void initializeAArch64() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
  });
}

static llvm::Expected<const llvm::Target *> findTarget(llvm::StringRef arch,
                                                       std::string &triple) {
  if (arch == "x86_64")
    initializeX86();
  else if (arch == "aarch64")
    initializeAArch64();
  else
    return llvm::createStringError("unknown architecture '" + arch +
                                   "', expected x86_64 or aarch64");
  triple = arch.str() + "-unknown-linux-gnu";
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return llvm::createStringError(message);
  return target;
}

/// LLVM only warns, on standard error, about unknown names.
static llvm::Error checkNames(const llvm::MCSubtargetInfo &info,
                              const TargetConfig &config) {
  if (!info.isCPUStringValid(config.cpu))
    return llvm::createStringError("unknown CPU '" + config.cpu + "' for " +
                                   config.arch);
  llvm::SubtargetFeatures wanted(config.features);
  for (const std::string &feature : wanted.getFeatures()) {
    llvm::StringRef name = llvm::SubtargetFeatures::StripFlag(feature);
    bool known = llvm::any_of(info.getAllProcessorFeatures(),
                              [&](const auto &one) { return name == one.Key; });
    if (!known || !llvm::SubtargetFeatures::hasFlag(feature))
      return llvm::createStringError("unknown CPU feature '" + feature +
                                     "' for " + config.arch +
                                     ", expected +name or -name");
  }
  return llvm::Error::success();
}

namespace {
struct Requirement {
  llvm::StringLiteral feature;
  bool isOn;
};
} // namespace

/// Features that LLVM's code generators assume where a function returns a
/// float; without them they end in a fatal error or a crash.
static llvm::ArrayRef<Requirement> requirementsOf(const llvm::Triple &triple) {
  static constexpr Requirement kX86[] = {{"64bit", true},
                                         {"64bit-mode", true},
                                         {"32bit-mode", false},
                                         {"16bit-mode", false},
                                         {"sse2", true},
                                         {"soft-float", false}};
  static constexpr Requirement kAArch64[] = {{"fp-armv8", true},
                                             {"neon", true}};
  if (triple.isX86())
    return kX86;
  return kAArch64;
}

/// Reports known CPUs and features for which no kernel can be compiled.
static llvm::Error checkSupported(const llvm::TargetMachine &machine,
                                  const TargetConfig &config) {
  for (const Requirement &requirement :
       requirementsOf(machine.getTargetTriple()))
    if (hasFeature(machine, requirement.feature) != requirement.isOn)
      return llvm::createStringError(
          "CPU '" + config.cpu + "' with these features " +
          (requirement.isOn ? "lacks '" : "has '") + requirement.feature +
          "', which kernels for " + config.arch +
          (requirement.isOn ? " need" : " cannot use"));
  return llvm::Error::success();
}

/// The features that the driver must check before it loads an image.
static std::string neededFeatures(const llvm::TargetMachine &machine) {
  std::string needed;
  auto addAll = [&](const auto &features) {
    for (const auto &feature : features)
      if (hasFeature(machine, feature.name))
        needed += std::string(needed.empty() ? "+" : ",+") + feature.name;
  };
  if (machine.getTargetTriple().isX86())
    addAll(kX86Features);
  else
    addAll(kArmFeatures);
  return needed;
}

static llvm::CodeGenOptLevel codeGenLevel(unsigned level) {
  switch (level) {
  case 0:
    return llvm::CodeGenOptLevel::None;
  case 1:
    return llvm::CodeGenOptLevel::Less;
  case 2:
    return llvm::CodeGenOptLevel::Default;
  default:
    return llvm::CodeGenOptLevel::Aggressive;
  }
}

static llvm::Expected<std::unique_ptr<Target>>
makeTarget(const TargetConfig &config) {
  std::string triple;
  auto target = findTarget(config.arch, triple);
  if (!target)
    return target.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> names(
      (*target)->createMCSubtargetInfo(triple, "", ""));
  if (llvm::Error error = checkNames(*names, config))
    return std::move(error);

  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  auto out = std::make_unique<Target>();
  out->machine.reset((*target)->createTargetMachine(
      triple, config.cpu, config.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, codeGenLevel(config.optLevel)));
  if (!out->machine)
    return llvm::createStringError("LLVM cannot generate code for " + triple);
  if (llvm::Error error = checkSupported(*out->machine, config))
    return std::move(error);
  out->neededFeatures = neededFeatures(*out->machine);
  if (!config.tuneCpu.empty() && names->isCPUStringValid(config.tuneCpu))
    out->tuneCpu = config.tuneCpu;
  out->optimizer = std::make_unique<Optimizer>(*out->machine, config.optLevel);
  return out;
}

namespace {
struct Pool {
  std::unordered_map<std::string, std::vector<std::unique_ptr<Target>>> idle;
};
} // namespace

static codegen::ForkSafeMutex poolMutex;

/// Never destroyed: LLVM's own statics may be destroyed first.
static Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

llvm::Expected<TargetLease> leaseTarget(const TargetConfig &config) {
  std::string key = config.key();
  {
    std::lock_guard lock(poolMutex);
    auto &idle = pool().idle[key];
    if (!idle.empty()) {
      TargetLease lease(key, std::move(idle.back()));
      idle.pop_back();
      return lease;
    }
  }
  auto target = makeTarget(config);
  if (!target)
    return target.takeError();
  return TargetLease(std::move(key), std::move(*target));
}

TargetLease::~TargetLease() {
  if (!target)
    return;
  std::lock_guard lock(poolMutex);
  pool().idle[key].push_back(std::move(target));
}

} // namespace nereid::cpu
