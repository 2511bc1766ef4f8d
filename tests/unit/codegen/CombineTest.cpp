// CombineTest.cpp - the table of combine regions against the operations.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tile/Combine.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"

namespace nereid::test {

using namespace mlir;
using codegen::Combine;
using codegen::CombineKind;
using codegen::combineOf;

class CombineTest : public testing::Test {
protected:
  CombineTest() : builder(&context) {
    context.loadDialect<arith::ArithDialect, tt::TTDialect>();
  }

  /// The region that applies `Op` to its arguments in this order.
  template <typename Op>
  Combine combine(Type type, unsigned left = 0, unsigned right = 1) {
    region = std::make_unique<Region>();
    Block &body = region->emplaceBlock();
    Location loc = builder.getUnknownLoc();
    body.addArguments({type, type}, {loc, loc});
    builder.setInsertionPointToStart(&body);
    Value result = builder.create<Op>(loc, body.getArgument(left),
                                      body.getArgument(right));
    builder.create<tt::ReduceReturnOp>(loc, result);
    return combineOf(*region);
  }

  /// The region that selects the argument for which `predicate` holds, or the
  /// first if that is NaN and the type has such.
  template <typename Comparison, typename Predicate>
  Combine select(Type type, Predicate predicate, unsigned left = 0) {
    region = std::make_unique<Region>();
    Block &body = region->emplaceBlock();
    Location loc = builder.getUnknownLoc();
    body.addArguments({type, type}, {loc, loc});
    builder.setInsertionPointToStart(&body);
    Value first = body.getArgument(left), second = body.getArgument(1 - left);
    Value take = builder.create<Comparison>(loc, predicate, first, second);
    if (isa<FloatType>(type)) {
      Value isNaN = builder.create<arith::CmpFOp>(
          loc, arith::CmpFPredicate::UNE, first, first);
      take = builder.create<arith::OrIOp>(loc, take, isNaN);
    }
    Value result = builder.create<arith::SelectOp>(loc, take, first, second);
    builder.create<tt::ReduceReturnOp>(loc, result);
    return combineOf(*region);
  }

  /// What `Op` makes of two constants, by its own folder, save that MLIR 19
  /// folds maxnumf and minnumf like maximumf and minimumf.
  template <typename Op> Attribute fold(TypedAttr a, TypedAttr b) {
    if constexpr (std::is_same_v<Op, arith::MaxNumFOp>)
      return FloatAttr::get(a.getType(), llvm::maxnum(number(a), number(b)));
    if constexpr (std::is_same_v<Op, arith::MinNumFOp>)
      return FloatAttr::get(a.getType(), llvm::minnum(number(a), number(b)));
    Block block;
    builder.setInsertionPointToStart(&block);
    Location loc = builder.getUnknownLoc();
    Value x = builder.create<arith::ConstantOp>(loc, a);
    Value y = builder.create<arith::ConstantOp>(loc, b);
    Operation *op = builder.create<Op>(loc, x, y);
    SmallVector<OpFoldResult> results;
    if (failed(op->fold({a, b}, results)) || results.empty())
      return {};
    if (auto value = dyn_cast<Value>(results.front()))
      return value == x ? a : b;
    return cast<Attribute>(results.front());
  }

  static APFloat number(TypedAttr attribute) {
    return cast<FloatAttr>(attribute).getValue();
  }

  template <typename Op> void check(ArrayRef<TypedAttr> values) {
    Combine known = combine<Op>(values.front().getType());
    ASSERT_NE(known.kind, CombineKind::Other);
    TypedAttr identity = known.identity(values.front().getType());
    ASSERT_TRUE(identity);
    EXPECT_TRUE(known.isIdempotent(identity));
    for (TypedAttr value : values) {
      EXPECT_EQ(fold<Op>(identity, value), value);
      EXPECT_EQ(fold<Op>(value, identity), value);
      EXPECT_EQ(known.isIdempotent(value), fold<Op>(value, value) == value);
    }
  }

  SmallVector<TypedAttr> floats(Type type) {
    SmallVector<TypedAttr> values;
    for (double value : {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, double(INFINITY),
                         -double(INFINITY)})
      values.push_back(builder.getFloatAttr(type, value));
    return values;
  }

  SmallVector<TypedAttr> integers(Type type) {
    SmallVector<TypedAttr> values;
    for (int64_t value : {0, 1, -1, 2, 127, -128})
      values.push_back(builder.getIntegerAttr(type, value));
    return values;
  }

