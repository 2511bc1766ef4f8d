// InPlace.cpp - finds out whether a dot may read an operand, or write its sums,
// where they are in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

InPlaceTile emitInPlaceTile(Emitter &emitter, const Nest &nest,
                            const InPlaceOperand &operand) {
  return NestEmitter(emitter, nest).findInPlaceTile(operand);
}

llvm::Value *emitHoldEverywhere(Emitter &emitter, const Nest &nest,
                                ArrayRef<TileCondition> conditions) {
  return NestEmitter(emitter, nest).findWhetherAllHold(conditions);
}

/// The first index of `tile`.
Indices NestEmitter::firstIn(Value tile) {
  return Indices(codegen::rankOf(tile), zero());
}

llvm::Value *
NestEmitter::findWhetherAllHold(ArrayRef<TileCondition> conditions) {
  PolynomialScope polynomials(emitter);
  pushLevel(builder.GetInsertBlock());
  current.assign(nest.shape.size(), zero());
  llvm::Value *holds = allHold(conditions, [&](Value tile, unsigned dim, bool) {
    Indices indices = firstIn(tile);
    indices[dim].base =
        emitter.i64(codegen::tileType(tile).getDimSize(dim) - 1);
    return indices;
  });
  insertAt(0);
  popLevel();
  return holds;
}

/// An i1: are `conditions` true up to the index `lastIn(tile, dim, isOfRows)`?
llvm::Value *NestEmitter::allHold(
    ArrayRef<TileCondition> conditions,
    llvm::function_ref<Indices(Value, unsigned, bool)> lastIn) {
  llvm::Value *holds = builder.getTrue();
  auto require = [&](llvm::Value *value) {
    holds = at({holds, value}, [&] { return builder.CreateAnd(holds, value); });
  };
  for (const TileCondition &condition : conditions) {
    Value tile = condition.condition;
    bool isUpper = condition.bound && condition.bound->isUpper;
    require(get(tile, isUpper ? lastIn(tile, condition.dim, condition.isOfRows)
                              : firstIn(tile))
                .value);
    if (!condition.bound)
      continue;
    for (const codegen::IntervalBound::Check &check : condition.bound->checks) {
      Value side = check.side ? condition.bound->rhs : condition.bound->lhs;
      llvm::Value *first = asI64(get(side, firstIn(side)));
      require(at({first}, [&] {
        return builder.CreateICmp(check.isUpper ? llvm::CmpInst::ICMP_SLE
                                                : llvm::CmpInst::ICMP_SGE,
                                  first, emitter.i64(check.limit));
      }));
    }
  }
  return holds;
}

InPlaceTile NestEmitter::findInPlaceTile(const InPlaceOperand &operand) {
  PolynomialScope polynomials(emitter);
  pushLevel(builder.GetInsertBlock());
  current.assign(nest.shape.size(), zero());
  // The last that is read.
  bool hasLimit = operand.rows && !operand.mostRows;
  auto lastIn = [&](Value tile, unsigned dim, bool isOfRows) {
    Indices indices = firstIn(tile);
    llvm::Value *&last = indices[dim].base;
    last = emitter.i64(codegen::tileType(tile).getDimSize(dim) - 1);
    if (isOfRows && hasLimit) {
      llvm::Value *rows = emitter.scalar(operand.rows);
      last = at({rows}, [&] {
        llvm::Value *needed = builder.CreateSub(rows, emitter.i64(1));
        return emitter.smaller(emitter.larger(needed, emitter.i64(0)), last);
      });
    }
    return indices;
  };
  llvm::Value *holds = allHold(operand.conditions, lastIn);
  auto require = [&](llvm::Value *value) {
    holds = at({holds, value}, [&] { return builder.CreateAnd(holds, value); });
  };
  for (const InPlaceOperand::Wrap &wrap : operand.wraps) {
    Indices end = lastIn(wrap.tensor, wrap.dim, wrap.isOfRows);
    llvm::Value *first = asI64(get(wrap.tensor, firstIn(wrap.tensor)));
    llvm::Value *last = asI64(get(wrap.tensor, end));
    // Both quotients are equal, and so are those between them. What is clamped
    // below a positive number descends to 0, or stays there.
    if (wrap.below) {
      insertAt(0);
      llvm::Value *below = emitter.polynomial(*wrap.below);
      require(at({below},
                 [&] { return builder.CreateICmpSGT(below, emitter.i64(0)); }));
    }
    llvm::Value *steps = end[wrap.dim].base;
    require(at({first, last, steps}, [&] {
      return builder.CreateICmpEQ(
          builder.CreateSub(last, first),
          builder.CreateMul(steps, emitter.i64(wrap.stride)));
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
