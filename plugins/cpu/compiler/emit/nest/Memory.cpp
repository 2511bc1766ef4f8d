// Memory.cpp - loads of memory, and tiles in scratch.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"
#include "emit/nest/Strided.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nereid::cpu {

/// `element` as memory holds it with `type`: an i1 is a byte in memory.
Element NestEmitter::asInMemory(Element element, llvm::Type *type) {
  if (!element.value ||
      !element.value->getType()->getScalarType()->isIntegerTy(1) ||
      type->isIntegerTy(1))
    return element;
  return {at({element.value}, [&] {
            return builder.CreateZExt(
                element.value, element.value->getType()->getWithNewType(type));
          }), element.isVector};
}

/// The reverse: `element` as loaded from memory, as a value of `type`.
Element NestEmitter::asInRegister(Element element, Type type) {
  if (!convertElementType(type, emitter.context())->isIntegerTy(1))
    return element;
  return {at({element.value}, [&] {
            return builder.CreateICmpNE(
                element.value,
                llvm::Constant::getNullValue(element.value->getType()));
          }), element.isVector};
}

Element NestEmitter::readBuffer(llvm::Value *buffer, const TileLayout &layout,
                                Type type, const Indices &indices) {
  llvm::Type *memory = emitter.memoryType(type);
  Address address = bufferAddress(buffer, layout, memory, indices);
  // Materialized values were written by earlier nests: the read can be hoisted
  // to where the index is available.
  Element element =
      loadAt(address, memory, {builder.getTrue(), false}, {}, Memory::Scratch);
  return asInRegister(element, type);
}

void NestEmitter::writeBuffer(llvm::Value *buffer, Type type,
                              const TileLayout &layout, const Indices &indices,
                              Element value) {
  llvm::Type *memory = emitter.memoryType(type);
  Address address = bufferAddress(buffer, layout, memory, indices);
  storeAt(address, memory, {builder.getTrue(), false}, value, Memory::Scratch);
}

Element NestEmitter::load(tt::LoadOp op, const Indices &indices) {
  llvm::Type *type = emitter.memoryType(op.getType());
  Element mask{builder.getTrue(), false};
  if (op.getMask())
    mask = maskAt(op.getMask(), indices);
  Element other;
  if (op.getOther())
    other = asInMemory(get(op.getOther(), indices), type);
  // A load that needs no mask because masks are known to be true must not be
  // hoisted out of that region.
  unsigned outerMinimum = minimumLevel;
  if (assumed)
    minimumLevel = std::max(minimumLevel, assumptionLevel);
  minimumLevel = std::max(minimumLevel, loadLevel);
  Element element = guardedLoad(op, type, mask, other, indices);
  minimumLevel = outerMinimum;
  // What rarely runs is not the first to read.
  if (nest.elementLoop)
    return asInRegister(element, op.getType());
  if (loopAround)
    prefetch(op, addressOf(op.getPtr(), indices));
  else if (!nest.isRare && !prefetchNext(op, indices) && bytesAhead)
    readAhead(op, indices);
  return asInRegister(element, op.getType());
}

Element NestEmitter::guardedLoad(tt::LoadOp op, llvm::Type *type, Element mask,
                                 Element other, const Indices &indices) {
  auto guard = emitter.guarded.find(op.getResult());
  if (guard == emitter.guarded.end())
    return loadAt(addressOf(op.getPtr(), indices), type, mask, other,
                  op.getIsVolatile() ? Memory::Volatile : Memory::Program);
  const GuardedLoad &kept = guard->second;
  Address copy = bufferAddress(kept.elements ? kept.elements : kept.buffer,
                               kept.layout, type, indices);
  if (kept.elements)
    return loadAt(copy, type, mask, other, Memory::Either);
  Address address = addressOf(op.getPtr(), indices);
  if (address.base && copy.base && address.stride == copy.stride &&
      address.repeat == copy.repeat) {
    llvm::Value *original = address.base;
    address.base = at({original, copy.base}, [&] {
      return builder.CreateSelect(kept.overlaps, copy.base, original);
    });
    return loadAt(address, type, mask, other, Memory::Either);
  }
  Element direct = loadAt(address, type, mask, other, Memory::Program);
  Element buffered =
      loadAt(copy, type, {builder.getTrue(), false}, {}, Memory::Scratch);
  return choose({kept.overlaps, false}, buffered, direct);
}

/// The bits of `value` as another scalar type. Floats of 16 bits are loaded and
/// stored as i16: without conversion instructions, LLVM would split masked
/// accesses and convert every element by calls of routines that are in no
/// library.
llvm::Value *NestEmitter::reinterpret(llvm::Value *value, llvm::Type *scalar) {
  return at({value}, [&] {
    return builder.CreateBitCast(value,
                                 value->getType()->getWithNewType(scalar));
  });
}

/// The first of every `repeat` lanes of a vector. Masks are created with fewer
/// lanes instead, because shuffling masks is slow.
static llvm::Value *unrepeat(llvm::IRBuilder<> &b, llvm::Value *value,
                             int64_t repeat) {
  if (auto *compare = dyn_cast<llvm::ICmpInst>(value))
    return b.CreateICmp(compare->getPredicate(),
                        unrepeat(b, compare->getOperand(0), repeat),
                        unrepeat(b, compare->getOperand(1), repeat));
  if (auto *both = dyn_cast<llvm::BinaryOperator>(value);
      both && both->getOpcode() == llvm::Instruction::And)
    return b.CreateAnd(unrepeat(b, both->getOperand(0), repeat),
                       unrepeat(b, both->getOperand(1), repeat));
  auto *type = cast<llvm::FixedVectorType>(value->getType());
  SmallVector<int> lanes;
  for (int64_t lane = 0; lane < type->getNumElements(); lane += repeat)
    lanes.push_back(lane);
  return b.CreateShuffleVector(value, lanes);
}

