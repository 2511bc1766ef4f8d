// Atomics.cpp - atomic operations.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads that own an element do its operation; all others that hold a copy
// get the result through shared memory.

#include "Emitter.h"

#include "nereid/codegen/Expand.h"
#include "tile/Ops.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;
using spv::MemorySemanticsMask;

static tt::MemSemantic semanticOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, tt::MemSemantic>(op)
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
            tt::AtomicStoreOp, tt::AtomicPollOp>(
          [](auto op) { return op.getSem(); });
}

static spv::Op instructionOf(tt::RMWOp kind) {
  switch (kind) {
  case tt::RMWOp::AND:
    return spv::Op::OpAtomicAnd;
  case tt::RMWOp::OR:
    return spv::Op::OpAtomicOr;
  case tt::RMWOp::XOR:
    return spv::Op::OpAtomicXor;
  case tt::RMWOp::ADD:
    return spv::Op::OpAtomicIAdd;
  case tt::RMWOp::FADD:
    return spv::Op::OpAtomicFAddEXT;
  case tt::RMWOp::MAX:
    return spv::Op::OpAtomicSMax;
  case tt::RMWOp::MIN:
    return spv::Op::OpAtomicSMin;
  case tt::RMWOp::UMAX:
    return spv::Op::OpAtomicUMax;
  case tt::RMWOp::UMIN:
    return spv::Op::OpAtomicUMin;
  case tt::RMWOp::XCHG:
    return spv::Op::OpAtomicExchange;
  }
  llvm_unreachable("an unknown atomic operation");
}

static constexpr spv::Scope kScope = spv::Scope::Device;
// What surrounds an operation is ordered by barriers of the workgroup.
static constexpr MemorySemanticsMask kRelaxed = MemorySemanticsMask::MaskNone;

/// Devices have no atomic operations on less than a word.
Id Emitter::updateLoop(Location place, Id address, unsigned width,
                       llvm::function_ref<Id(Id)> update, Id *isDone) {
  bool isNarrow = width < 32;
  TypeId word = b.intType(isNarrow ? 32 : width);
  Id shift, mask;
  if (isNarrow) {
    Id place = b.bitAnd(b.uconvert(address, word), b.u32(3));
    shift = b.shl(place, b.u32(3));
    mask = b.shl(b.u32((1u << width) - 1), shift);
    address = b.bitAnd(address, b.u64(~uint64_t(3)));
  }
  auto narrowed = [&](Id whole) {
    return isNarrow ? b.truncate(b.lshr(whole, shift), width) : whole;
  };
  Id pointer = pointerTo(address, word);
  // The word that is in memory: `old` if it was replaced.
  auto swap = [&](Id old) {
    Id next = update(narrowed(old));
    if (isNarrow)
      next = b.bitOr(b.bitAnd(old, b.bitNot(mask)),
                     b.shl(b.uconvert(next, word), shift));
    return b.atomicCompareExchange(pointer, kScope, kRelaxed, kRelaxed, next,
                                   old);
  };
  Id first = b.atomicLoad(pointer, kScope, kRelaxed);
  if (isDone) {
    *isDone = b.ieq(swap(first), first);
    return narrowed(first);
  }
  spirv::Carried old = b.beginLoop({first, b.boolean(true)});
  loopCondition(old[1]);
  Id found = swap(old[0]);
  endLoop(place, {found, b.ine(found, old[0])}, /*isUniform=*/false);
  return narrowed(old[0]);
}

bool isUpdateLoop(Operation *op) {
  if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op))
    return codegen::findAtomicUpdate(rmw) != nullptr;
  if (!isa<tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicStoreOp>(op))
    return false;
  auto pointer =
      cast<tt::PointerType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  return tt::getElementBitWidth(pointer.getPointeeType()) < 32;
}

