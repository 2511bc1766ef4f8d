// One element-wise operation of TTIR as LLVM IR, on scalars or vectors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations have been rewritten by expandForBackend() (codegen/expand): there
// are no transcendental functions and no arithmetic on f16, bf16 or fp8.

#ifndef NEREID_CODEGEN_LLVMIR_ELEMENTOPS_H
#define NEREID_CODEGEN_LLVMIR_ELEMENTOPS_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "nereid/codegen/Expand.h"
#include "tile/Ops.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::codegen {

/// Options for the emission of an operation.
struct ElementContext {
  /// Fuses multiplications and additions that carry `fastmath<contract>`:
  /// expandForBackend() puts it on the kernel's own.
  bool fpFusion = true;
  /// The target has AVX512DQ and AVX512VL, whose instructions select the larger
  /// or smaller one of two numbers, and the number beside NaN.
  bool hasExtrema = false;
};

/// The LLVM type of one element of \p type, which may be a scalar or a tensor:
/// iN as iN, index as i64, f16, bf16, f32 and f64 as themselves, every fp8
/// kind as i8, a pointer as ptr. Null for any other type.
llvm::Type *convertElementType(mlir::Type type, llvm::LLVMContext &context);

/// Emits \p op on one element (\p lanes is 1) or on vectors of \p lanes.
///
/// An operand may be a scalar although \p lanes is more than 1: then all lanes
/// share its value, which results in better code than a splat for divisors,
/// shift amounts, base pointers and conditions. The results always have \p
/// lanes lanes. arith.constant and ub.poison have no operands; a constant that
/// is not a splat is an error, use emitConstant() on its elements.
///
/// Fails, with an error on \p op, if isElementOp() is false for it and for
/// types that the target does not support.
mlir::FailureOr<llvm::SmallVector<llvm::Value *>>
emitElementOp(llvm::IRBuilderBase &builder, mlir::Operation *op,
              llvm::ArrayRef<llvm::Value *> operands, unsigned lanes,
              const ElementContext &context);

/// The LLVM constant of one element: an IntegerAttr or a FloatAttr.
llvm::Constant *emitConstant(mlir::Attribute element,
                             llvm::LLVMContext &context);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_LLVMIR_ELEMENTOPS_H
