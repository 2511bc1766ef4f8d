// DotOps.cpp: matrix products, plain and microscaled.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/Builders.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

namespace {

/// The logical shape of one product: sizes after packed formats are unpacked.
struct Product {
  RankedTensorType a, b, c;
  /// How many elements one stored element holds, along M, K and N.
  int64_t packM = 1, packLhsK = 1, packRhsK = 1, packN = 1;

  int64_t lhsK() const { return a.getShape().back() * packLhsK; }
};

} // namespace

static int64_t fromEnd(RankedTensorType type, int64_t dim) {
  return type.getDimSize(type.getRank() - dim);
}

/// a[.., M, K] * b[.., K, N] + c[.., M, N], with at most one leading dimension.
static LogicalResult verifyProduct(Operation *op, const Product &product) {
  auto [a, b, c, packM, packLhsK, packRhsK, packN] = product;
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || c.getRank() != rank)
    return op->emitOpError("needs three matrices, or three batches of them, "
                           "found ")
           << a << ", " << b << " and " << c;
  if (rank == 3 && (a.getDimSize(0) != b.getDimSize(0) ||
                    a.getDimSize(0) != c.getDimSize(0)))
    return op->emitOpError("needs equal batch sizes, found ")
           << a << ", " << b << " and " << c;
  int64_t lhsK = fromEnd(a, 1) * packLhsK, rhsK = fromEnd(b, 2) * packRhsK;
  if (lhsK != rhsK)
    return op->emitOpError("sums over ")
           << lhsK << " elements of a, but over " << rhsK << " of b";
  int64_t m = fromEnd(a, 2) * packM, n = fromEnd(b, 1) * packN;
  if (m != fromEnd(c, 2) || n != fromEnd(c, 1))
    return op->emitOpError("gives a matrix of ")
           << m << "x" << n << ", but c is " << c;
  return success();
}

//===----------------------------------------------------------------------===//
// DotOp
//===----------------------------------------------------------------------===//

LogicalResult DotOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      ValueRange operands, DictionaryAttr,
                                      OpaqueProperties, RegionRange,
                                      SmallVectorImpl<Type> &types) {
  if (operands.size() != 3)
    return failure();
  types.push_back(operands[2].getType());
  return success();
}

LogicalResult DotOp::verify() {
  Product product{getA().getType(), getB().getType(), getC().getType()};
  if (getElementBitWidth(product.a) != getElementBitWidth(product.b))
    return emitOpError("needs elements of equal width in a and b, found ")
           << product.a << " and " << product.b;
  return verifyProduct(*this, product);
}

//===----------------------------------------------------------------------===//
// DotScaledOp
//===----------------------------------------------------------------------===//

/// Two e2m1 codes lie in one i8, along K or along the other dimension.
static Product getProduct(DotScaledOp op) {
  Product product{op.getA().getType(), op.getB().getType(),
                  op.getC().getType()};
  if (op.getAElemType() == ScaleDotElemType::E2M1)
    (op.getLhsKPack() ? product.packLhsK : product.packM) = 2;
  if (op.getBElemType() == ScaleDotElemType::E2M1)
    (op.getRhsKPack() ? product.packRhsK : product.packN) = 2;
  return product;
}

int64_t DotScaledOp::getScaleFactor() {
  Value scale = getAScale() ? getAScale() : getBScale();
  if (!scale)
    return 0;
  return getProduct(*this).lhsK() /
         cast<RankedTensorType>(scale.getType()).getShape().back();
}

/// A scale is [.., rows, K / factor], and the factor is 16 or 32.
static LogicalResult verifyScale(DotScaledOp op, StringRef name, Value scale,
                                 int64_t rows, int64_t k) {
  if (!scale)
    return success();
  auto type = cast<RankedTensorType>(scale.getType());
  if (type.getRank() < 2 || fromEnd(type, 2) != rows)
    return op.emitOpError()
           << name << " needs " << rows << " rows, found " << type;
  int64_t columns = fromEnd(type, 1);
  if (columns == 0 || (k != 16 * columns && k != 32 * columns))
    return op.emitOpError()
           << name << " must cover the " << k
           << " summed elements in groups of 16 or 32, found " << type;
  return success();
}

LogicalResult DotScaledOp::verify() {
  Product product = getProduct(*this);
  if (failed(verifyProduct(*this, product)))
    return failure();
  int64_t k = product.lhsK();
  if (failed(verifyScale(*this, "a_scale", getAScale(), fromEnd(product.c, 2),
                         k)) ||
      failed(
          verifyScale(*this, "b_scale", getBScale(), fromEnd(product.c, 1), k)))
    return failure();
  return success();
}
