// Group.cpp - operations of a subgroup, and cooperative matrices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Builder.h"

#include <bit>

namespace nereid::spirv {

Id Builder::elect() {
  return emitValue(spv::Op::OpGroupNonUniformElect, boolType(), subgroup());
}

Id Builder::all(Id predicate) {
  expectBool("all", predicate);
  return emitValue(spv::Op::OpGroupNonUniformAll, boolType(), subgroup(),
                   predicate);
}

Id Builder::any(Id predicate) {
  expectBool("any", predicate);
  return emitValue(spv::Op::OpGroupNonUniformAny, boolType(), subgroup(),
                   predicate);
}

Id Builder::allEqual(Id value) {
  note(typeInfo(value).arithmeticRule);
  return emitValue(spv::Op::OpGroupNonUniformAllEqual, boolType(), subgroup(),
                   value);
}

Id Builder::ballot(Id predicate) {
  expectBool("ballot", predicate);
  return emitValue(spv::Op::OpGroupNonUniformBallot, vectorType(intType(32), 4),
                   subgroup(), predicate);
}

Id Builder::ballotBitCount(spv::GroupOperation operation, Id ballot) {
  if (typeOf(ballot) != vectorType(intType(32), 4))
    reportUnexpected("ballotBitCount", ballot, "vec4<i32>");
  return emitValue(spv::Op::OpGroupNonUniformBallotBitCount, intType(32),
                   subgroup(), operation, ballot);
}

Id Builder::broadcast(Id value, Id lane) {
  expectInteger("broadcast", lane);
  return emitValue(spv::Op::OpGroupNonUniformBroadcast, typeOf(value),
                   subgroup(), value, lane);
}

Id Builder::broadcastFirst(Id value) {
  return emitValue(spv::Op::OpGroupNonUniformBroadcastFirst, typeOf(value),
                   subgroup(), value);
}

Id Builder::shuffle(Id value, Id lane) {
  expectInteger("shuffle", lane);
  return emitValue(spv::Op::OpGroupNonUniformShuffle, typeOf(value), subgroup(),
                   value, lane);
}

Id Builder::shuffleXor(Id value, Id mask) {
  expectInteger("shuffleXor", mask);
  return emitValue(spv::Op::OpGroupNonUniformShuffleXor, typeOf(value),
                   subgroup(), value, mask);
}

Id Builder::shuffleUp(Id value, Id delta) {
  expectInteger("shuffleUp", delta);
  return emitValue(spv::Op::OpGroupNonUniformShuffleUp, typeOf(value),
                   subgroup(), value, delta);
}

Id Builder::shuffleDown(Id value, Id delta) {
  expectInteger("shuffleDown", delta);
  return emitValue(spv::Op::OpGroupNonUniformShuffleDown, typeOf(value),
                   subgroup(), value, delta);
}

/// Which elements an arithmetic operation of a subgroup combines.
static bool combines(spv::Op op, Scalar scalar) {
  switch (op) {
  case spv::Op::OpGroupNonUniformFAdd:
  case spv::Op::OpGroupNonUniformFMul:
  case spv::Op::OpGroupNonUniformFMin:
  case spv::Op::OpGroupNonUniformFMax:
    return isFloat(scalar) && !isStorageFloat(scalar);
  case spv::Op::OpGroupNonUniformLogicalAnd:
  case spv::Op::OpGroupNonUniformLogicalOr:
  case spv::Op::OpGroupNonUniformLogicalXor:
    return scalar == Scalar::Bool;
  default:
    return op >= spv::Op::OpGroupNonUniformIAdd &&
           op <= spv::Op::OpGroupNonUniformBitwiseXor && isInteger(scalar);
  }
}

Id Builder::group(spv::Op op, spv::GroupOperation operation, Id value) {
  if (!combines(op, typeInfo(value).scalar))
    reportMisuse("reduce or scan: opcode " + std::to_string(toWord(op)) +
                 " does not combine " + typeName(value));
  note(findRequirement(Subject::GroupOperation, operation));
  return emitValue(op, typeOf(value), subgroup(), operation, value);
}

Id Builder::reduce(spv::Op op, Id value) {
  return group(op, spv::GroupOperation::Reduce, value);
}

Id Builder::inclusiveScan(spv::Op op, Id value) {
  return group(op, spv::GroupOperation::InclusiveScan, value);
}

Id Builder::exclusiveScan(spv::Op op, Id value) {
  return group(op, spv::GroupOperation::ExclusiveScan, value);
}

Id Builder::clusteredReduce(spv::Op op, Id value, uint32_t size) {
  constexpr auto operation = spv::GroupOperation::ClusteredReduce;
  if (!combines(op, typeInfo(value).scalar) || !std::has_single_bit(size))
    reportMisuse("clusteredReduce: opcode " + std::to_string(toWord(op)) +
                 " does not combine " + std::to_string(size) + " of " +
                 typeName(value));
  note(findRequirement(Subject::GroupOperation, operation));
  return emitValue(op, typeOf(value), subgroup(), operation, value, u32(size));
}

// Cooperative matrices.

Id Builder::matrixLoad(TypeId matrix, Id pointer, MatrixLayout layout,
                       Id stride, const MemoryAccess &access) {
  if (type(matrix).kind != TypeKind::Matrix)
    reportMisuse("matrixLoad: the type is " + typeName(matrix) +
                 ", expected a matrix");
  expectPointer("matrixLoad", pointer);
  expectInteger("matrixLoad", stride);
  AccessOperands operands =
      accessOperands("matrixLoad", pointer, access, Direction::Load);
  return emitList(newer::OpCooperativeMatrixLoadKHR, matrix,
                  std::span<const uint32_t>(operands), pointer,
                  u32(toWord(layout)), stride);
}

void Builder::matrixStore(Id pointer, Id matrix, MatrixLayout layout, Id stride,
                          const MemoryAccess &access) {
  if (typeInfo(matrix).kind != TypeKind::Matrix)
    reportUnexpected("matrixStore", matrix, "a matrix");
  expectPointer("matrixStore", pointer);
  expectInteger("matrixStore", stride);
  AccessOperands operands =
      accessOperands("matrixStore", pointer, access, Direction::Store);
  Id layoutId = u32(toWord(layout));
  prepare(newer::OpCooperativeMatrixStoreKHR);
  LongInstruction instruction(code, newer::OpCooperativeMatrixStoreKHR, pointer,
                              matrix, layoutId, stride);
  instruction << std::span<const uint32_t>(operands);
  instruction.end();
}

Id Builder::matrixMulAdd(Id a, Id b, Id c, uint32_t operands) {
  Type left = typeInfo(a), right = typeInfo(b), sum = typeInfo(c);
  bool fits = left.kind == TypeKind::Matrix && left.use == MatrixUse::A &&
              right.kind == TypeKind::Matrix && right.use == MatrixUse::B &&
              sum.kind == TypeKind::Matrix &&
              sum.use == MatrixUse::Accumulator && left.count == sum.count &&
              right.columns == sum.columns && left.columns == right.count;
  if (!fits)
    reportMisuse("matrixMulAdd: " + typeName(a) + " * " + typeName(b) + " + " +
                 typeName(c));
  if (operands == matrixOperands::none)
    return emitValue(newer::OpCooperativeMatrixMulAddKHR, typeOf(c), a, b, c);
  return emitValue(newer::OpCooperativeMatrixMulAddKHR, typeOf(c), a, b, c,
                   operands);
}

Id Builder::matrixTimesScalar(Id matrix, Id scalar) {
  if (typeInfo(matrix).kind != TypeKind::Matrix ||
      typeInfo(matrix).element != typeOf(scalar))
    reportDifferent("matrixTimesScalar", matrix, scalar);
  return emitValue(spv::Op::OpMatrixTimesScalar, typeOf(matrix), matrix,
                   scalar);
}

Id Builder::matrixLength(TypeId matrix) {
  if (type(matrix).kind != TypeKind::Matrix)
    reportMisuse("matrixLength: the type is " + typeName(matrix) +
                 ", expected a matrix");
  return emitValue(newer::OpCooperativeMatrixLengthKHR, intType(32), matrix);
}

} // namespace nereid::spirv
