// Ops.cpp - the table of operations.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tile/Ops.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::codegen {

bool isElementOp(Operation *op) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return !isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
                arith::RemFOp>(op);
  if (isa<math::MathDialect>(op->getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
               math::CountLeadingZerosOp, math::CountTrailingZerosOp,
               math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundOp,
               math::Exp2Op, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
  return isa<ub::PoisonOp, tt::AddPtrOp, tt::BitcastOp, tt::ExternElementwiseOp,
             tt::IntToPtrOp, tt::PtrToIntOp>(op);
}

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// The properties that do not depend on types.
static TileOpInfo describe(Operation *op) {
  using Kind = TileOpKind;
  auto operand = [&](unsigned number) { return &op->getOpOperand(number); };
  auto last = [&](Value mask) {
    return mask ? operand(op->getNumOperands() - 1) : nullptr;
  };
  auto atomic = [&](Value mask, bool ownsResult) {
    return TileOpInfo{Kind::Serial, operand(0), last(mask), true, true,
                      ownsResult};
  };
  return llvm::TypeSwitch<Operation *, TileOpInfo>(op)
      .Case([&](tt::LoadOp load) {
        return TileOpInfo{Kind::Load, operand(0),
                          load.getMask() ? operand(1) : nullptr};
      })
      .Case([&](tt::StoreOp store) {
        return TileOpInfo{Kind::Store, operand(0),
                          store.getMask() ? operand(2) : nullptr, false, true};
      })
      .Case([&](tt::AtomicRMWOp op) { return atomic(op.getMask(), true); })
      .Case([&](tt::AtomicCASOp) { return atomic({}, true); })
      .Case([&](tt::AtomicLoadOp op) { return atomic(op.getMask(), true); })
      .Case([&](tt::AtomicStoreOp op) { return atomic(op.getMask(), false); })
      .Case([&](tt::AtomicPollOp) { return atomic({}, true); })
      .Case([&](tt::HistogramOp op) {
        return TileOpInfo{Kind::Serial,        nullptr, last(op.getMask()),
                          /*isAtomic=*/false, /*writes=*/false,
                          /*ownsResult=*/true};
      })
      .Case<tt::MapElementwiseOp>([](auto) {
        return TileOpInfo{Kind::Serial, nullptr, nullptr, false, false, true};
      })
      .Case<tt::AssertOp, tt::UnsplatOp>(
          [](auto) { return TileOpInfo{Kind::Serial}; })
      .Case<tt::ReduceOp>([](auto) {
        return TileOpInfo{Kind::Reduce, nullptr, nullptr, false, false, true};
      })
      .Case<tt::ScanOp>([](auto) {
        return TileOpInfo{Kind::Scan, nullptr, nullptr, false, false, true};
      })
      .Case<tt::DotOp>([](auto) {
        return TileOpInfo{Kind::Dot, nullptr, nullptr, false, false, true};
      })
      .Case<tt::PrintOp>([](auto) { return TileOpInfo{Kind::Print}; })
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp>(
          [](auto) { return TileOpInfo{Kind::Region}; })
      .Case<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp,
            tt::ReshapeOp, tt::MakeRangeOp, tt::JoinOp, tt::SplitOp, tt::CatOp,
            tt::GatherOp>([](auto) { return TileOpInfo{Kind::Expression}; })
      .Default([](Operation *op) {
        if (op->hasTrait<OpTrait::IsTerminator>())
          return TileOpInfo{Kind::Terminator};
        bool isExpression =
            op->hasTrait<OpTrait::ConstantLike>() || isElementOp(op);
        return TileOpInfo{isExpression ? Kind::Expression : Kind::Unknown};
      });
}

TileOpInfo infoOf(Operation *op) {
  TileOpInfo info = describe(op);
  if (info.kind != TileOpKind::Terminator && op->getNumRegions() == 0 &&
      llvm::none_of(op->getOperands(), isTile) &&
      llvm::none_of(op->getResults(), isTile))
    info.kind = TileOpKind::Scalar;
  return info;
}

} // namespace nereid::codegen
