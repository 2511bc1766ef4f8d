// Memory.cpp - loads, stores, pointers, atomics and barriers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Builder.h"

namespace nereid::spirv {

Id Builder::scopeId(spv::Scope scope) {
  note(findRequirement(Subject::Scope, scope));
  return u32(toWord(scope));
}

void Builder::expectPointee(const char *name, Id pointer, Id value) {
  expectPointer(name, pointer);
  if (typeInfo(pointer).element != typeOf(value))
    reportDifferent(name, pointer, value);
}

// Loads and stores.

Builder::AccessOperands Builder::accessOperands(const char *name, Id pointer,
                                                const MemoryAccess &access,
                                                Direction direction) {
  using Mask = spv::MemoryAccessMask;
  if (access.alignment == 0 &&
      typeInfo(pointer).storage == spv::StorageClass::PhysicalStorageBuffer)
    reportMisuse(std::string(name) + ": the access through " +
                 typeName(pointer) + " has no alignment");
  Mask mask = Mask::MaskNone;
  AccessOperands operands = {{}, 1};
  if (access.isVolatile)
    mask = mask | Mask::Volatile;
  if (access.isNontemporal)
    mask = mask | Mask::Nontemporal;
  if (access.alignment) {
    mask = mask | Mask::Aligned;
    operands.words[operands.count++] = access.alignment;
  }
  if (access.isNonPrivate || access.coherence)
    mask = mask | Mask::NonPrivatePointer;
  if (access.coherence) {
    mask = mask | (direction == Direction::Store ? Mask::MakePointerAvailable
                                                 : Mask::MakePointerVisible);
    operands.words[operands.count++] = scopeId(*access.coherence).number;
  }
  operands.words[0] = toWord(mask);
  if (mask == Mask::MaskNone)
    operands.count = 0;
  return operands;
}

Id Builder::load(Id pointer, const MemoryAccess &access) {
  expectPointer("load", pointer);
  AccessOperands operands =
      accessOperands("load", pointer, access, Direction::Load);
  prepare(spv::Op::OpLoad);
  TypeId type = typeInfo(pointer).element;
  Id id = newId(type);
  LongInstruction instruction(code, spv::Op::OpLoad, type, id, pointer);
  instruction << std::span<const uint32_t>(operands);
  instruction.end();
  return id;
}

void Builder::store(Id pointer, Id value, const MemoryAccess &access) {
  expectPointee("store", pointer, value);
  AccessOperands operands =
      accessOperands("store", pointer, access, Direction::Store);
  prepare(spv::Op::OpStore);
  LongInstruction instruction(code, spv::Op::OpStore, pointer, value);
  instruction << std::span<const uint32_t>(operands);
  instruction.end();
}

// Pointers.

/// The type of the pointer to the part of `base` at \p indices.
TypeId Builder::pointerToPart(const char *name, Id base, List<Id> indices) {
  expectPointer(name, base);
  TypeId part = typeInfo(base).element;
  for (Id index : indices) {
    expectInteger(name, index);
    if (type(part).kind == TypeKind::Struct) {
      std::optional<uint64_t> member = constantBits(index);
      if (!member) {
        reportMisuse(std::string(name) + ": the member of " + typeName(part) +
                     " is not a constant");
        return part;
      }
      part = partType(name, part, {static_cast<uint32_t>(*member)});
      continue;
    }
    // Beyond the end of an array is undefined when it runs, not now.
    if (!type(part).element || type(part).isPointer()) {
      reportMisuse(std::string(name) + ": " + typeName(part) + " has no parts");
      return part;
    }
    part = type(part).element;
  }
  return pointerType(typeInfo(base).storage, part);
}

Id Builder::accessChain(Id base, List<Id> indices) {
  TypeId result = pointerToPart("accessChain", base, indices);
  return emitList(spv::Op::OpAccessChain, result, std::span<const Id>(indices),
                  base);
}

Id Builder::ptrAccessChain(Id base, Id element, List<Id> indices) {
  expectPointer("ptrAccessChain", base);
  expectInteger("ptrAccessChain", element);
  spv::StorageClass storage = typeInfo(base).storage;
  if (typeInfo(base).stride == 0 && storage != spv::StorageClass::Workgroup)
    reportUnexpected("ptrAccessChain", base, "a pointer with a stride");
  note(findRequirement(Subject::PointerArithmetic, storage));
  TypeId result = indices.empty()
                      ? typeOf(base)
                      : pointerToPart("ptrAccessChain", base, indices);
  return emitList(spv::Op::OpPtrAccessChain, result,
                  std::span<const Id>(indices), base, element);
}

Id Builder::convertUToPtr(Id address, TypeId pointer) {
  if (typeInfo(address).scalar != Scalar::I64 || !typeInfo(address).isScalar())
    reportUnexpected("convertUToPtr", address, "i64");
  if (type(pointer).storage != spv::StorageClass::PhysicalStorageBuffer)
    reportMisuse("convertUToPtr: to " + typeName(pointer) +
                 ", expected a pointer to PhysicalStorageBuffer");
  return emitStorage(spv::Op::OpConvertUToPtr, pointer, address);
}

Id Builder::convertPtrToU(Id pointer, TypeId integer) {
  if (typeInfo(pointer).storage != spv::StorageClass::PhysicalStorageBuffer)
    reportUnexpected("convertPtrToU", pointer,
                     "a pointer to PhysicalStorageBuffer");
  if (type(integer).scalar != Scalar::I64)
    reportMisuse("convertPtrToU: to " + typeName(integer) + ", expected i64");
  return emitStorage(spv::Op::OpConvertPtrToU, integer, pointer);
}

// Atomics.

void Builder::noteAtomic(Id pointer) {
  Type pointee = type(typeInfo(pointer).element);
  if (!pointee.isScalar())
    reportUnexpected("atomic", pointer, "a pointer to a scalar");
  note(findRequirement(Subject::Atomic, pointee.scalar));
}

static bool isFloatAtomic(spv::Op op) {
  return op == spv::Op::OpAtomicFAddEXT || op == spv::Op::OpAtomicFMinEXT ||
         op == spv::Op::OpAtomicFMaxEXT;
}

Id Builder::atomic(spv::Op op, Id pointer, spv::Scope scope,
                   spv::MemorySemanticsMask semantics, Id value) {
  expectPointee("atomic", pointer, value);
  noteAtomic(pointer);
  if (isFloatAtomic(op)) {
    expectFloat("atomic", value);
    note(findRequirement(Subject::AtomicFloat, toWord(op),
                         toWord(typeInfo(value).scalar)));
  } else if (op != spv::Op::OpAtomicExchange) {
    expectInteger("atomic", value);
  }
  return emitValue(op, typeOf(value), pointer, scopeId(scope),
                   semanticsId(semantics), value);
}

Id Builder::atomicLoad(Id pointer, spv::Scope scope,
                       spv::MemorySemanticsMask semantics) {
  expectPointer("atomicLoad", pointer);
  noteAtomic(pointer);
  return emitValue(spv::Op::OpAtomicLoad, typeInfo(pointer).element, pointer,
                   scopeId(scope), semanticsId(semantics));
}

void Builder::atomicStore(Id pointer, spv::Scope scope,
                          spv::MemorySemanticsMask semantics, Id value) {
  expectPointee("atomicStore", pointer, value);
  noteAtomic(pointer);
  emit(spv::Op::OpAtomicStore, pointer, scopeId(scope), semanticsId(semantics),
       value);
}

Id Builder::atomicIncrement(Id pointer, spv::Scope scope,
                            spv::MemorySemanticsMask semantics) {
  expectPointer("atomicIncrement", pointer);
  noteAtomic(pointer);
  return emitValue(spv::Op::OpAtomicIIncrement, typeInfo(pointer).element,
                   pointer, scopeId(scope), semanticsId(semantics));
}

Id Builder::atomicDecrement(Id pointer, spv::Scope scope,
                            spv::MemorySemanticsMask semantics) {
  expectPointer("atomicDecrement", pointer);
  noteAtomic(pointer);
  return emitValue(spv::Op::OpAtomicIDecrement, typeInfo(pointer).element,
                   pointer, scopeId(scope), semanticsId(semantics));
}

Id Builder::atomicCompareExchange(Id pointer, spv::Scope scope,
                                  spv::MemorySemanticsMask equal,
                                  spv::MemorySemanticsMask unequal, Id value,
                                  Id comparator) {
  expectPointee("atomicCompareExchange", pointer, value);
  expectSame("atomicCompareExchange", value, comparator);
  expectInteger("atomicCompareExchange", value);
  noteAtomic(pointer);
  return emitValue(spv::Op::OpAtomicCompareExchange, typeOf(value), pointer,
                   scopeId(scope), semanticsId(equal), semanticsId(unequal),
                   value, comparator);
}

// Barriers.

void Builder::controlBarrier(spv::Scope execution, spv::Scope memory,
                             spv::MemorySemanticsMask semantics) {
  emit(spv::Op::OpControlBarrier, scopeId(execution), scopeId(memory),
       semanticsId(semantics));
}

void Builder::memoryBarrier(spv::Scope memory,
                            spv::MemorySemanticsMask semantics) {
  emit(spv::Op::OpMemoryBarrier, scopeId(memory), semanticsId(semantics));
}

void Builder::workgroupBarrier(spv::MemorySemanticsMask memory) {
  using Mask = spv::MemorySemanticsMask;
  controlBarrier(spv::Scope::Workgroup, spv::Scope::Workgroup,
                 Mask::AcquireRelease | Mask::MakeAvailable |
                     Mask::MakeVisible | memory);
}

} // namespace nereid::spirv
