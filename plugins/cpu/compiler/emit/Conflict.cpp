// Conflict.cpp - run-time aliasing checks: do accesses overlap, or repeat
// addresses?
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/Emitter.h"
#include "plan/TermRange.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::Hazard;

/// Bytes of an element behind `pointers`.
static int64_t elementSize(Emitter &emitter, Value pointers) {
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointers.getType()));
  return Emitter::bytesOf(emitter.memoryType(type.getPointeeType()));
}

namespace {
/// The address range of a tile of pointers: `size` bytes, starting `low` bytes
/// after a scalar pointer.
struct ConstantExtent {
  codegen::Polynomial low;
  int64_t size = 0;
};
} // namespace

/// The extent, if all strides are constant.
static std::optional<ConstantExtent> constantExtentOf(Emitter &emitter,
                                                      Value pointers) {
  const codegen::TileForm &form = *emitter.forms.of(pointers);
  if (!form.isAffine())
    return std::nullopt;
  auto type = cast<RankedTensorType>(pointers.getType());
  int64_t bytes = elementSize(emitter, pointers), low = 0, high = 0;
  for (auto [dim, stride] : llvm::enumerate(form.strides)) {
    std::optional<int64_t> step = stride.constant();
    int64_t reach;
    if (!step ||
        llvm::MulOverflow(*step, bytes * (type.getDimSize(dim) - 1), reach))
      return std::nullopt;
    if (llvm::AddOverflow(reach < 0 ? low : high, reach,
                          reach < 0 ? low : high))
      return std::nullopt;
  }
  constexpr int64_t kMost = int64_t(1) << 60;
  if (-low > kMost || high > kMost)
    return std::nullopt;
  return ConstantExtent{form.base.scaled(bytes) + codegen::Polynomial(low),
                        high - low + bytes};
}

/// The least and the largest element of a tile of integers in scratch, i64.
static std::pair<llvm::Value *, llvm::Value *> extremaOf(Emitter &emitter,
                                                         Value tile) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto type = cast<RankedTensorType>(tile.getType());
  auto *element = cast<llvm::IntegerType>(emitter.memoryType(type));
  unsigned bits = element->getBitWidth();
  int64_t count = type.getNumElements();
  int64_t lanes =
      std::min<int64_t>(count, emitter.options.cpu.vectorBits / bits);
  auto *vector = llvm::FixedVectorType::get(element, lanes);
  llvm::Value *buffer = emitter.bufferPointer(tile);
  llvm::Value *extrema[2] = {
      llvm::ConstantInt::get(vector, llvm::APInt::getSignedMaxValue(bits)),
      llvm::ConstantInt::get(vector, llvm::APInt::getSignedMinValue(bits))};
  emitLoop(b, b.getInt64(count), lanes, extrema, [&](llvm::Value *index) {
    llvm::Value *next = emitter.inMemory(
        b.CreateAlignedLoad(vector, b.CreateGEP(element, buffer, index),
                            llvm::Align(bits / 8)),
        Memory::Scratch);
    extrema[0] =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, extrema[0], next);
    extrema[1] =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, extrema[1], next);
  });
  return {b.CreateSExt(b.CreateIntMinReduce(extrema[0], true), b.getInt64Ty()),
          b.CreateSExt(b.CreateIntMaxReduce(extrema[1], true), b.getInt64Ty())};
}

namespace {
/// The least and the largest number of a tile, or its first byte and one past
/// the last, i64.
struct NumberRange {
  llvm::Value *low, *high;
  llvm::Value *isUnknown; // i1: the numbers are too large to tell
};
} // namespace

static NumberRange rangeOf(Emitter &emitter, Value tile);

