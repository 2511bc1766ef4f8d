// Dialect.h: the `tt` dialect, with `ttg.barrier`, in C++.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_DIALECT_H
#define NEREID_TTIR_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "nereid/ttir/Types.h"

#include "nereid/ttir/TTDialect.h.inc"
#include "nereid/ttir/TTEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nereid/ttir/TTAttrs.h.inc"

namespace nereid::tt {

/// Most elements that a tensor may have.
constexpr int64_t kMaxTensorElements = 1 << 20;

/// The memory that pointers point to, the one resource of the dialect.
struct GlobalMemory : public mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

/// Checks the number of elements of every operand and result of \p op.
mlir::LogicalResult verifyTensorSize(mlir::Operation *op);

template <typename ConcreteType>
class TensorSizeTrait
    : public mlir::OpTrait::TraitBase<ConcreteType, TensorSizeTrait> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyTensorSize(op);
  }
};

} // namespace nereid::tt

#define GET_OP_CLASSES
#include "nereid/ttir/TTOps.h.inc"

#include "nereid/ttir/TTGDialect.h.inc"
#include "nereid/ttir/TTGEnums.h.inc"

#define GET_OP_CLASSES
#include "nereid/ttir/TTGOps.h.inc"

#endif // NEREID_TTIR_DIALECT_H
