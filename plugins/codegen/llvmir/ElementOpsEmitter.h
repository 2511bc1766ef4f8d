// Shared by the parts of the element-wise emission; private to them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_LLVMIR_ELEMENTOPSEMITTER_H
#define NEREID_CODEGEN_LLVMIR_ELEMENTOPSEMITTER_H

#include "llvmir/ElementOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid::codegen {

/// Emits one operation. Each emit function returns an empty list for an
/// operation that is not of its kind.
class ElementEmitter {
public:
  using Values = llvm::SmallVector<llvm::Value *>;

  ElementEmitter(llvm::IRBuilderBase &builder, mlir::Operation *op,
                 llvm::ArrayRef<llvm::Value *> operands, unsigned lanes,
                 const ElementContext &context)
      : b(builder), op(op), operands(operands), lanes(lanes), context(context) {
  }

  Values emit();

private:
  Values emitInteger();
  Values emitDivision();
  Values emitFloat();
  Values emitFloatCast();
  Values emitPointer();
  Values emitConstantOp();
  Values emitLibraryCall();

  /// \p value in the lanes of the result.
  llvm::Value *splat(llvm::Value *value);
  /// Operand \p i in the lanes of the result.
  llvm::Value *vec(unsigned i) { return splat(operands[i]); }
  /// Operand \p i unchanged: a scalar if all lanes share it.
  llvm::Value *raw(unsigned i) { return operands[i]; }
  /// The type of the \p i th result in the lanes of the result.
  llvm::Type *resultType(unsigned i = 0);
  /// \p scalar for every lane.
  llvm::Type *withLanes(llvm::Type *scalar);
  /// A call of the intrinsic \p id that is overloaded on its first operand.
  llvm::Value *intrinsic(llvm::Intrinsic::ID id,
                         llvm::ArrayRef<llvm::Value *> arguments);
  /// \p value, an arbitrary value if it is poison.
  llvm::Value *freeze(llvm::Value *value);

  llvm::Value *select();
  llvm::Value *shift(llvm::Instruction::BinaryOps opcode);
  Values extendedMultiply(bool isSigned);

  llvm::Value *bf16ToF32(llvm::Value *value);
  llvm::Value *f32ToBf16(llvm::Value *value);
  llvm::Value *extendFloat(llvm::Value *value, llvm::Type *type);
  llvm::Value *truncateFloat(llvm::Value *value, llvm::Type *type);

  struct Division;
  llvm::Value *divideOrRemain(bool isSigned, bool wantRemainder);
  llvm::Value *quotientInF32(const Division &division);
  llvm::Value *quotientOfF64(llvm::Value *dividend, llvm::Value *divisor);
  llvm::Value *quotientInF64(const Division &division);
  llvm::Value *quotientOfFewBits(const Division &division);
  llvm::Value *unsignedQuotientOf64Bits(llvm::Value *dividend,
                                        llvm::Value *divisor);
  llvm::Value *quotientOf64Bits(const Division &division);
  llvm::Value *guardedDivisor(const Division &division);

  llvm::IRBuilderBase &b;
  mlir::Operation *op;
  llvm::ArrayRef<llvm::Value *> operands;
  unsigned lanes;
  const ElementContext &context;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_LLVMIR_ELEMENTOPSEMITTER_H
