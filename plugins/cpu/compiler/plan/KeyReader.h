// KeyReader.h - the scalars that a value in a loop depends on.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_KEYREADER_H
#define NEREID_CPU_COMPILER_PLAN_KEYREADER_H

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace nereid::cpu {

/// Collects the scalars from before a loop that a value in it depends on, and
/// that may differ between programs.
class KeyReader {
public:
  KeyReader(mlir::scf::ForOp loop, llvm::SetVector<mlir::Value> &key)
      : loop(loop), key(key) {}

  /// Returns false if `value` depends on something else; the key is of no use
  /// then.
  bool visit(mlir::Value value);

private:
  mlir::scf::ForOp loop;
  llvm::SetVector<mlir::Value> &key;
  llvm::DenseSet<mlir::Value> seen;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_KEYREADER_H
