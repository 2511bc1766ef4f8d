// Memory.cpp - loads, stores, and their order.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "analysis/Access.h"
#include "tile/Ops.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::infoOf;
using codegen::TileOpInfo;
using codegen::tileType;

static unsigned bytesOf(Type type) {
  return std::max(8u, tt::getElementBitWidth(type)) / 8;
}

static bool isVolatile(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && load.getIsVolatile();
}

Ids Emitter::loadRun(Id address, Type type, unsigned width,
                     spirv::MemoryAccess access) {
  unsigned bytes = bytesOf(type), bits = bytes * 8;
  access.alignment = bytes * width;
  TypeId integer = b.intType(bits), word = b.intType(32);
  auto toValue = [&](Id number) {
    if (type.isInteger(1))
      return b.ine(number, b.constant(integer, 0));
    return b.bitcast(number, elementType(type));
  };
  auto elementsOf = [&](Id vector, unsigned count) {
    Ids parts;
    for (unsigned i = 0; i < count; ++i)
      parts.push_back(count == 1 ? vector : b.extract(vector, {i}));
    return parts;
  };
  // Narrow elements come as words.
  bool asWords = bytes < 4 && bytes * width >= 4;
  if (bytes < 4 && width > 1 && !asWords) {
    Ids values;
    access.alignment = bytes;
    for (unsigned i = 0; i < width; ++i)
      llvm::append_range(
          values, loadRun(b.iadd(address, b.u64(i * bytes)), type, 1, access));
    return values;
  }
  if (bytes < 4 && !asWords)
    return {toValue(loadNarrow(address, bits, access))};
  bool asPairs = bytes == 8 && !b.hasI64();
  unsigned count = asWords || asPairs ? bytes * width / 4 : width;
  TypeId unit = asWords || asPairs ? word : integer;
  TypeId whole = count == 1 ? unit : b.vectorType(unit, count);
  Ids parts = elementsOf(b.load(pointerTo(address, whole), access), count);
  Ids values;
  if (asPairs) {
    for (unsigned i = 0; i < count; i += 2)
      values.push_back(toValue(b.makePair(parts[i], parts[i + 1])));
  } else if (asWords && packedCount(type) > 1) {
    values = unpackWords(parts, type);
  } else {
    for (Id part : parts)
      for (Id number : asWords ? unpack(part, bits) : Ids{part})
        values.push_back(toValue(number));
  }
  return values;
}

void Emitter::storeRun(Location place, Id address, ArrayRef<Id> values,
                       Type type, spirv::MemoryAccess access) {
  unsigned bytes = bytesOf(type), width = values.size(), bits = bytes * 8;
  TypeId integer = b.intType(bits);
  auto toNumber = [&](Id value) {
    if (type.isInteger(1))
      return b.select(value, b.constant(integer, 1), b.constant(integer, 0));
    return b.bitcast(value, integer);
  };
  bool asWords = bytes < 4 && bytes * width >= 4;
  if (bytes < 4 && width > 1 && !asWords) {
    for (auto [i, value] : llvm::enumerate(values))
      storeRun(place, b.iadd(address, b.u64(i * bytes)), value, type, access);
    return;
  }
  access.alignment = bytes * width;
  if (bytes < 4 && !asWords) {
    storeNarrow(place, address, toNumber(values[0]), bits, access);
    return;
  }
  bool isPacked = asWords && packedCount(type) > 1;
  Ids numbers = isPacked ? packWords(values, type)
                         : Ids(llvm::map_range(values, toNumber));
  if (isPacked) {
    integer = b.intType(32);
  } else if (asWords) {
    unsigned each = 4 / bytes;
    Ids words;
    for (unsigned i = 0; i < width; i += each)
      words.push_back(pack(ArrayRef<Id>(numbers).slice(i, each), bits));
    numbers = words;
    integer = b.intType(32);
  } else if (bytes == 8 && !b.hasI64()) {
    Ids words;
    for (Id number : numbers) {
      auto [low, high] = b.halvesOf(number);
      words.append({low, high});
    }
    numbers = words;
    integer = b.intType(32);
  }
  TypeId whole =
      numbers.size() == 1 ? integer : b.vectorType(integer, numbers.size());
  Id value = numbers.size() == 1 ? numbers[0]
                                 : b.construct(whole, ArrayRef<Id>(numbers));
  b.store(pointerTo(address, whole), value, access);
}

// Order. The threads of a program run ahead of each other, but a kernel is
// written as if there were one.

static Value pointersOf(Operation *op) { return infoOf(op).pointers->get(); }

bool Emitter::mayConflict(const PendingAccess &earlier, Operation *later) {
  if (!infoOf(earlier.op).writes && !infoOf(later).writes)
    return false;
  Value x = pointersOf(earlier.op), y = pointersOf(later);
  // Addresses of another iteration are not those that the forms are about.
  if (earlier.loop) {
    auto isInvariant = [&](Value value) {
      return !earlier.loop->isAncestor(value.getParentRegion()->getParentOp());
    };
    if (!isInvariant(x) || !isInvariant(y))
      return true;
  }
  // One thread stores a scalar, and all load it.
  if (!tileType(x) || !tileType(y))
    return true;
  // A thread sees its own accesses in order.
  bool sameThread =
      codegen::haveSameAddresses(x, y, forms) &&
      layouts.accessLayout(earlier.op) == layouts.accessLayout(later) &&
      codegen::selfAliasingOf(x, forms) == codegen::Aliasing::Never;
  return !sameThread && !codegen::areDisjoint(x, y, forms);
}

