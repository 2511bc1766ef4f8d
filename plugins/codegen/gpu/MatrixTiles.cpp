// MatrixTiles.cpp - what the matrices of a tile are made of.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/MatrixTiles.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::codegen::gpu {

static bool isSplatConstant(Value tile) {
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  return elements && elements.isSplat();
}

MatrixSource MatrixTiles::sourceOf(Value tile) const {
  if (holds(tile))
    return {MatrixSource::Matrices, tile};
  if (isSplatConstant(tile) || tile.getDefiningOp<tt::SplatOp>())
    return {MatrixSource::Splat, tile};
  auto broadcast = tile.getDefiningOp<tt::BroadcastOp>();
  if (!broadcast)
    return {MatrixSource::Tile, tile};
  Value vector = broadcast.getSrc();
  auto type = cast<RankedTensorType>(vector.getType());
  // Narrower elements cannot be stored one by one.
  if (type.getRank() == 2 && tt::getElementBitWidth(type) == 32) {
    if (type.getDimSize(0) == 1 && type.getDimSize(1) > 1)
      return {MatrixSource::Row, vector};
    if (type.getDimSize(1) == 1 && type.getDimSize(0) > 1)
      return {MatrixSource::Column, vector};
  }
  return {MatrixSource::Tile, tile};
}

} // namespace nereid::codegen::gpu
