// AtomicOps.cpp: which orders and types each atomic operation takes.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

static LogicalResult verifyOrder(Operation *op, MemSemantic sem,
                                 MemSemantic strong) {
  if (sem == MemSemantic::RELAXED || sem == strong)
    return success();
  return op->emitOpError("must be relaxed or ")
         << stringifyMemSemantic(strong) << ", found "
         << stringifyMemSemantic(sem);
}

static LogicalResult verifyScalarElement(Operation *op, Type type) {
  if (getElementTypeOrSelf(type).isIntOrFloat())
    return success();
  return op->emitOpError("needs integer or float elements, found ")
         << getElementTypeOrSelf(type);
}

LogicalResult AtomicLoadOp::verify() {
  if (failed(verifyOrder(*this, getSem(), MemSemantic::ACQUIRE)))
    return failure();
  return verifyScalarElement(*this, getType());
}

LogicalResult AtomicStoreOp::verify() {
  if (failed(verifyOrder(*this, getSem(), MemSemantic::RELEASE)))
    return failure();
  return verifyScalarElement(*this, getValue().getType());
}

LogicalResult AtomicPollOp::verify() {
  if (failed(verifyOrder(*this, getSem(), MemSemantic::ACQUIRE)))
    return failure();
  unsigned width = getElementBitWidth(getExpected().getType());
  if (width == 16 || width == 32 || width == 64)
    return success();
  return emitOpError("needs integers of 16, 32 or 64 bits, found i") << width;
}

LogicalResult AtomicRMWOp::verify() {
  RMWOp kind = getAtomicRmwOp();
  Type element = getElementTypeOrSelf(getType());
  if (kind == RMWOp::XCHG)
    return success();
  bool wantsFloat = kind == RMWOp::FADD;
  if (wantsFloat ? isa<FloatType>(element) : isa<IntegerType>(element))
    return success();
  return emitOpError() << stringifyRMWOp(kind) << " needs "
                       << (wantsFloat ? "float" : "integer")
                       << " elements, found " << element;
}