void Emitter::orderAccess(Operation *op) {
  if (isDivergent)
    return;
  if (llvm::any_of(pending, [&](const PendingAccess &earlier) {
        return mayConflict(earlier, op);
      })) {
    deviceBarrier();
    pending.clear();
  }
  pending.push_back({op, nullptr});
}

void Emitter::enterLoop(Operation *loop) {
  loop->walk([&](Operation *op) {
    if (infoOf(op).pointers)
      pending.push_back({op, loop});
  });
}

// Accesses. Mostly all elements of a thread are loaded or stored. They are in
// one block then, where no access waits for the one before.

static spirv::MemoryAccess accessOf(Operation *op) {
  spirv::MemoryAccess access;
  access.isVolatile = isVolatile(op);
  access.isNonPrivate = true;
  return access;
}

/// Calls `access` for each part of the registers that has one mask.
static void forEachMask(ArrayRef<Id> masks, unsigned width,
                        llvm::function_ref<void(uint32_t, uint32_t)> access) {
  for (uint32_t i = 0; i < masks.size();) {
    uint32_t first = i;
    while (i < masks.size() && masks[i] == masks[first])
      i += width;
    access(first, i);
  }
}

Id Emitter::areAllTrue(ArrayRef<Id> masks, unsigned width) {
  if (masks.size() > size_t(device.repeatedAccesses) * width)
    return {};
  Id all = b.boolean(true);
  llvm::SmallDenseSet<uint32_t> seen;
  forEachMask(masks, width, [&](uint32_t first, uint32_t) {
    if (seen.insert(masks[first].number).second)
      all = both(all, masks[first]);
  });
  return all;
}

Ids Emitter::loadWhere(ArrayRef<Id> masks, ArrayRef<Id> pointers,
                       ArrayRef<Id> others, Type type, unsigned width,
                       const spirv::MemoryAccess &access) {
  Ids values;
  forEachMask(masks, width, [&](uint32_t first, uint32_t end) {
    auto load = [&] {
      Ids loaded;
      for (uint32_t at = first; at < end; at += width)
        llvm::append_range(loaded, loadRun(pointers[at], type, width, access));
      return loaded;
    };
    if (b.constantBits(masks[first]) == 1) {
      llvm::append_range(values, load());
      return;
    }
    Ids otherwise(others.slice(first, end - first));
    Ids merged = emitWhere(masks[first], packNarrow(otherwise, type),
                           [&] { return packNarrow(load(), type); });
    llvm::append_range(values, unpackNarrow(merged, type, end - first));
  });
  return values;
}

LogicalResult Emitter::emitLoad(tt::LoadOp op) {
  orderAccess(op);
  Type type = getElementTypeOrSelf(op.getType());
  spirv::MemoryAccess access = accessOf(op);
  Id zero = b.null(elementType(type));
  if (!tileType(op.getResult())) {
    Id address = scalars[op.getPtr()];
    Id mask = op.getMask() ? scalars[op.getMask()] : b.boolean(true);
    Id other = op.getOther() ? scalars[op.getOther()] : zero;
    scalars[op] = emitWhere(
        mask, other, [&] { return loadRun(address, type, 1, access); })[0];
    return success();
  }
  const Layout &layout = *layouts.ownLayoutOf(op);
  uint32_t count = layout.registerCount();
  unsigned width = layouts.accessWidth(op);
  Ids pointers = registersOf(op.getPtr(), layout);
  Ids masks(count, b.boolean(true)), others(count, zero);
  if (op.getMask())
    masks = registersOf(op.getMask(), layout);
  if (op.getOther())
    others = registersOf(op.getOther(), layout);
  auto load = [&](ArrayRef<Id> where) {
    return packNarrow(loadWhere(where, pointers, others, type, width, access),
                      type);
  };
  Id all = areAllTrue(masks, width);
  Ids values = !all || all == masks[0]
                   ? load(masks)
                   : emitEither(
                         all, [&] { return load(Ids(count, b.boolean(true))); },
                         [&] { return load(masks); });
  values = unpackNarrow(values, type, count);
  defineAll(op, std::move(values));
  return success();
}

LogicalResult Emitter::emitStore(tt::StoreOp op) {
  orderAccess(op);
  Type type = getElementTypeOrSelf(op.getValue().getType());
  spirv::MemoryAccess access = accessOf(op);
  if (!tileType(op.getPtr())) {
    Id isFirst = b.ieq(b.bitOr(lane, warp), b.u32(0));
    if (op.getMask())
      isFirst = both(isFirst, scalars[op.getMask()]);
    emitWhere(isFirst, {}, [&] {
      storeRun(op.getLoc(), scalars[op.getPtr()], scalars[op.getValue()], type,
               access);
      return Ids();
    });
    return success();
  }
  const Layout &layout = layouts.accessLayout(op);
  uint32_t count = layout.registerCount();
  unsigned width = layouts.accessWidth(op);
  Ids pointers = registersOf(op.getPtr(), layout);
  Ids values = registersOf(op.getValue(), layout);
  Ids masks(count, b.boolean(true));
  if (op.getMask())
    masks = registersOf(op.getMask(), layout);
  Id owner = isOwner(layout);
  auto store = [&](ArrayRef<Id> where) {
    forEachMask(where, width, [&](uint32_t first, uint32_t end) {
      emitWhere(both(owner, where[first]), {}, [&] {
        for (uint32_t at = first; at < end; at += width)
          storeRun(op.getLoc(), pointers[at], ArrayRef(values).slice(at, width),
                   type, access);
        return Ids();
      });
    });
    return Ids();
  };
  Id all = areAllTrue(masks, width);
  if (!all || all == masks[0])
    store(masks);
  else
    emitEither(
        all, [&] { return store(Ids(count, b.boolean(true))); },
        [&] { return store(masks); });
  return success();
}

} // namespace nereid::vulkan
