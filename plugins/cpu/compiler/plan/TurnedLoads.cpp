// TurnedLoads.cpp - operands of products that are loaded with their dimensions
// exchanged.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/TurnedLoads.h"

#include "tile/MaskPlan.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

static bool isMatrix(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getRank() == 2;
}

static RankedTensorType turned(Type type) {
  auto tile = cast<RankedTensorType>(type);
  ArrayRef<int64_t> shape = tile.getShape();
  return tile.clone({shape[1], shape[0]});
}

namespace {
/// Computes tiles of two dimensions with these exchanged, each where the tile
/// is computed.
class Turner {
public:
  explicit Turner(MLIRContext *context) : builder(context) {}

  bool canTurn(Value tile) {
    auto [known, isNew] = turnable.try_emplace(tile, false);
    if (!isNew)
      return known->second;
    bool can = canTurnNew(tile);
    return turnable[tile] = can;
  }

  Value turn(Value tile) {
    if (Value known = results.lookup(tile))
      return known;
    Operation *op = tile.getDefiningOp();
    builder.setInsertionPointAfter(op);
    return results[tile] = build(op, turned(tile.getType()));
  }

  Value turn(tt::LoadOp load) {
    SmallVector<Value, 3> operands;
    for (Value operand : load->getOperands())
      operands.push_back(turn(operand));
    builder.setInsertionPointAfter(load);
    return clone(load, turned(load.getType()), operands);
  }

private:
  bool canTurnNew(Value tile) {
    Operation *op = tile.getDefiningOp();
    if (!op || !isMatrix(tile.getType()))
      return false;
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isa<SplatElementsAttr>(constant.getValue());
    if (isa<tt::SplatOp, tt::ExpandDimsOp, tt::TransOp>(op))
      return true;
    return (isa<tt::BroadcastOp>(op) || codegen::isElementOp(op)) &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return canTurn(operand); });
  }

  Value build(Operation *op, RankedTensorType type) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = cast<SplatElementsAttr>(constant.getValue());
      return builder.create<arith::ConstantOp>(op->getLoc(),
                                               value.resizeSplat(type));
    }
    if (auto expansion = dyn_cast<tt::ExpandDimsOp>(op))
      return builder.create<tt::ExpandDimsOp>(
          op->getLoc(), type, expansion.getSrc(), 1 - expansion.getAxis());
    if (auto transposition = dyn_cast<tt::TransOp>(op))
      return transposition.getSrc();
    SmallVector<Value, 3> operands(op->getOperands());
    if (!isa<tt::SplatOp>(op))
      for (Value &operand : operands)
        operand = turn(operand);
    builder.setInsertionPointAfter(op);
    return clone(op, type, operands);
  }

  Value clone(Operation *op, RankedTensorType type, ValueRange operands) {
    OperationState state(op->getLoc(), op->getName(), operands, {Type(type)},
                         op->getAttrDictionary().getValue());
    return builder.create(state)->getResult(0);
  }

  OpBuilder builder;
  DenseMap<Value, Value> results;
  DenseMap<Value, bool> turnable;
};
} // namespace

/// Is one product all that reads `tile`, or what conversions make of it?
static bool isForProducts(Value tile) {
  if (!tile.hasOneUse())
    return false;
  OpOperand &use = *tile.getUses().begin();
  Operation *user = use.getOwner();
  if (isa<tt::DotOp>(user))
    return use.getOperandNumber() < 2;
  return codegen::isElementOp(user) && user->getNumOperands() == 1 &&
         isForProducts(user->getResult(0));
}

/// How far apart the elements of `load` are along `axis`, in pieces of at least
/// `least` elements; none if not evenly.
static std::optional<codegen::Polynomial>
strideAlong(unsigned axis, tt::LoadOp load, int64_t least,
            codegen::TileForms &forms) {
  auto isReady = [](Value) { return true; };
  codegen::MaskPlanner planner(axis, forms, isReady);
  codegen::MaskedAccess access{load.getPtr(), load.getMask(),
                               codegen::identityMap(2)};
  planner.addConditions(access);
  planner.addDivisions(access, least);
  return planner.strideInPiece(access);
}

/// Whether vectors along the one stride had better be loaded than along the
/// other.
static bool isBetter(const std::optional<codegen::Polynomial> &one,
                     const std::optional<codegen::Polynomial> &other) {
  auto isOne = [](const std::optional<codegen::Polynomial> &stride) {
    std::optional<int64_t> known = stride ? stride->constant() : std::nullopt;
    return known == 1 || known == -1;
  };
  return isOne(one) ? !isOne(other) : one && !other;
}

static bool shouldTurn(tt::LoadOp load, codegen::TileForms &forms,
                       Turner &turner, const CpuModel &cpu) {
  if (!isMatrix(load.getType()) || load.getIsVolatile() ||
      !isForProducts(load.getResult()))
    return false;
  // Without pieces, the load is along its first dimension anyway.
  const codegen::TileForm *form = forms.of(load.getPtr());
  if (!form || !(form->termDims() & 1))
    return false;
  auto type = cast<RankedTensorType>(load.getType());
  unsigned bits = type.getElementTypeBitWidth();
  int64_t lanes = cpu.vectorBits / bits;
  if (type.getDimSize(0) < lanes || !cpu.hasMaskedAccesses(bits))
    return false;
  return isBetter(strideAlong(0, load, lanes, forms),
                  strideAlong(1, load, lanes, forms)) &&
         llvm::all_of(load->getOperands(),
                      [&](Value operand) { return turner.canTurn(operand); });
}

void turnLoads(tt::FuncOp kernel, const GenerateOptions &options) {
  codegen::TileForms forms;
  Turner turner(kernel.getContext());
  SmallVector<tt::LoadOp> loads;
  kernel.walk([&](tt::LoadOp load) {
    if (shouldTurn(load, forms, turner, options.cpu))
      loads.push_back(load);
  });
  for (tt::LoadOp load : loads) {
    Value result = turner.turn(load);
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfterValue(result);
    Value back = builder.create<tt::TransOp>(load.getLoc(), load.getType(),
                                             result, ArrayRef<int32_t>{1, 0});
    load.getResult().replaceAllUsesWith(back);
    load.erase();
  }
}

} // namespace nereid::cpu
