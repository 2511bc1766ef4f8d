// Target.h - the LLVM target machine that is compiled for.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_TARGET_H
#define NEREID_CPU_COMPILER_BACKEND_TARGET_H

#include "CodeGen.h"
#include "Optimize.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace nereid::cpu {

/// The configuration that identifies a target machine.
struct TargetConfig {
  std::string arch;     ///< "x86_64", "aarch64"
  std::string cpu;      ///< LLVM's name, which it must know
  std::string tuneCpu;  ///< empty, or one unknown to LLVM: as `cpu`
  std::string features; ///< "+avx2,-fma"
  unsigned optLevel = 2;

  std::string key() const;
};

/// A target machine and the passes for it, used by one thread at a time: none
/// of them is thread-safe, and all are expensive to create.
struct Target {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<CodeGenerator> generator; // of objects; created when needed
  std::string tuneCpu;
  /// Features that the code may use and that the driver can check:
  /// "+avx2,+fma".
  std::string neededFeatures;
};

/// Returns its target to the pool for the next compilation.
class TargetLease {
public:
  TargetLease() = default;
  TargetLease(std::string key, std::unique_ptr<Target> target)
      : key(std::move(key)), target(std::move(target)) {}
  TargetLease(TargetLease &&) = default;
  TargetLease &operator=(TargetLease &&) = default;
  ~TargetLease();

  Target *operator->() const { return target.get(); }
  Target &operator*() const { return *target; }
  /// After a failure inside LLVM it may be in any state: it is never used or
  /// destroyed again.
  void abandon() { (void)target.release(); }

private:
  std::string key;
  std::unique_ptr<Target> target;
};

/// Leases a free target for `config`, or creates one. [any-thread]
llvm::Expected<TargetLease> leaseTarget(const TargetConfig &config);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_TARGET_H
