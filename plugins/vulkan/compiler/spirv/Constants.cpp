// Constants.cpp - declares each constant once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Module.h"

#include <bit>

namespace nereid::spirv {

static uint64_t lowBits(uint64_t value, uint32_t bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

Id Module::constant(TypeId typeId, uint64_t bits) {
  Type info = type(typeId);
  if (!info.isScalar()) {
    reportMisuse("constant: the type is " + typeName(typeId) +
                 ", expected a scalar");
    return undef(typeId);
  }
  bits = lowBits(bits, bitsOf(info.scalar));
  const uint32_t words[] = {toWord(spv::Op::OpConstant), typeId.number,
                            uint32_t(bits), uint32_t(bits >> 32)};
  uint32_t &known = interned[words];
  if (known)
    return {known};
  note(info.arithmeticRule);
  Id id = {newNumber(typeId.number, static_cast<uint32_t>(constants.size()))};
  known = id.number;
  constants.push_back(bits);
  if (info.scalar == Scalar::Bool)
    append(globals, bits ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse,
           typeId, id);
  else if (bitsOf(info.scalar) == 64)
    append(globals, spv::Op::OpConstant, typeId, id, uint32_t(bits),
           uint32_t(bits >> 32));
  else
    append(globals, spv::Op::OpConstant, typeId, id, uint32_t(bits));
  return id;
}

Id Module::u32(uint32_t value) { return constant(intType(32), value); }

Id Module::f32(float value) {
  return constant(floatType(32), std::bit_cast<uint32_t>(value));
}

Id Module::f64(double value) {
  return constant(floatType(64), std::bit_cast<uint64_t>(value));
}

Id Module::constantComposite(TypeId typeId, List<Id> parts) {
  key.assign({toWord(spv::Op::OpConstantComposite), typeId.number});
  for (Id part : parts) {
    if (!isConstant(part))
      reportMisuse("constantComposite: a part of " + typeName(typeId) +
                   " is not a constant");
    key.push_back(part.number);
  }
  uint32_t &known = interned[key];
  if (known)
    return {known};
  note(type(typeId).arithmeticRule);
  Id id = {newNumber(typeId.number, isComposite)};
  known = id.number;
  LongInstruction declaration(globals, spv::Op::OpConstantComposite, typeId,
                              id);
  declaration << std::span<const Id>(parts);
  declaration.end();
  return id;
}

Id Module::constantSplat(TypeId typeId, Id value) {
  Type info = type(typeId);
  if (info.isScalar())
    return value;
  // A matrix is made from one value.
  size_t count = info.kind == TypeKind::Matrix ? 1 : info.count;
  const std::vector<Id> parts(count, value);
  return constantComposite(typeId, parts);
}

Id Module::null(TypeId typeId) {
  if (type(typeId).isScalar())
    return constant(typeId, 0);
  return declareConstant(typeId, spv::Op::OpConstantNull);
}

Id Module::undef(TypeId typeId) {
  return declareConstant(typeId, spv::Op::OpUndef);
}

Id Module::declareConstant(TypeId typeId, spv::Op op) {
  const uint32_t words[] = {toWord(op), typeId.number};
  uint32_t &known = interned[words];
  if (known)
    return {known};
  note(type(typeId).arithmeticRule);
  Id id = {newNumber(typeId.number, isComposite)};
  known = id.number;
  append(globals, op, typeId, id);
  return id;
}

Id Module::specConstant(TypeId typeId, uint64_t bits, uint32_t specId) {
  Type info = type(typeId);
  if (!info.isScalar()) {
    reportMisuse("specConstant: the type is " + typeName(typeId) +
                 ", expected a scalar");
    return undef(typeId);
  }
  const uint32_t words[] = {toWord(spv::Op::OpSpecConstant), specId};
  uint32_t &known = interned[words];
  if (known) {
    if (typeOf(Id{known}) != typeId)
      reportMisuse("specConstant: number " + std::to_string(specId) + " is " +
                   typeName(Id{known}) + ", and now " + typeName(typeId));
    return {known};
  }
  note(info.arithmeticRule);
  bits = lowBits(bits, bitsOf(info.scalar));
  Id id = newId(typeId);
  known = id.number;
  if (info.scalar == Scalar::Bool)
    append(globals,
           bits ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse,
           typeId, id);
  else if (bitsOf(info.scalar) == 64)
    append(globals, spv::Op::OpSpecConstant, typeId, id, uint32_t(bits),
           uint32_t(bits >> 32));
  else
    append(globals, spv::Op::OpSpecConstant, typeId, id, uint32_t(bits));
  decorate(id, spv::Decoration::SpecId, specId);
  return id;
}

std::optional<uint64_t> Module::constantBits(Id id) const {
  uint32_t index = ids[id.number].detail;
  if (index <= isComposite || !typeOf(id))
    return std::nullopt;
  return constants[index];
}

} // namespace nereid::spirv
