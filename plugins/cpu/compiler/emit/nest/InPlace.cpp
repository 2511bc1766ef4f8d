// InPlace.cpp - finds out whether an iteration may read the operand of a dot
// where it is in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

InPlaceTile emitInPlaceTile(Emitter &emitter, const Nest &nest,
                            const InPlaceOperand &operand) {
  return NestEmitter(emitter, nest).findInPlaceTile(operand);
}

InPlaceTile NestEmitter::findInPlaceTile(const InPlaceOperand &operand) {
  PolynomialScope polynomials(emitter);
  pushLevel(builder.GetInsertBlock());
  current.assign(nest.shape.size(), zero());
  llvm::Value *holds = builder.getTrue();
  auto require = [&](llvm::Value *value) {
    holds = at({holds, value}, [&] { return builder.CreateAnd(holds, value); });
  };
  auto indexIn = [&](Value tile, unsigned dim, bool isLast) {
    Indices indices(codegen::rankOf(tile), zero());
    if (isLast)
      indices[dim].base =
          emitter.i64(codegen::tileType(tile).getDimSize(dim) - 1);
    return indices;
  };
  for (const InPlaceOperand::Condition &condition : operand.conditions) {
    bool isUpper = condition.bound && condition.bound->isUpper;
    require(get(condition.condition,
                indexIn(condition.condition, condition.dim, isUpper))
                .value);
    if (!condition.bound)
      continue;
    for (const codegen::IntervalBound::Check &check : condition.bound->checks) {
      Value side = check.side ? condition.bound->rhs : condition.bound->lhs;
      llvm::Value *first =
          asI64(get(side, indexIn(side, condition.dim, false)));
      require(at({first}, [&] {
        return builder.CreateICmp(check.isUpper ? llvm::CmpInst::ICMP_SLE
                                                : llvm::CmpInst::ICMP_SGE,
                                  first, emitter.i64(check.limit));
      }));
    }
  }
  for (const InPlaceOperand::Wrap &wrap : operand.wraps) {
    llvm::Value *first =
        asI64(get(wrap.tensor, indexIn(wrap.tensor, wrap.dim, false)));
    llvm::Value *last =
        asI64(get(wrap.tensor, indexIn(wrap.tensor, wrap.dim, true)));
    // Both quotients are equal, and so are those between them.
    require(at({first, last}, [&] {
      return builder.CreateICmpEQ(builder.CreateSub(last, first),
                                  emitter.i64(wrap.span));
    }));
  }
  tt::LoadOp load = operand.load;
  if (operand.hasManyRows) {
    llvm::Value *row = emitter.polynomial(operand.stride);
    require(at({row}, [&] {
      llvm::Value *elements = emitter.i64(
          CpuModel::kSetDistance /
          Emitter::bytesOf(emitter.memoryType(getElementTypeOrSelf(load))));
      return builder.CreateICmpNE(builder.CreateURem(row, elements),
                                  emitter.i64(0));
    }));
  }
  Address address =
      addressOf(load.getPtr(), Indices(codegen::rankOf(load), zero()));
  insertAt(0);
  popLevel();
  return {holds, address.base};
}

} // namespace nereid::cpu
