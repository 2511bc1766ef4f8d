// GroupTest.cpp - operations of a subgroup.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using spv::Op;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(SpirvTest, VotesAndBallots) {
  Id predicate = boolInput(), value = input(b.intType(32));
  for (Id result :
       {b.elect(), b.all(predicate), b.any(predicate), b.allEqual(value)})
    EXPECT_EQ(b.typeOf(result), b.boolType());
  Id ballot = b.ballot(predicate);
  EXPECT_EQ(b.typeOf(ballot), b.vectorType(b.intType(32), 4));
  b.ballotBitCount(spv::GroupOperation::ExclusiveScan, ballot);
  finish();
}

TEST_F(SpirvTest, Shuffles) {
  Id lane = input(b.intType(32));
  for (TypeId type : {b.intType(32), b.floatType(32), b.boolType(),
                      b.vectorType(b.floatType(16), 2), b.intType(64)}) {
    Id value = type == b.boolType() ? boolInput() : input(type);
    for (Id result :
         {b.broadcast(value, b.u32(0)), b.broadcastFirst(value),
          b.shuffle(value, lane), b.shuffleXor(value, b.u32(1)),
          b.shuffleUp(value, b.u32(1)), b.shuffleDown(value, b.u32(1))})
      EXPECT_EQ(b.typeOf(result), type);
  }
  finish();
}

TEST_F(SpirvTest, ReductionsAndScans) {
  auto all = [&](Op op, Id value) {
    for (Id result :
         {b.reduce(op, value), b.inclusiveScan(op, value),
          b.exclusiveScan(op, value), b.clusteredReduce(op, value, 4)})
      EXPECT_EQ(b.typeOf(result), b.typeOf(value));
  };
  Id i = input(b.intType(32)), f = input(b.floatType(32)), p = boolInput();
  for (Op op : {Op::OpGroupNonUniformIAdd, Op::OpGroupNonUniformIMul,
                Op::OpGroupNonUniformSMin, Op::OpGroupNonUniformUMin,
                Op::OpGroupNonUniformSMax, Op::OpGroupNonUniformUMax,
                Op::OpGroupNonUniformBitwiseAnd, Op::OpGroupNonUniformBitwiseOr,
                Op::OpGroupNonUniformBitwiseXor})
    all(op, i);
  for (Op op : {Op::OpGroupNonUniformFAdd, Op::OpGroupNonUniformFMul,
                Op::OpGroupNonUniformFMin, Op::OpGroupNonUniformFMax})
    all(op, f);
  for (Op op : {Op::OpGroupNonUniformLogicalAnd, Op::OpGroupNonUniformLogicalOr,
                Op::OpGroupNonUniformLogicalXor})
    all(op, p);
  finish();
}

TEST_F(SpirvTest, ReductionsNeedNoClusters) {
  b.reduce(Op::OpGroupNonUniformIAdd, input(b.intType(32)));
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpCapability GroupNonUniformArithmetic"));
  EXPECT_THAT(text, Not(HasSubstr("GroupNonUniformClustered")));
}

} // namespace
} // namespace nereid::spirv