/// Of a tile with `form` and `shape`, without a pointer.
static NumberRange rangeOf(Emitter &emitter, const codegen::TileForm &form,
                           ArrayRef<int64_t> shape) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Value *low = emitter.polynomial(form.base), *high = low;
  for (auto [stride, size] : llvm::zip(form.strides, shape)) {
    if (stride.isZero())
      continue;
    llvm::Value *reach =
        b.CreateMul(emitter.polynomial(stride), b.getInt64(size - 1));
    low = b.CreateAdd(low, emitter.smaller(reach, b.getInt64(0)));
    high = b.CreateAdd(high, emitter.larger(reach, b.getInt64(0)));
  }
  // A row that is masked off may have any number.
  constexpr int64_t kMost = int64_t(1) << 56;
  llvm::Value *isUnknown = b.getFalse();
  for (const codegen::TileTerm &term : form.terms) {
    NumberRange range = rangeOf(emitter, term.tensor);
    isUnknown = b.CreateOr(isUnknown, range.isUnknown);
    llvm::Value *factor = emitter.polynomial(term.coefficient), *ends[2];
    for (auto [end, number] :
         llvm::zip(ends, std::array{range.low, range.high})) {
      llvm::Value *product = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smul_with_overflow, number, factor);
      end = b.CreateExtractValue(product, 0);
      isUnknown = b.CreateOr(isUnknown, b.CreateExtractValue(product, 1));
      isUnknown = b.CreateOr(
          isUnknown, b.CreateICmpUGE(b.CreateAdd(end, b.getInt64(kMost)),
                                     b.getInt64(2 * kMost)));
    }
    low = b.CreateAdd(low, emitter.smaller(ends[0], ends[1]));
    high = b.CreateAdd(high, emitter.larger(ends[0], ends[1]));
  }
  return {low, high, isUnknown};
}

/// Of a tile of integers in scratch, a part of an index, or a quotient or a
/// remainder of numbers that are not negative and do not overflow.
static NumberRange rangeOf(Emitter &emitter, Value tile) {
  llvm::IRBuilder<> &b = emitter.builder;
  if (auto numbers = codegen::numbersOf(tile))
    return {emitter.i64(numbers->first), emitter.i64(numbers->second),
            b.getFalse()};
  if (emitter.program.isMaterialized(tile)) {
    auto [least, most] = extremaOf(emitter, tile);
    return {least, most, b.getFalse()};
  }
  DividedForm divided = *dividedFormOf(tile, emitter.forms);
  NumberRange range =
      rangeOf(emitter, *divided.dividend, codegen::tileType(tile).getShape());
  llvm::Value *divisor = emitter.polynomial(divided.divisor);
  llvm::Value *isUnknown = b.CreateOr(
      range.isUnknown,
      b.CreateOr(b.CreateICmpUGT(range.low, b.getInt64(divided.most)),
                 b.CreateICmpUGT(range.high, b.getInt64(divided.most))));
  isUnknown = b.CreateOr(isUnknown, b.CreateICmpSLT(divisor, b.getInt64(1)));
  divisor = emitter.larger(divisor, b.getInt64(1));
  if (divided.isRemainder)
    return {b.getInt64(0),
            emitter.smaller(range.high, b.CreateSub(divisor, b.getInt64(1))),
            isUnknown};
  return {b.CreateSDiv(range.low, divisor), b.CreateSDiv(range.high, divisor),
          isUnknown};
}

static NumberRange extentOf(Emitter &emitter, Value pointers) {
  llvm::IRBuilder<> &b = emitter.builder;
  const codegen::TileForm &form = *emitter.forms.of(pointers);
  int64_t size = elementSize(emitter, pointers);
  NumberRange elements =
      rangeOf(emitter, form, codegen::tileType(pointers).getShape());
  llvm::Value *base =
      b.CreatePtrToInt(emitter.scalar(form.pointer), b.getInt64Ty());
  auto byte = [&](llvm::Value *element) {
    return b.CreateAdd(base, b.CreateMul(element, b.getInt64(size)));
  };
  return {byte(elements.low), byte(b.CreateAdd(elements.high, b.getInt64(1))),
          elements.isUnknown};
}