Id Emitter::atomicElement(Operation *op, ArrayRef<Id> operands, Id *isDone) {
  Type pointee =
      cast<tt::PointerType>(getElementTypeOrSelf(op->getOperand(0).getType()))
          .getPointeeType();
  TypeId type = elementType(pointee);
  unsigned width = std::max(8u, tt::getElementBitWidth(pointee));
  bool isNarrow = width < 32;
  TypeId bits = b.intType(width);
  Id address = operands[0];
  auto toBits = [&](Id value) {
    if (pointee.isInteger(1))
      return b.select(value, b.constant(bits, 1), b.constant(bits, 0));
    return b.bitcast(value, bits);
  };
  auto fromBits = [&](Id value) {
    if (pointee.isInteger(1))
      return b.ine(value, b.constant(bits, 0));
    return b.bitcast(value, type);
  };
  auto updated = [&](llvm::function_ref<Id(Id)> update) {
    return updateLoop(op->getLoc(), address, width, update, isDone);
  };
  return llvm::TypeSwitch<Operation *, Id>(op)
      .Case([&](tt::AtomicRMWOp rmw) {
        if (tt::FuncOp update = codegen::findAtomicUpdate(rmw))
          return fromBits(updated([&](Id old) {
            return toBits(
                emitRegion(update.getBody(), {fromBits(old), operands[1]})[0]);
          }));
        spv::Op instruction = instructionOf(rmw.getAtomicRmwOp());
        if (instruction == spv::Op::OpAtomicFAddEXT)
          return b.atomic(instruction, pointerTo(address, type), kScope,
                          kRelaxed, operands[1]);
        return fromBits(b.atomic(instruction, pointerTo(address, bits), kScope,
                                 kRelaxed, toBits(operands[1])));
      })
      .Case([&](tt::AtomicCASOp) {
        Id expected = toBits(operands[1]), value = toBits(operands[2]);
        if (isNarrow)
          return fromBits(updated([&](Id old) {
            return b.select(b.ieq(old, expected), value, old);
          }));
        return fromBits(b.atomicCompareExchange(pointerTo(address, bits),
                                                kScope, kRelaxed, kRelaxed,
                                                value, expected));
      })
      .Case([&](tt::AtomicLoadOp) {
        if (isNarrow)
          return fromBits(updated([](Id old) { return old; }));
        return fromBits(
            b.atomicLoad(pointerTo(address, bits), kScope, kRelaxed));
      })
      .Case([&](tt::AtomicStoreOp) {
        Id value = toBits(operands[1]);
        if (isNarrow)
          updated([&](Id) { return value; });
        else
          b.atomicStore(pointerTo(address, bits), kScope, kRelaxed, value);
        return operands[1];
      })
      .Case([&](tt::AtomicPollOp poll) { return emitPoll(poll, operands); })
      .Default([](Operation *) { return Id(); });
}

Id Emitter::elementArray(unsigned number, uint32_t count) {
  Id &array = elementArrays[{number, count}];
  if (!array)
    array = b.localVariable(b.arrayType(b.intType(32), count));
  return array;
}

Ids Emitter::loopOverElements(Operation *op, ArrayRef<Ids> operands,
                              Id condition, OpOperand *mask, Value result) {
  uint32_t count = operands[0].size();
  unsigned arrays = 0;
  auto storeWord = [&](Id array, Id index, Id word) {
    b.store(b.accessChain(array, {index}), word);
  };
  auto loadWord = [&](Id array, Id index) {
    return b.load(b.accessChain(array, {index}));
  };
  auto newArrays = [&](Type type) {
    Ids own;
    for (unsigned i = 0; i < wordsOf(type); ++i)
      own.push_back(elementArray(arrays++, count));
    return own;
  };
  SmallVector<Ids> stored; // no array: one value for all elements
  for (auto [number, values] : llvm::enumerate(operands)) {
    stored.emplace_back();
    if (llvm::all_equal(values))
      continue;
    Type type = getElementTypeOrSelf(op->getOperand(number).getType());
    stored.back() = newArrays(type);
    for (auto [i, value] : llvm::enumerate(values))
      for (auto [array, word] :
           llvm::zip_equal(stored.back(), toWords(value, type)))
        storeWord(array, b.u32(i), word);
  }
  Type type = result ? getElementTypeOrSelf(result.getType()) : Type();
  Ids results;
  if (result && !result.use_empty())
    results = newArrays(type);
  spirv::Carried index = b.beginLoop({b.u32(0)});
  loopCondition(b.ult(index[0], b.u32(count)));
  Ids at;
  for (auto [number, array] : llvm::enumerate(stored)) {
    Ids words;
    for (Id each : array)
      words.push_back(loadWord(each, index[0]));
    at.push_back(array.empty()
                     ? operands[number][0]
                     : fromWords(words, getElementTypeOrSelf(
                                            op->getOperand(number).getType())));
  }
  if (mask)
    condition = both(condition, at[mask->getOperandNumber()]);
  Ids otherwise = {b.boolean(true)};
  if (!results.empty())
    otherwise.push_back(b.null(elementType(type)));
  Ids ends = emitWhere(condition, otherwise, [&] {
    Id isDone;
    Id value = atomicElement(op, at, &isDone);
    return results.empty() ? Ids{isDone} : Ids{isDone, value};
  });
  if (!results.empty())
    for (auto [array, word] : llvm::zip_equal(results, toWords(ends[1], type)))
      storeWord(array, index[0], word);
  Id next = b.iadd(index[0], b.select(ends[0], b.u32(1), b.u32(0)));
  endLoop(op->getLoc(), {next}, /*isUniform=*/false);
  Ids values;
  for (uint32_t i = 0; i < count && result; ++i) {
    Ids words;
    for (Id array : results)
      words.push_back(loadWord(array, b.u32(i)));
    values.push_back(words.empty() ? b.null(elementType(type))
                                   : fromWords(words, type));
  }
  return values;
}

