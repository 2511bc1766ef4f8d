// Arithmetic.cpp - computes with scalars, vectors and matrices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Builder.h"
#include "Fold.h"

namespace nereid::spirv {

// Checks.

void Builder::reportDifferent(const char *name, Id x, Id y) {
  reportMisuse(std::string(name) + ": the types " + typeName(x) + " and " +
               typeName(y) + " differ");
}

void Builder::reportUnexpected(const char *name, Id x, const char *expected) {
  reportMisuse(std::string(name) + ": the operand is " + typeName(x) +
               ", expected " + expected);
}

bool Builder::haveSameShape(TypeId x, TypeId y) const {
  Type left = type(x), right = type(y);
  return left.isArithmetic() && left.kind == right.kind &&
         left.count == right.count && left.columns == right.columns &&
         left.use == right.use;
}

void Builder::expectSameShape(const char *name, Id x, TypeId to) {
  if (!haveSameShape(typeOf(x), to))
    reportMisuse(std::string(name) + ": from " + typeName(x) + " to " +
                 typeName(to));
}

TypeId Builder::boolLike(TypeId like) {
  Type info = type(like);
  if (info.kind == TypeKind::Vector)
    return vectorType(boolType(), info.count);
  return boolType();
}

// Integers.

/// The result, or none if an instruction is needed.
Id Builder::foldBinary(spv::Op op, Id x, Id y) {
  if (!isConstant(x) && !isConstant(y))
    return {};
  Type info = typeInfo(x);
  if (!info.isScalar())
    return {};
  std::optional<Folded> folded =
      fold(op, bitsOf(info.scalar), constantBits(x), constantBits(y));
  if (!folded)
    return {};
  switch (folded->result) {
  case FoldRule::Left:
    return x;
  case FoldRule::Right:
    return y;
  case FoldRule::Computed:
    return constant(typeOf(x), folded->bits);
  }
  return {};
}

Id Builder::binary(spv::Op op, const char *name, Id x, Id y) {
  expectSame(name, x, y);
  expectInteger(name, x);
  if (Id known = foldBinary(op, x, y))
    return known;
  return emitValue(op, typeOf(x), x, y);
}

Id Builder::unary(spv::Op op, const char *name, Id x) {
  expectInteger(name, x);
  return emitValue(op, typeOf(x), x);
}

Id Builder::shift(spv::Op op, const char *name, Id x, Id amount) {
  expectInteger(name, x);
  expectInteger(name, amount);
  expectSameShape(name, amount, typeOf(x));
  if (Id known = foldBinary(op, x, amount))
    return known;
  return emitValue(op, typeOf(x), x, amount);
}

Id Builder::bitFieldInsert(Id base, Id insert, Id offset, Id count) {
  expectInteger("bitFieldInsert", base);
  expectSame("bitFieldInsert", base, insert);
  return emitValue(spv::Op::OpBitFieldInsert, typeOf(base), base, insert,
                   offset, count);
}

Id Builder::bitFieldSExtract(Id base, Id offset, Id count) {
  expectInteger("bitFieldSExtract", base);
  return emitValue(spv::Op::OpBitFieldSExtract, typeOf(base), base, offset,
                   count);
}

Id Builder::bitFieldUExtract(Id base, Id offset, Id count) {
  expectInteger("bitFieldUExtract", base);
  return emitValue(spv::Op::OpBitFieldUExtract, typeOf(base), base, offset,
                   count);
}

Id Builder::extended(spv::Op op, const char *name, Id x, Id y) {
  expectSame(name, x, y);
  expectInteger(name, x);
  return emitValue(op, structType({typeOf(x), typeOf(x)}), x, y);
}

// Floating point.

/// Decorates \p result if contraction is not allowed.
Id Builder::exact(Id result) {
  if (!contracts)
    decorate(result, spv::Decoration::NoContraction);
  return result;
}

Id Builder::floating(spv::Op op, const char *name, Id x, Id y) {
  expectSame(name, x, y);
  expectArithmeticFloat(name, x);
  return exact(emitValue(op, typeOf(x), x, y));
}

Id Builder::fneg(Id x) {
  expectArithmeticFloat("fneg", x);
  return exact(emitValue(spv::Op::OpFNegate, typeOf(x), x));
}

Id Builder::fma(Id x, Id y, Id z) {
  expectSame("fma", x, y);
  expectSame("fma", x, z);
  expectArithmeticFloat("fma", x);
  Id result = glsl(GLSLstd450Fma, {x, y, z});
  // Else it may be a product that is rounded before the addition.
  decorate(result, spv::Decoration::NoContraction);
  return result;
}

Id Builder::classify(spv::Op op, const char *name, Id x) {
  expectArithmeticFloat(name, x);
  note(typeInfo(x).arithmeticRule);
  return emitValue(op, boolLike(typeOf(x)), x);
}

Id Builder::glsl(GLSLstd450 instruction, TypeId result, List<Id> operands) {
  for (Id operand : operands)
    note(typeInfo(operand).arithmeticRule);
  return emitList(spv::Op::OpExtInst, result, std::span<const Id>(operands),
                  instructionSet(), instruction);
}

// Comparison and choice.

Id Builder::compare(spv::Op op, const char *name, Id x, Id y) {
  expectSame(name, x, y);
  expectInteger(name, x);
  note(typeInfo(x).arithmeticRule);
  return emitValue(op, boolLike(typeOf(x)), x, y);
}

Id Builder::fcmp(spv::Op op, Id x, Id y) {
  expectSame("fcmp", x, y);
  expectArithmeticFloat("fcmp", x);
  if (op < spv::Op::OpFOrdEqual || op > spv::Op::OpFUnordGreaterThanEqual)
    reportMisuse("fcmp: opcode " + std::to_string(toWord(op)) +
                 " does not compare floating-point numbers");
  note(typeInfo(x).arithmeticRule);
  return emitValue(op, boolLike(typeOf(x)), x, y);
}

Id Builder::logical(spv::Op op, const char *name, Id x, Id y) {
  expectSame(name, x, y);
  expectBool(name, x);
  return emitValue(op, typeOf(x), x, y);
}

Id Builder::logicalNot(Id x) {
  expectBool("logicalNot", x);
  return emitValue(spv::Op::OpLogicalNot, typeOf(x), x);
}

Id Builder::select(Id condition, Id x, Id y) {
  expectSame("select", x, y);
  expectBool("select", condition);
  if (!typeInfo(condition).isScalar())
    expectSameShape("select", condition, typeOf(x));
  return emitValue(spv::Op::OpSelect, typeOf(x), condition, x, y);
}

// Conversions.

Id Builder::convertInt(spv::Op op, const char *name, bool isSigned, Id x,
                       TypeId to) {
  expectInteger(name, x);
  if (typeOf(x) == to)
    return x;
  expectSameShape(name, x, to);
  Type target = type(to);
  if (!isInteger(target.scalar))
    reportMisuse(std::string(name) + ": to " + typeName(to) +
                 ", expected integers");
  if (std::optional<uint64_t> known = constantBits(x);
      known && target.isScalar())
    return constant(to, convertInteger(*known, bitsOf(typeInfo(x).scalar),
                                       bitsOf(target.scalar), isSigned));
  return emitStorage(op, to, x);
}

Id Builder::uconvert(Id x, TypeId to) {
  return convertInt(spv::Op::OpUConvert, "uconvert", false, x, to);
}

Id Builder::uconvertToStored(Id x, TypeId to) {
  expectInteger("uconvertToStored", x);
  expectSameShape("uconvertToStored", x, to);
  return typeOf(x) == to ? x : emitStorage(spv::Op::OpUConvert, to, x);
}

Id Builder::sconvert(Id x, TypeId to) {
  return convertInt(spv::Op::OpSConvert, "sconvert", true, x, to);
}

Id Builder::fconvert(Id x, TypeId to) {
  expectFloat("fconvert", x);
  if (typeOf(x) == to)
    return x;
  expectSameShape("fconvert", x, to);
  if (!isFloat(type(to).scalar))
    reportMisuse("fconvert: to " + typeName(to) +
                 ", expected floating-point numbers");
  return emitStorage(spv::Op::OpFConvert, to, x);
}

Id Builder::convertFloat(spv::Op op, const char *name, Id x, TypeId to) {
  expectSameShape(name, x, to);
  note(typeInfo(x).arithmeticRule);
  return emitValue(op, to, x);
}

Id Builder::convertFToS(Id x, TypeId to) {
  expectFloat("convertFToS", x);
  return convertFloat(spv::Op::OpConvertFToS, "convertFToS", x, to);
}

Id Builder::convertFToU(Id x, TypeId to) {
  expectFloat("convertFToU", x);
  return convertFloat(spv::Op::OpConvertFToU, "convertFToU", x, to);
}

Id Builder::convertSToF(Id x, TypeId to) {
  expectInteger("convertSToF", x);
  return convertFloat(spv::Op::OpConvertSToF, "convertSToF", x, to);
}

Id Builder::convertUToF(Id x, TypeId to) {
  expectInteger("convertUToF", x);
  return convertFloat(spv::Op::OpConvertUToF, "convertUToF", x, to);
}

Id Builder::bitcast(Id x, TypeId to) {
  if (typeOf(x) == to)
    return x;
  auto bits = [](const Type &info) -> uint32_t {
    if (info.isPointer())
      return 64;
    // A bool has no representation in memory.
    return info.scalar == Scalar::Bool ? 0 : bitsOf(info.scalar) * info.count;
  };
  Type from = typeInfo(x), target = type(to);
  if (bits(from) == 0 || bits(from) != bits(target))
    reportMisuse("bitcast: from " + typeName(x) + " to " + typeName(to));
  note(from.arithmeticRule);
  // spirv-val counts what the pointer points to as well.
  if (target.isPointer())
    note(type(target.element).arithmeticRule);
  return emitValue(spv::Op::OpBitcast, to, x);
}

// Composites.

Id Builder::construct(TypeId typeId, List<Id> parts) {
  bool areConstant = true;
  for (Id part : parts)
    areConstant &= isConstant(part);
  if (areConstant)
    return constantComposite(typeId, parts);
  Type info = type(typeId);
  bool isFull =
      info.kind == TypeKind::Vector ||
      parts.size() == (info.kind == TypeKind::Matrix ? 1 : info.count);
  if (!isFull)
    reportMisuse("construct: " + std::to_string(parts.size()) + " parts of " +
                 typeName(typeId));
  return emitList(spv::Op::OpCompositeConstruct, typeId,
                  std::span<const Id>(parts));
}

Id Builder::splat(TypeId typeId, Id value) {
  Type info = type(typeId);
  if (info.isScalar())
    return value;
  if (info.element != typeOf(value))
    reportMisuse("splat: " + typeName(value) + " in " + typeName(typeId));
  const Id parts[] = {value, value, value, value};
  size_t count = info.kind == TypeKind::Matrix ? 1 : info.count;
  return construct(typeId, std::span(parts).first(count < 4 ? count : 4));
}

/// The type at \p indices inside \p typeId.
TypeId Builder::partType(const char *name, TypeId typeId,
                         List<uint32_t> indices) {
  TypeId part = typeId;
  for (uint32_t index : indices) {
    Type info = type(part);
    bool isInside = info.kind == TypeKind::Matrix || index < info.count;
    std::span<const TypeId> members = membersOf(part);
    TypeId inner = info.kind == TypeKind::Struct
                       ? (isInside ? members[index] : TypeId{})
                       : info.element;
    if (!isInside || !inner || info.isPointer()) {
      reportMisuse(std::string(name) + ": " + typeName(part) + " has no part " +
                   std::to_string(index));
      return part;
    }
    part = inner;
  }
  return part;
}

Id Builder::extract(Id composite, List<uint32_t> indices) {
  TypeId part = partType("extract", typeOf(composite), indices);
  return emitList(spv::Op::OpCompositeExtract, part,
                  std::span<const uint32_t>(indices), composite);
}

Id Builder::insert(Id part, Id composite, List<uint32_t> indices) {
  if (TypeId expected = partType("insert", typeOf(composite), indices);
      expected != typeOf(part))
    reportMisuse("insert: the part is " + typeName(part) + ", expected " +
                 typeName(expected));
  return emitList(spv::Op::OpCompositeInsert, typeOf(composite),
                  std::span<const uint32_t>(indices), part, composite);
}

Id Builder::extractDynamic(Id vector, Id index) {
  expectInteger("extractDynamic", index);
  if (typeInfo(vector).kind != TypeKind::Vector)
    reportUnexpected("extractDynamic", vector, "a vector");
  return emitValue(spv::Op::OpVectorExtractDynamic, typeInfo(vector).element,
                   vector, index);
}

Id Builder::insertDynamic(Id vector, Id part, Id index) {
  expectInteger("insertDynamic", index);
  if (typeInfo(vector).element != typeOf(part))
    reportDifferent("insertDynamic", vector, part);
  return emitValue(spv::Op::OpVectorInsertDynamic, typeOf(vector), vector, part,
                   index);
}

Id Builder::vectorShuffle(Id x, Id y, List<uint32_t> components) {
  Type left = typeInfo(x), right = typeInfo(y);
  if (left.kind != TypeKind::Vector || right.kind != TypeKind::Vector ||
      left.scalar != right.scalar)
    reportDifferent("vectorShuffle", x, y);
  for (uint32_t component : components)
    if (component >= left.count + right.count)
      reportMisuse("vectorShuffle: component " + std::to_string(component) +
                   " of " + typeName(x) + " and " + typeName(y));
  TypeId result =
      vectorType(left.element, static_cast<uint32_t>(components.size()));
  return emitList(spv::Op::OpVectorShuffle, result,
                  std::span<const uint32_t>(components), x, y);
}

} // namespace nereid::spirv
