// HandleExpansion.h: replaces values of a handle type by their components.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_LIB_PASSES_HANDLEEXPANSION_H
#define NEREID_TTIR_LIB_PASSES_HANDLEEXPANSION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace nereid::tt {

/// Which components each handle has been replaced by.
using HandleMap = llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>>;

/// What a pass has to say about the handles that it removes.
class HandleExpander {
public:
  virtual ~HandleExpander() = default;

  /// The types of the components, or none when \p type is not a handle.
  virtual llvm::SmallVector<mlir::Type>
  getComponentTypes(mlir::Type type) const = 0;

  /// Replaces \p op, which makes or reads handles: puts the components of
  /// results that are handles into \p handles, replaces other results. \p op is
  /// erased later. \p builder stands before it.
  virtual mlir::LogicalResult rewrite(mlir::Operation *op, HandleMap &handles,
                                      mlir::OpBuilder &builder) = 0;
};

/// Has \p module values of a type that \p expander replaces?
bool hasHandles(mlir::ModuleOp module, const HandleExpander &expander);

/// Expands all handles in \p module, through function signatures, calls, scf,
/// branches and selects. On failure \p module is left half rewritten.
mlir::LogicalResult expandHandles(mlir::ModuleOp module,
                                  HandleExpander &expander);

} // namespace nereid::tt

#endif // NEREID_TTIR_LIB_PASSES_HANDLEEXPANSION_H