LogicalResult Emitter::emitAtomic(Operation *op) {
  orderAccess(op);
  codegen::TileOpInfo info = codegen::infoOf(op);
  Type pointee = cast<tt::PointerType>(
                     getElementTypeOrSelf(info.pointers->get().getType()))
                     .getPointeeType();
  if (tt::getElementBitWidth(pointee) == 64 && !b.hasI64())
    return refuse(op, "elements of 64 bits on a device without i64");
  // Earlier writes of all threads come first, later reads of all come after.
  bool isOrdered = semanticOf(op) != tt::MemSemantic::RELAXED;
  if (isOrdered)
    deviceBarrier();
  Value result = op->getNumResults() ? op->getResult(0) : Value();
  bool isTile = tileType(info.pointers->get()) != nullptr;
  if (!isTile) {
    Id isFirst = b.ieq(b.bitOr(lane, warp), b.u32(0));
    Ids operands;
    for (Value operand : op->getOperands())
      operands.push_back(scalars[operand]);
    if (Value mask = info.mask ? info.mask->get() : Value())
      isFirst = both(isFirst, scalars[mask]);
    Id zero = result ? b.null(elementType(result.getType())) : b.u32(0);
    bool isKnown = true;
    Ids values = emitWhere(isFirst, zero, [&] {
      Id value = atomicElement(op, operands);
      isKnown = bool(value);
      return Ids{isKnown ? value : zero};
    });
    if (!isKnown)
      return refuse(op, "elements of this type");
    if (result && !result.use_empty())
      scalars[result] = broadcastFromFirst(values[0], result.getType());
    if (isOrdered)
      deviceBarrier();
    return success();
  }
  const Layout &layout = layouts.accessLayout(op);
  SmallVector<Ids> operands;
  for (OpOperand &use : op->getOpOperands())
    operands.push_back(
        tileType(use.get())
            ? registersOf(use.get(), layouts.operandLayout(use, nullptr))
            : Ids(layout.registerCount(), scalars[use.get()]));
  Id owner = isOwner(layout);
  Value mask = info.mask ? info.mask->get() : Value();
  Type type = result ? tileType(result).getElementType() : Type();
  Ids values;
  uint32_t unrolled = layout.registerCount();
  if (isUpdateLoop(op) && unrolled >= device.loopedUpdates) {
    values = loopOverElements(op, operands, owner, info.mask, result);
    unrolled = 0;
  }
  for (uint32_t i = 0; i < unrolled; ++i) {
    Ids at;
    for (const Ids &operand : operands)
      at.push_back(operand[i]);
    Id condition = owner;
    if (mask)
      condition = both(owner, at[info.mask->getOperandNumber()]);
    Id zero = result ? b.null(elementType(type)) : b.u32(0);
    bool isKnown = true;
    values.push_back(emitWhere(condition, zero, [&] {
      Id value = atomicElement(op, at);
      isKnown = bool(value);
      return Ids{isKnown ? value : zero};
    })[0]);
    if (!isKnown)
      return refuse(op, "elements of this type");
  }
  if (result) {
    if (layout.copies().any() && !result.use_empty()) {
      Indices indices = indicesOf(layout);
      Ids elements;
      for (uint32_t i = 0; i < layout.registerCount(); ++i)
        elements.push_back(indexAt(indices, i));
      values = readThroughMemory(values, type, layout, elements);
    }
    defineAll(result, std::move(values));
  }
  if (isOrdered)
    deviceBarrier();
  return success();
}

} // namespace nereid::vulkan