  MLIRContext context;
  OpBuilder builder;
  std::unique_ptr<Region> region;
};

TEST_F(CombineTest, AgreesWithTheOperationsOnFloats) {
  for (Type type : {Type(builder.getF16Type()), Type(builder.getBF16Type()),
                    Type(builder.getF32Type()), Type(builder.getF64Type())}) {
    check<arith::AddFOp>(floats(type));
    check<arith::MulFOp>(floats(type));
    check<arith::MaximumFOp>(floats(type));
    check<arith::MinimumFOp>(floats(type));
    check<arith::MaxNumFOp>(floats(type));
    check<arith::MinNumFOp>(floats(type));
  }
}

TEST_F(CombineTest, TheExtremesOfATypeWithoutInfinitiesAreItsLargest) {
  Type type = builder.getFloat8E4M3FNType();
  SmallVector<TypedAttr> values;
  for (double value : {0.0, -0.0, 1.0, -1.0, 448.0, -448.0})
    values.push_back(builder.getFloatAttr(type, value));
  check<arith::MaximumFOp>(values);
  check<arith::MinimumFOp>(values);
}

TEST_F(CombineTest, AgreesWithTheOperationsOnIntegers) {
  for (unsigned bits : {8, 32, 64}) {
    Type type = builder.getIntegerType(bits);
    check<arith::AddIOp>(integers(type));
    check<arith::MulIOp>(integers(type));
    check<arith::AndIOp>(integers(type));
    check<arith::OrIOp>(integers(type));
    check<arith::XOrIOp>(integers(type));
    check<arith::MaxSIOp>(integers(type));
    check<arith::MinSIOp>(integers(type));
    check<arith::MaxUIOp>(integers(type));
    check<arith::MinUIOp>(integers(type));
  }
}

TEST_F(CombineTest, TakesTheArgumentsInEitherOrder) {
  Type type = builder.getF32Type();
  EXPECT_EQ(combine<arith::AddFOp>(type, 1, 0).kind, CombineKind::AddF);
}

TEST_F(CombineTest, KnowsSelectionsOfIntegers) {
  using Predicate = arith::CmpIPredicate;
  for (auto [predicate, kind] : {std::pair(Predicate::sgt, CombineKind::MaxSI),
                                 std::pair(Predicate::sle, CombineKind::MinSI),
                                 std::pair(Predicate::uge, CombineKind::MaxUI),
                                 std::pair(Predicate::ult, CombineKind::MinUI),
                                 std::pair(Predicate::ne, CombineKind::Other)})
    EXPECT_EQ(
        select<arith::CmpIOp>(builder.getI32Type(), predicate, /*left=*/1).kind,
        kind);
}

TEST_F(CombineTest, KnowsSelectionsOfFloats) {
  using Predicate = arith::CmpFPredicate;
  Type type = builder.getF32Type();
  Combine greater = select<arith::CmpFOp>(type, Predicate::OGT);
  EXPECT_EQ(greater.kind, CombineKind::GreaterF);
  EXPECT_FALSE(greater.isCommutative());
  EXPECT_EQ(greater.identity(type), builder.getFloatAttr(type, -INFINITY));
  Combine less = select<arith::CmpFOp>(type, Predicate::OLT);
  EXPECT_EQ(less.kind, CombineKind::LessF);
  EXPECT_EQ(less.identity(type), builder.getFloatAttr(type, INFINITY));
  // Of two zeros the second: the arguments are in order or it is another.
  EXPECT_EQ(select<arith::CmpFOp>(type, Predicate::OGT, /*left=*/1).kind,
            CombineKind::Other);
  EXPECT_EQ(select<arith::CmpFOp>(type, Predicate::UGT).kind,
            CombineKind::Other);
}

TEST_F(CombineTest, RefusesWhatDoesNotUseBothArguments) {
  Type type = builder.getI32Type();
  Combine square = combine<arith::MulIOp>(type, 1, 1);
  EXPECT_EQ(square.kind, CombineKind::Other);
  EXPECT_FALSE(square.identity(type));
  EXPECT_FALSE(square.isIdempotent(builder.getI32IntegerAttr(1)));
}

TEST_F(CombineTest, RefusesOtherOperations) {
  Type type = builder.getI32Type();
  EXPECT_EQ(combine<arith::SubIOp>(type).kind, CombineKind::Other);
}

TEST_F(CombineTest, KnowsWhoseOrderMatters) {
  combine<arith::AddFOp>(builder.getF32Type());
  EXPECT_TRUE(codegen::isRounded(*region));
  combine<arith::DivFOp>(builder.getF32Type());
  EXPECT_TRUE(codegen::isRounded(*region));
  combine<arith::MaxNumFOp>(builder.getF32Type());
  EXPECT_FALSE(codegen::isRounded(*region));
  combine<arith::AddIOp>(builder.getI32Type());
  EXPECT_FALSE(codegen::isRounded(*region));
}

} // namespace nereid::test
