// ShapeForms.cpp - the forms of constants, ranges and shape operations.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/TileForm.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

/// Integer constants that all elements of `op`'s result share.
static std::optional<int64_t> splatConstant(Operation *op) {
  DenseElementsAttr dense;
  if (!matchPattern(op, m_Constant(&dense)) || !dense.isSplat() ||
      !dense.getElementType().isIntOrIndex())
    return std::nullopt;
  APInt number = dense.getSplatValue<APInt>();
  if (number.getBitWidth() > 64)
    return std::nullopt;
  return number.getBitWidth() == 1 ? number.getZExtValue()
                                   : number.getSExtValue();
}

std::optional<TileForm> formAt(const TileForm &form,
                               ArrayRef<IndexSource> map,
                                      unsigned rank) {
  TileForm result;
  result.pointer = form.pointer;
  result.base = form.base;
  result.strides.resize(rank);
  for (auto [dim, stride] : llvm::enumerate(form.strides)) {
    IndexSource source = map[dim];
    if (stride.isZero() || source.kind == IndexSource::Zero)
      continue;
    if (source.kind != IndexSource::Dim)
      return std::nullopt;
    result.strides[source.dim] = result.strides[source.dim] + stride;
  }
  result.mayWrap = mapDims(form.mayWrap, map, ~DimSet(0));
  for (const TileTerm &term : form.terms) {
    TileTerm moved = term;
    moved.map = compose(term.map, map);
    if (hasOther(moved.map))
      return std::nullopt;
    moved.dependsOn = mapDims(term.dependsOn, map, ~DimSet(0));
    result.terms.push_back(std::move(moved));
  }
  return result;
}

std::optional<TileForm> TileForms::computeShape(Operation *op) {
  if (std::optional<int64_t> number = splatConstant(op)) {
    TileForm form;
    form.base = *number;
    form.strides.resize(rankOf(op->getResult(0)));
    return form;
  }
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    TileForm form;
    form.base = range.getStartAttr().getInt();
    form.strides.push_back(1);
    return form;
  }
  if (!isShapeOp(op))
    return std::nullopt;
  const TileForm *form = of(op->getOperand(0));
  if (!form)
    return std::nullopt;
  if (isa<tt::ReshapeOp>(op))
    if (std::optional<TileForm> result = computeReshape(op, *form))
      return result;
  unsigned rank = rankOf(op->getResult(0));
  return formAt(*form, operandMap(op, 0, identityMap(rank)), rank);
}

/// Dimensions are grouped from the left so that both sides of a reshape have
/// the same number of elements in each group. Unlike operandMap(), this also
/// merges dimensions whose strides are contiguous.
std::optional<TileForm> TileForms::computeReshape(Operation *op,
                                                  const TileForm &form) {
  if (!form.isAffine())
    return std::nullopt;
  ArrayRef<int64_t> from = tileType(op->getOperand(0)).getShape();
  ArrayRef<int64_t> to = tileType(op->getResult(0)).getShape();
  TileForm result;
  result.pointer = form.pointer;
  result.base = form.base;
  result.strides.resize(to.size());
  if (form.mayWrap)
    result.mayWrap = ~DimSet(0);
  size_t a = 0, b = 0;
  while (a < from.size() || b < to.size()) {
    size_t firstA = a, firstB = b;
    int64_t sizeA = a < from.size() ? from[a++] : 1;
    int64_t sizeB = b < to.size() ? to[b++] : 1;
    while (sizeA != sizeB)
      if (sizeA < sizeB)
        sizeA *= from[a++];
      else
        sizeB *= to[b++];
    // The stride of the group as one dimension is that of its last dimension
    // with more than one index.
    Polynomial stride;
    int64_t count = 1;
    for (size_t dim = a; dim-- > firstA;) {
      if (from[dim] == 1)
        continue;
      if (count == 1)
        stride = form.strides[dim];
      else if (!(form.strides[dim] == stride.scaled(count)))
        return std::nullopt;
      count *= from[dim];
    }
    count = 1;
    for (size_t dim = b; dim-- > firstB;) {
      if (to[dim] != 1)
        result.strides[dim] = stride.scaled(count);
      count *= to[dim];
    }
  }
  return result;
}

/// True if nothing is computed: one scalar, or the elements of one tile.
static bool isValue(const TileForm &form) {
  if (form.isUniform())
    return form.base.isValue();
  bool isOneTerm = form.terms.size() == 1 &&
                   form.terms.front().coefficient == Polynomial(1);
  return isOneTerm && form.base.isZero() &&
         llvm::all_of(form.strides,
                      [](const Polynomial &stride) { return stride.isZero(); });
}

/// The form of a tile of integers, sign-extended to 64 bits; none if it
/// certainly wraps in its own type.
std::optional<TileForm> TileForms::extend(Value source) {
  Type element = getElementTypeOrSelf(source);
  const TileForm *form = of(source);
  if (!form || element.isInteger(1))
    return std::nullopt;
  if (element.isIndex() || element.isInteger(64))
    return *form;
  unsigned bits = element.getIntOrFloatBitWidth();
  ArrayRef<int64_t> shape = tileType(source).getShape();
  if (auto range = form->range(shape)) {
    if (!llvm::isIntN(bits, range->first) || !llvm::isIntN(bits, range->second))
      return std::nullopt;
    return *form;
  }
  if (bits < kOffsetBits && !isValue(*form))
    return std::nullopt;
  if (form->base.exceeds(bits))
    return std::nullopt;
  for (const TileTerm &term : form->terms)
    if (term.coefficient.exceeds(bits))
      return std::nullopt;
  for (auto [stride, size] : llvm::zip(form->strides, shape)) {
    // The stride exceeds the range of the type.
    std::optional<int64_t> known = stride.constant();
    if (stride.exceeds(bits) ||
        (known && !llvm::isIntN(bits + 1, *known * (size - 1))))
      return std::nullopt;
  }
  TileForm result = *form;
  result.mayWrap |= result.dependsOn();
  return result;
}

} // namespace nereid::codegen