/// The addresses of a descending vector in ascending order, which one access
/// covers.
Address NestEmitter::ascending(const Address &address, llvm::Type *type) {
  return {at({address.base},
             [&] {
               return builder.CreateGEP(type, address.base,
                                        emitter.i64(1 - int64_t(lanes)));
             }),
          1, nullptr};
}

Element NestEmitter::reversed(Element element) {
  if (!element.isVector)
    return element;
  return {at({element.value},
             [&] { return builder.CreateVectorReverse(element.value); }),
          true};
}

/// True where a mask that is the same for all lanes should select the address
/// of a contiguous access of `lanes` elements, because the processor has no
/// masked access: the other address is that of the line in scratch.
bool NestEmitter::selectsAddress(const Element &mask, llvm::Type *type,
                                 int64_t lanes) const {
  return !mask.isVector &&
         lanes * Emitter::bytesOf(type) <= int64_t(kScratchAlign) &&
         !emitter.options.cpu.hasMaskedAccesses(8 * Emitter::bytesOf(type));
}

llvm::Value *NestEmitter::addressIf(llvm::Value *mask, llvm::Value *address) {
  return at({mask, address}, [&] {
    return builder.CreateSelect(mask, address, emitter.dummy);
  });
}

/// Loads `type` from `address` where `mask` is true; elsewhere the value is
/// `other`, or zero. Masked-off memory is not accessed.
Element NestEmitter::loadAt(Address address, llvm::Type *type, Element mask,
                            Element other, Memory memory) {
  if (type->isBFloatTy() || type->isHalfTy()) {
    llvm::Type *bits = builder.getInt16Ty();
    if (other.value)
      other.value = reinterpret(other.value, bits);
    Element element = loadAt(address, bits, mask, other, memory);
    element.value = reinterpret(element.value, type);
    return element;
  }
  auto mark = [&](auto *access) { return emitter.inMemory(access, memory); };
  llvm::Align align(Emitter::bytesOf(type));
  // The first lane is always active.
  if (!(address.base && address.stride == 0))
    mask = ofActiveLanes(mask);
  auto *known = dyn_cast<llvm::ConstantInt>(mask.value);
  bool always = known && known->isOne();
  if (!other.value)
    other = {llvm::Constant::getNullValue(type), false};

  if (address.base && address.stride == 0) {
    // One address for all lanes: read if the mask is true for any lane.
    if (always)
      return {at({address.base}, [&] {
                return mark(builder.CreateAlignedLoad(type, address.base, align));
              }), false};
    llvm::Value *any = at({mask.value}, [&] {
      return mask.isVector ? builder.CreateOrReduce(mask.value) : mask.value;
    });
    llvm::Value *value = at({any, address.base}, [&] {
      llvm::Value *from =
          builder.CreateSelect(any, address.base, emitter.dummy);
      return mark(builder.CreateAlignedLoad(type, from, align));
    });
    return choose(mask, {value, false}, other);
  }

  bool isVolatile = memory == Memory::Volatile;
  bool differ = address.repeatsAlone && !always &&
                (mask.isVector || other.isVector);
  if (differ ||
      (isVolatile && !(always && address.stride == 1 && address.repeat == 1))) {
    address.mayBeNeighbours = false;
    return loadScattered(address, type, mask, other, memory);
  }
  if (address.stride == 1 && !always &&
      selectsAddress(mask, type, lanes / address.repeat)) {
    address.base = addressIf(mask.value, address.base);
    return choose(mask,
                  loadAt(address, type, {builder.getTrue(), false}, {}, memory),
                  other);
  }
  if (address.stride == 1) {
    int64_t repeat = address.repeat;
    auto *run = llvm::FixedVectorType::get(type, lanes / repeat);
    llvm::Value *loaded;
    if (always)
      loaded = at({address.base}, [&] {
        return mark(builder.CreateAlignedLoad(run, address.base, align));
      });
    else {
      llvm::Value *where = widen(mask), *rest = widen(other);
      if (repeat > 1) {
        where = at({where}, [&] { return unrepeat(builder, where, repeat); });
        rest = at({rest}, [&] { return unrepeat(builder, rest, repeat); });
      }
      loaded = at({address.base, where, rest}, [&] {
        return mark(
            builder.CreateMaskedLoad(run, address.base, align, where, rest));
      });
    }
    return {repeat == 1 ? loaded
                        : at({loaded},
                             [&] {
                               SmallVector<int> from;
                               for (int64_t lane = 0; lane < lanes; ++lane)
                                 from.push_back(lane / repeat);
                               return builder.CreateShuffleVector(loaded, from);
                             }),
            true};
  }
  if (address.isDescending()) {
    llvm::SaveAndRestore<llvm::Value *> inMask(activeLanes, nullptr);
    return reversed(loadAt(ascending(address, type), type, reversed(mask),
                           reversed(other), memory));
  }
  if (always || emitter.options.cpu.hasMaskedAccesses(8 * align.value()))
    if (auto strided = asStrided(address, type, lanes, emitter.options)) {
      llvm::Value *where = widen(mask), *rest = widen(other);
      return {at({address.base, where, rest},
                 [&] {
                   return loadStrided(emitter, *strided,
                                      always ? nullptr : where, rest, memory);
                 }),
              true};
    }
  return loadScattered(address, type, mask, other, memory);
}

} // namespace nereid::cpu