/// An i1: the ranges of `first` and `second` overlap and, with `isAhead`,
/// `second` begins above `first`.
static llvm::Value *overlap(Emitter &emitter, Value first, Value second,
                            bool isAhead) {
  llvm::IRBuilder<> &builder = emitter.builder;
  auto fixedA = constantExtentOf(emitter, first);
  auto fixedB = constantExtentOf(emitter, second);
  if (fixedA && fixedB) {
    auto pointer = [&](Value tile) {
      return builder.CreatePtrToInt(
          emitter.scalar(emitter.forms.of(tile)->pointer),
          builder.getInt64Ty());
    };
    // The distance from the first to the second is above -size of the second,
    // or above 0, and below size of the first: one unsigned comparison.
    int64_t lowest = isAhead ? 1 : 1 - fixedB->size;
    codegen::Polynomial offset =
        fixedB->low - fixedA->low - codegen::Polynomial(lowest);
    llvm::Value *distance = builder.CreateAdd(
        builder.CreateSub(pointer(second), pointer(first)),
        emitter.polynomial(offset));
    return builder.CreateICmpULT(distance,
                                 builder.getInt64(fixedA->size - lowest));
  }
  NumberRange a = extentOf(emitter, first), b = extentOf(emitter, second);
  llvm::Value *isUnknown = builder.CreateOr(a.isUnknown, b.isUnknown);
  llvm::Value *isShared =
      builder.CreateAnd(builder.CreateICmpSLT(a.low, b.high),
                        builder.CreateICmpSLT(b.low, a.high));
  return builder.CreateOr(isUnknown, isShared);
}

/// An i1: false only if all elements of `pointers` have different addresses:
/// the stride of each dimension exceeds the extent of all dimensions after it,
/// or of all before it.
static llvm::Value *repeats(Emitter &emitter, Value pointers) {
  llvm::IRBuilder<> &b = emitter.builder;
  const codegen::TileForm &form = *emitter.forms.of(pointers);
  auto type = cast<RankedTensorType>(pointers.getType());
  auto isOrdered = [&](auto &&dims) {
    llvm::Value *reach = b.getInt64(0), *all = b.getTrue();
    for (unsigned dim : dims) {
      if (type.getDimSize(dim) == 1)
        continue;
      llvm::Value *stride = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::abs, emitter.polynomial(form.strides[dim]),
          b.getFalse());
      all = b.CreateAnd(all, b.CreateICmpSGT(stride, reach));
      reach = b.CreateAdd(
          reach, b.CreateMul(stride, b.getInt64(type.getDimSize(dim) - 1)));
    }
    return all;
  };
  auto dims = llvm::seq<unsigned>(0, type.getRank());
  return b.CreateNot(
      b.CreateOr(isOrdered(llvm::reverse(dims)), isOrdered(dims)));
}

/// Can the range of addresses of `pointers` be computed?
static bool hasExtent(Emitter &emitter, Value pointers, bool isAffine) {
  const codegen::TileForm *form = emitter.forms.of(pointers);
  if (!form || form->isAffine() || isAffine)
    return form && form->isAffine();
  auto isAny = [](const codegen::Polynomial &) { return true; };
  return hasRange(
      *form, emitter.forms, isAny, [&](Value tensor) -> std::optional<bool> {
        const Buffer *buffer = emitter.program.materialized.lookup(tensor);
        if (!buffer)
          return std::nullopt;
        return buffer->tiles == 1 && !buffer->panel;
      });
}

llvm::Value *emitConflict(Emitter &emitter, const Conflict &conflict) {
  bool isAffine = conflict.hazard != Hazard::IfOverlapping;
  for (Value pointers : {conflict.first, conflict.second})
    if (!hasExtent(emitter, pointers, isAffine))
      return emitter.builder.getTrue();
  if (conflict.hazard == Hazard::IfRepeated)
    return repeats(emitter, conflict.first);
  return overlap(emitter, conflict.first, conflict.second,
                 conflict.hazard == Hazard::IfAhead);
}

} // namespace nereid::cpu
