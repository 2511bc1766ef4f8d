// The stored values of atomic operations that need compare-and-swap loops.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

using namespace mlir;

namespace nereid::codegen {

static AtomicType atomicTypeOf(Type element) {
  if (isa<tt::PointerType>(element))
    return AtomicType::Pointer;
  if (element.isBF16())
    return AtomicType::BF16;
  bool isFloat = isa<FloatType>(element);
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return AtomicType::I1;
  case 8:
    return isFloat ? AtomicType::F8 : AtomicType::I8;
  case 16:
    return isFloat ? AtomicType::F16 : AtomicType::I16;
  case 32:
    return isFloat ? AtomicType::F32 : AtomicType::I32;
  default:
    return isFloat ? AtomicType::F64 : AtomicType::I64;
  }
}

static uint16_t bitOf(AtomicType type) { return 1 << unsigned(type); }

void AtomicSet::add(tt::RMWOp kind, std::initializer_list<AtomicType> which) {
  for (AtomicType type : which)
    typesOf(kind) |= bitOf(type);
}

void AtomicSet::remove(tt::RMWOp kind,
                       std::initializer_list<AtomicType> which) {
  for (AtomicType type : which)
    typesOf(kind) &= ~bitOf(type);
}

bool AtomicSet::has(tt::RMWOp kind, Type element) const {
  return types[unsigned(kind)] & bitOf(atomicTypeOf(element));
}

AtomicSet AtomicSet::ofCpu() {
  using T = AtomicType;
  AtomicSet set;
  for (auto kind : {tt::RMWOp::ADD, tt::RMWOp::AND, tt::RMWOp::OR,
                    tt::RMWOp::XOR, tt::RMWOp::MAX, tt::RMWOp::MIN,
                    tt::RMWOp::UMAX, tt::RMWOp::UMIN})
    set.add(kind, {T::I1, T::I8, T::I16, T::I32, T::I64});
  set.add(tt::RMWOp::XCHG, {T::I1, T::I8, T::I16, T::I32, T::I64, T::F8, T::F16,
                            T::BF16, T::F32, T::F64, T::Pointer});
  set.add(tt::RMWOp::FADD, {T::F32, T::F64});
  return set;
}

static std::string nameOf(tt::AtomicRMWOp op) {
  std::string name;
  llvm::raw_string_ostream(name)
      << "nereid.atomic." << tt::stringifyRMWOp(op.getAtomicRmwOp()) << '.'
      << getElementTypeOrSelf(op.getType());
  return name;
}

tt::FuncOp findAtomicUpdate(tt::AtomicRMWOp op) {
  return op->getParentOfType<ModuleOp>().lookupSymbol<tt::FuncOp>(nameOf(op));
}

static Value update(OpBuilder &b, Location loc, tt::RMWOp kind, Value old,
                    Value operand) {
  switch (kind) {
  case tt::RMWOp::AND:
    return b.create<arith::AndIOp>(loc, old, operand);
  case tt::RMWOp::OR:
    return b.create<arith::OrIOp>(loc, old, operand);
  case tt::RMWOp::XOR:
    return b.create<arith::XOrIOp>(loc, old, operand);
  case tt::RMWOp::ADD:
    return b.create<arith::AddIOp>(loc, old, operand);
  case tt::RMWOp::FADD:
    return b.create<arith::AddFOp>(loc, old, operand);
  case tt::RMWOp::MAX:
    return b.create<arith::MaxSIOp>(loc, old, operand);
  case tt::RMWOp::MIN:
    return b.create<arith::MinSIOp>(loc, old, operand);
  case tt::RMWOp::UMAX:
    return b.create<arith::MaxUIOp>(loc, old, operand);
  case tt::RMWOp::UMIN:
    return b.create<arith::MinUIOp>(loc, old, operand);
  case tt::RMWOp::XCHG:
    return operand;
  }
  llvm_unreachable("an unknown atomic operation");
}

void addAtomicUpdate(ModuleOp module, const AtomicSet &atomics,
                     tt::AtomicRMWOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  if (atomics.has(op.getAtomicRmwOp(), element) || findAtomicUpdate(op))
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = op.getLoc();
  auto type = builder.getFunctionType({element, element}, {element});
  auto function = builder.create<tt::FuncOp>(loc, nameOf(op), type);
  function.setPrivate();
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value result = update(builder, loc, op.getAtomicRmwOp(),
                        body->getArgument(0), body->getArgument(1));
  builder.create<tt::ReturnOp>(loc, result);
}

} // namespace nereid::codegen
