// Dialect.cpp: the `tt` dialect and how it takes part in inlining.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nereid::tt;

#include "nereid/ttir/TTDialect.cpp.inc"
#include "nereid/ttir/TTEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nereid/ttir/TTAttrs.cpp.inc"

namespace nereid::tt {
void registerTTDialectOperations(TTDialect *dialect);
} // namespace nereid::tt

namespace {

struct TTInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable,
                       bool /*wouldBeCloned*/) const final {
    auto func = dyn_cast<FuncOp>(callable);
    return !func || !func.isNoInline();
  }
  bool isLegalToInline(Region *, Region *, bool /*wouldBeCloned*/,
                       IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool /*wouldBeCloned*/,
                       IRMapping &) const final {
    return true;
  }

  /// A callee of several blocks: its returns jump to \p next.
  void handleTerminator(Operation *op, Block *next) const final {
    auto ret = dyn_cast<ReturnOp>(op);
    if (!ret)
      return;
    OpBuilder builder(op);
    builder.create<cf::BranchOp>(op->getLoc(), next, ret.getSrcs());
    op->erase();
  }

  /// A callee of one block: what it returns takes the place of the results.
  void handleTerminator(Operation *op, ValueRange results) const final {
    auto ret = cast<ReturnOp>(op);
    assert(ret.getNumOperands() == results.size() && "verified by tt.return");
    for (auto [result, returned] : llvm::zip(results, ret.getSrcs()))
      result.replaceAllUsesWith(returned);
  }
};

} // namespace

void TTDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerTTDialectOperations(this);
  addInterfaces<TTInlinerInterface>();
}

void TTDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nereid/ttir/TTAttrs.cpp.inc"
      >();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// \p type breaks the rule on sizes: says how, naming \p what it is.
static LogicalResult verifySize(Operation *op, Type type, StringRef what,
                                unsigned number) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  if (!tensor.hasStaticShape())
    return op->emitOpError() << what << " " << number
                             << " needs a static shape, found " << tensor;
  // The product of many sizes may not fit: stop as soon as it is too large.
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size > kMaxTensorElements || elements * size > kMaxTensorElements)
      return op->emitOpError() << what << " " << number << " has more than "
                               << kMaxTensorElements << " elements: " << tensor;
    elements *= size;
  }
  if (!llvm::isPowerOf2_64(elements))
    return op->emitOpError()
           << what << " " << number << " has " << elements
           << " elements, expected a power of two: " << tensor;
  return success();
}

LogicalResult nereid::tt::verifyTensorSize(Operation *op) {
  for (auto [number, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(verifySize(op, type, "operand", number)))
      return failure();
  for (auto [number, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verifySize(op, type, "result", number)))
      return failure();
  return success();
}
