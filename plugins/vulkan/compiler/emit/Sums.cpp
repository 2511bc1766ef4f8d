// Sums.cpp - sums of integers and addresses, their constants apart.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The elements of a thread differ by constants. Added last, and after an offset
// was extended to 64 bits, a constant becomes the immediate offset of a load or
// store, and what is left is computed once for all of them.

#include "Emitter.h"

#include "analysis/TileForm.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::vulkan {

Emitter::Sum Emitter::sumOf(Id x) const {
  auto found = sums.find(x.number);
  if (found != sums.end())
    return found->second;
  unsigned bits = b.widthOf(x);
  std::optional<uint64_t> known = b.constantBits(x);
  if (!known || bits < 32)
    return {x, 0};
  int64_t constant = llvm::SignExtend64(*known, bits);
  return llvm::isInt<32>(constant) ? Sum{{}, constant} : Sum{x, 0};
}

Id Emitter::withConstant(Id rest, int64_t constant) {
  Id whole = b.iadd(rest, b.constant(b.typeOf(rest), constant));
  if (whole != rest && llvm::isInt<48>(constant))
    sums[whole.number] = {rest, constant};
  return whole;
}

/// What was computed before is not valid in every later block.
Id Emitter::inThisBlock(std::array<uint32_t, 3> key,
                        llvm::function_ref<Id()> compute) {
  if (b.currentBlock() != partsBlock) {
    parts.clear();
    partsBlock = b.currentBlock();
  }
  auto [found, isNew] = parts.try_emplace({key[0], {key[1], key[2]}});
  if (isNew) {
    Id value = compute();
    return parts[{key[0], {key[1], key[2]}}] = value;
  }
  return found->second;
}

Id Emitter::addSums(Id x, Id y) {
  Sum left = sumOf(x), right = sumOf(y);
  if (!left.rest && !right.rest)
    return b.iadd(x, y);
  if (!left.rest || !right.rest)
    return withConstant(left.rest ? left.rest : right.rest,
                        left.constant + right.constant);
  Id rest = inThisBlock({left.rest.number, right.rest.number, 0},
                        [&] { return b.iadd(left.rest, right.rest); });
  return withConstant(rest, left.constant + right.constant);
}

/// True if the constants in the offsets of `add` are constants of the
/// addresses: the sum does not overflow (Polynomial.h).
static bool hasPlainOffsets(tt::AddPtrOp add, codegen::TileForms &forms) {
  Value offset = add.getOffset();
  if (getElementTypeOrSelf(offset).isInteger(64))
    return true;
  if (!codegen::tileType(offset) || !getElementTypeOrSelf(offset).isInteger(32))
    return false;
  const codegen::TileForm *form = forms.of(add.getResult());
  return form && llvm::none_of(form->terms, [&](const auto &term) {
           return term.tensor == offset;
         });
}

Id Emitter::addOffset(tt::AddPtrOp add, Id pointer, Id offset) {
  auto pointee = cast<tt::PointerType>(getElementTypeOrSelf(add.getPtr()))
                     .getPointeeType();
  unsigned bytes = std::max(8u, tt::getElementBitWidth(pointee)) / 8;
  Type type = getElementTypeOrSelf(add.getOffset());
  Sum base = sumOf(pointer), by = {offset, 0};
  if (!base.rest)
    base = {pointer, 0};
  if (hasPlainOffsets(add, forms) || b.constantBits(offset))
    by = sumOf(offset);
  if (!by.rest)
    return withConstant(base.rest, base.constant + by.constant * bytes);
  Id rest = inThisBlock({base.rest.number, by.rest.number, bytes}, [&] {
    Id wide = extendSigned(withSign(by.rest, type), b.intType(64));
    return b.iadd(base.rest, b.imul(wide, b.u64(bytes)));
  });
  return withConstant(rest, base.constant + by.constant * bytes);
}

} // namespace nereid::vulkan
