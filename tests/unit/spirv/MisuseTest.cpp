// MisuseTest.cpp - what does not fit is recorded, and nothing is assembled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

class MisuseTest : public SpirvTest {
protected:
  /// Expects the first misuse to be \p text.
  void expect(const std::string &text) {
    EXPECT_EQ(b.misuse(), text);
    b.ret();
    b.endFunction();
    EXPECT_TRUE(b.assemble().empty());
  }
};

TEST_F(MisuseTest, NamesBothTypes) {
  b.fadd(b.f32(1), b.f64(1));
  expect("fadd: the types f32 and f64 differ");
}

TEST_F(MisuseTest, NamesTheSourceLine) {
  b.setLocation({b.file("kernel.py"), 12, 5});
  b.iadd(b.u32(1), b.u64(1));
  expect("kernel.py:12:5: iadd: the types i32 and i64 differ");
}

TEST_F(MisuseTest, KeepsTheFirst) {
  b.fneg(b.u32(1));
  b.fadd(b.f32(1), b.f64(1));
  expect("fneg: the operand is i32, expected floating-point numbers");
}

TEST_F(MisuseTest, IntegersAreNotFloats) {
  b.iadd(b.f32(1), b.f32(1));
  expect("iadd: the operand is f32, expected integers");
}

TEST_F(MisuseTest, NarrowFloatsHaveNoArithmetic) {
  Id x = b.constant(b.scalarType(Scalar::BFloat16), 0x3f80);
  b.fmul(x, x);
  expect("fmul: the operand is bf16, expected f16, f32 or f64");
}

TEST_F(MisuseTest, NarrowFloatsHaveNoSign) {
  b.fneg(b.constant(b.scalarType(Scalar::E4M3), 0x38));
  expect("fneg: the operand is e4m3, expected f16, f32 or f64");
}

TEST_F(MisuseTest, StoresWhatThePointerPointsTo) {
  b.store(b.localVariable(b.floatType(32)), b.u32(1));
  expect("store: the types ptr<Function, f32> and i32 differ");
}

TEST_F(MisuseTest, LoadsThroughPointers) {
  b.load(b.u32(1));
  expect("load: the operand is i32, expected a pointer");
}

TEST_F(MisuseTest, DeviceAddressesNeedAnAlignment) {
  b.load(devicePointer(b.floatType(32)));
  expect("load: the access through ptr<PhysicalStorageBuffer, f32> has no "
         "alignment");
}

TEST_F(MisuseTest, PartsExist) {
  b.extract(input(b.vectorType(b.floatType(32), 2)), {2});
  expect("extract: vec2<f32> has no part 2");
}

TEST_F(MisuseTest, ScalarsHaveNoParts) {
  b.accessChain(b.localVariable(b.floatType(32)), {b.u32(0)});
  expect("accessChain: f32 has no parts");
}

TEST_F(MisuseTest, BitcastsKeepTheWidth) {
  b.bitcast(input(b.intType(32)), b.floatType(64));
  expect("bitcast: from i32 to f64");
}

TEST_F(MisuseTest, LoopValuesKeepTheirTypes) {
  b.beginLoop({b.u32(0)});
  b.loopCondition(b.boolean(true));
  b.endLoop({b.f32(0)});
  expect("endLoop: value 0 is f32, expected i32");
}

TEST_F(MisuseTest, ReductionsCombineTheirTypes) {
  b.reduce(spv::Op::OpGroupNonUniformFAdd, input(b.intType(32)));
  expect("reduce or scan: opcode 350 does not combine i32");
}

TEST_F(MisuseTest, MatricesFitTogether) {
  TypeId f16 = b.floatType(16);
  Id left = b.undef(b.matrixType(f16, 16, 8, MatrixUse::A));
  Id sum = b.undef(b.matrixType(f16, 16, 16, MatrixUse::Accumulator));
  b.matrixMulAdd(left, left, sum);
  expect("matrixMulAdd: matrix<f16, 16x8, A> * matrix<f16, 16x8, A> + "
         "matrix<f16, 16x16, +>");
}

TEST_F(MisuseTest, InstructionsAreInABlock) {
  Id x = input(b.intType(32));
  b.unreachable();
  b.ineg(x);
  EXPECT_EQ(b.misuse(), "an instruction after the end of a block");
}

TEST_F(MisuseTest, PhisComeFirst) {
  b.elect();
  b.phi(b.intType(32), 0);
  expect("phi: not at the start of a block");
}

TEST_F(MisuseTest, PhisAreComplete) {
  BlockId next = b.newBlock(), before = b.currentBlock();
  b.branch(next);
  b.beginBlock(next);
  b.addIncoming(b.phi(b.intType(32), 2), b.u32(0), before);
  b.ret();
  b.endFunction();
  EXPECT_EQ(b.misuse(), "endFunction: a phi of i32 lacks 1 incoming values");
}

TEST_F(MisuseTest, ConditionsAreScalars) {
  TypeId vector = b.vectorType(b.intType(32), 2);
  Id x = input(vector);
  b.beginIf(b.ieq(x, x));
  b.endIf();
  expect("branchConditional: the operand is vec2<bool>, expected a scalar "
         "bool");
}

TEST_F(MisuseTest, ElseAndEndNeedAnIf) {
  b.beginElse();
  expect("beginElse: no if is open");
}

TEST_F(MisuseTest, CallsMatchTheirFunction) {
  FunctionId callee = b.declareFunction(b.voidType(), {b.floatType(32)});
  b.call(callee, {b.u32(1)});
  expect("call: argument 0 is i32, expected f32");
}

TEST_F(MisuseTest, ParametersExist) {
  EXPECT_FALSE(b.parameter(kernel, 0));
  expect("parameter: function() -> void has no parameter 0");
}

TEST_F(MisuseTest, DeclaredFunctionsAreBuilt) {
  b.call(b.declareFunction(b.voidType(), {}), {});
  b.ret();
  b.endFunction();
  EXPECT_TRUE(b.assemble().empty());
  EXPECT_EQ(b.misuse(), "assemble: a function is declared and not built");
}

TEST_F(MisuseTest, FunctionsAreBuiltOnce) {
  b.ret();
  b.endFunction();
  b.beginFunction(kernel);
  expect("beginFunction: the function is built already");
}

TEST_F(MisuseTest, FunctionsAreEnded) {
  EXPECT_TRUE(b.assemble().empty());
  EXPECT_EQ(b.misuse(), "assemble: a function is not ended");
}

TEST_F(MisuseTest, CalledFunctionsAreDeclared) {
  b.call({}, {});
  expect("call: the function is not declared");
}

} // namespace
} // namespace nereid::spirv
