// Types.cpp - declares each type once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Module.h"

namespace nereid::spirv {

/// Declares \p type unless the key, which the caller has set up, is known.
template <typename... Operands>
TypeId Module::declareType(const Type &type, spv::Op op, Operands... operands) {
  const uint32_t words[] = {toWord(op), toWord(type.stride),
                            toWord(operands)...};
  uint32_t &known = interned[words];
  if (known)
    return {known};
  TypeId id = {newNumber(0, static_cast<uint32_t>(types.size()))};
  known = id.number;
  types.push_back(type);
  append(globals, op, id, operands...);
  return id;
}

TypeId Module::voidType() {
  return declareType({.kind = TypeKind::Void}, spv::Op::OpTypeVoid);
}

TypeId Module::scalarType(Scalar scalar) {
  TypeId &known = scalarTypes[static_cast<size_t>(scalar)];
  if (known)
    return known;
  Type type = {.kind = TypeKind::Scalar, .scalar = scalar};
  type.arithmeticRule = findRequirement(Subject::Arithmetic, scalar);
  note(findRequirement(Subject::Declared, scalar));
  if (type.arithmeticRule)
    smallTypes.push_back({type.arithmeticRule, location()});
  switch (scalar) {
  case Scalar::None:
    reportMisuse("scalarType: none is not a type");
    return {};
  case Scalar::Bool:
    return known = declareType(type, spv::Op::OpTypeBool);
  case Scalar::I8:
  case Scalar::I16:
  case Scalar::I32:
  case Scalar::I64:
    return known = declareType(type, spv::Op::OpTypeInt, bitsOf(scalar), 0u);
  case Scalar::F16:
  case Scalar::F32:
  case Scalar::F64:
    return known = declareType(type, spv::Op::OpTypeFloat, bitsOf(scalar));
  case Scalar::BFloat16:
    return known = declareType(type, spv::Op::OpTypeFloat, 16u,
                               FloatEncoding::BFloat16);
  case Scalar::E4M3:
    return known =
               declareType(type, spv::Op::OpTypeFloat, 8u, FloatEncoding::E4M3);
  case Scalar::E5M2:
    return known =
               declareType(type, spv::Op::OpTypeFloat, 8u, FloatEncoding::E5M2);
  }
  return {};
}

TypeId Module::intType(uint32_t bits) {
  switch (bits) {
  case 8:
    return scalarType(Scalar::I8);
  case 16:
    return scalarType(Scalar::I16);
  case 32:
    return scalarType(Scalar::I32);
  case 64:
    return scalarType(Scalar::I64);
  }
  reportMisuse("intType: " + std::to_string(bits) +
               " bits, expected 8, 16, 32 or 64");
  return scalarType(Scalar::I32);
}

TypeId Module::floatType(uint32_t bits) {
  switch (bits) {
  case 16:
    return scalarType(Scalar::F16);
  case 32:
    return scalarType(Scalar::F32);
  case 64:
    return scalarType(Scalar::F64);
  }
  reportMisuse("floatType: " + std::to_string(bits) +
               " bits, expected 16, 32 or 64");
  return scalarType(Scalar::F32);
}

TypeId Module::vectorType(TypeId element, uint32_t count) {
  if (!type(element).isScalar() || count < 2 || count > 4)
    reportMisuse("vectorType: " + std::to_string(count) + " of " +
                 typeName(element) + ", expected 2 to 4 scalars");
  Type vector = {.kind = TypeKind::Vector,
                 .scalar = type(element).scalar,
                 .arithmeticRule = type(element).arithmeticRule,
                 .count = count,
                 .element = element};
  return declareType(vector, spv::Op::OpTypeVector, element, count);
}

TypeId Module::arrayType(TypeId element, uint32_t count, uint32_t stride) {
  Id length = u32(count);
  size_t before = types.size();
  TypeId array = declareType({.kind = TypeKind::Array,
                              .count = count,
                              .element = element,
                              .stride = stride},
                             spv::Op::OpTypeArray, element, length);
  if (types.size() != before && stride)
    decorate(array, spv::Decoration::ArrayStride, stride);
  return array;
}

TypeId Module::runtimeArrayType(TypeId element, uint32_t stride) {
  size_t before = types.size();
  TypeId array = declareType(
      {.kind = TypeKind::RuntimeArray, .element = element, .stride = stride},
      spv::Op::OpTypeRuntimeArray, element);
  if (types.size() != before && stride)
    decorate(array, spv::Decoration::ArrayStride, stride);
  return array;
}

TypeId Module::structType(List<TypeId> members) {
  std::vector<Member> list;
  for (TypeId member : members)
    list.push_back({member, 0});
  return structure(list, false, false);
}

TypeId Module::layoutType(List<Member> members, bool isBlock) {
  return structure(members, true, isBlock);
}

TypeId Module::structure(List<Member> members, bool hasLayout, bool isBlock) {
  key.assign({toWord(spv::Op::OpTypeStruct), hasLayout, isBlock});
  for (const Member &member : members)
    key.insert(key.end(), {member.type.number, member.offset});
  uint32_t &known = interned[key];
  if (known)
    return {known};
  TypeId id = {newNumber(0, static_cast<uint32_t>(types.size()))};
  known = id.number;
  types.push_back({.kind = TypeKind::Struct,
                   .count = static_cast<uint32_t>(members.size()),
                   .firstMember = static_cast<uint32_t>(memberTypes.size()),
                   .isBlock = isBlock});
  LongInstruction declaration(globals, spv::Op::OpTypeStruct, id);
  for (uint32_t i = 0; i < members.size(); ++i) {
    declaration << members[i].type;
    memberTypes.push_back(members[i].type);
    if (hasLayout)
      decorateMember(id, i, spv::Decoration::Offset, members[i].offset);
  }
  declaration.end();
  if (isBlock)
    decorate(id, spv::Decoration::Block);
  return id;
}

TypeId Module::pointerType(spv::StorageClass storage, TypeId pointee,
                           uint32_t stride) {
  size_t before = types.size();
  TypeId pointer = declareType({.kind = TypeKind::Pointer,
                                .storage = storage,
                                .element = pointee,
                                .stride = stride},
                               spv::Op::OpTypePointer, storage, pointee);
  if (types.size() == before)
    return pointer;
  if (stride)
    decorate(pointer, spv::Decoration::ArrayStride, stride);
  note(findRequirement(Subject::Pointer, storage));
  noteStoredScalars(storage, pointee);
  return pointer;
}

TypeId Module::functionType(TypeId result, List<TypeId> parameters) {
  key.assign({toWord(spv::Op::OpTypeFunction), result.number});
  for (TypeId parameter : parameters)
    key.push_back(parameter.number);
  uint32_t &known = interned[key];
  if (known)
    return {known};
  TypeId id = {newNumber(0, static_cast<uint32_t>(types.size()))};
  known = id.number;
  types.push_back({.kind = TypeKind::Function,
                   .count = static_cast<uint32_t>(parameters.size()),
                   .element = result,
                   .firstMember = static_cast<uint32_t>(memberTypes.size())});
  memberTypes.insert(memberTypes.end(), parameters.begin(), parameters.end());
  LongInstruction declaration(globals, spv::Op::OpTypeFunction, id, result);
  declaration << std::span<const TypeId>(parameters);
  declaration.end();
  return id;
}

TypeId Module::matrixType(TypeId component, uint32_t rows, uint32_t columns,
                          MatrixUse use, spv::Scope scope) {
  Scalar scalar = type(component).scalar;
  if (!type(component).isScalar() || scalar == Scalar::Bool)
    reportMisuse("matrixType: the component is " + typeName(component) +
                 ", expected a number");
  note(opcodeRequirements[toWord(newer::OpTypeCooperativeMatrixKHR)]);
  note(findRequirement(Subject::MatrixComponent, scalar));
  note(type(component).arithmeticRule);
  Type matrix = {.kind = TypeKind::Matrix,
                 .scalar = scalar,
                 .arithmeticRule = type(component).arithmeticRule,
                 .count = rows,
                 .columns = columns,
                 .use = use,
                 .element = component};
  Id scopeId = u32(toWord(scope)), rowsId = u32(rows), columnsId = u32(columns),
     useId = u32(toWord(use));
  return declareType(matrix, newer::OpTypeCooperativeMatrixKHR, component,
                     scopeId, rowsId, columnsId, useId);
}

std::span<const TypeId> Module::membersOf(TypeId id) const {
  Type info = type(id);
  if (info.kind != TypeKind::Struct && info.kind != TypeKind::Function)
    return {};
  return std::span(memberTypes).subspan(info.firstMember, info.count);
}

/// What the scalars of \p pointee require where \p storage holds them.
void Module::noteStoredScalars(spv::StorageClass storage, TypeId pointee) {
  Type info = type(pointee);
  switch (info.kind) {
  case TypeKind::Scalar:
  case TypeKind::Vector:
    note(findRequirement(Subject::PointerTo, toWord(storage),
                         bitsOf(info.scalar)));
    return;
  case TypeKind::Array:
  case TypeKind::RuntimeArray:
    noteStoredScalars(storage, info.element);
    return;
  case TypeKind::Struct:
    for (TypeId member : membersOf(pointee))
      noteStoredScalars(storage, member);
    return;
  default:
    return;
  }
}

/// What a variable with scalars of \p pointee requires beyond its pointer.
void Module::noteVariable(TypeId pointee, bool hasExplicitLayout) {
  Type info = type(pointee);
  switch (info.kind) {
  case TypeKind::Scalar:
  case TypeKind::Vector:
    note(hasExplicitLayout
             ? findRequirement(Subject::ExplicitWorkgroup, bitsOf(info.scalar))
             : info.arithmeticRule);
    return;
  case TypeKind::Array:
    noteVariable(info.element, hasExplicitLayout);
    return;
  case TypeKind::Struct:
    for (TypeId member : membersOf(pointee))
      noteVariable(member, hasExplicitLayout);
    return;
  default:
    return;
  }
}

static const char *nameOf(spv::StorageClass storage) {
  switch (storage) {
  case spv::StorageClass::Input:
    return "Input";
  case spv::StorageClass::Uniform:
    return "Uniform";
  case spv::StorageClass::Workgroup:
    return "Workgroup";
  case spv::StorageClass::Private:
    return "Private";
  case spv::StorageClass::Function:
    return "Function";
  case spv::StorageClass::PushConstant:
    return "PushConstant";
  case spv::StorageClass::StorageBuffer:
    return "StorageBuffer";
  case spv::StorageClass::PhysicalStorageBuffer:
    return "PhysicalStorageBuffer";
  default:
    return "another storage class";
  }
}

std::string Module::typeName(TypeId id) const {
  Type info = type(id);
  auto list = [&](std::string text) {
    for (const char *separator = ""; TypeId member : membersOf(id)) {
      text += separator + typeName(member);
      separator = ", ";
    }
    return text;
  };
  switch (info.kind) {
  case TypeKind::None:
    return "none";
  case TypeKind::Void:
    return "void";
  case TypeKind::Scalar:
    return nameOf(info.scalar);
  case TypeKind::Vector:
    return "vec" + std::to_string(info.count) + "<" + nameOf(info.scalar) + ">";
  case TypeKind::Array:
    return "array<" + typeName(info.element) + ", " +
           std::to_string(info.count) + ">";
  case TypeKind::RuntimeArray:
    return "array<" + typeName(info.element) + ">";
  case TypeKind::Struct:
    return list("struct<") + ">";
  case TypeKind::Pointer:
    return std::string("ptr<") + nameOf(info.storage) + ", " +
           typeName(info.element) + ">";
  case TypeKind::Function:
    return list("function(") + ") -> " + typeName(info.element);
  case TypeKind::Matrix:
    return "matrix<" + std::string(nameOf(info.scalar)) + ", " +
           std::to_string(info.count) + "x" + std::to_string(info.columns) +
           ", " + "AB+"[toWord(info.use)] + ">";
  }
  return {};
}

} // namespace nereid::spirv
