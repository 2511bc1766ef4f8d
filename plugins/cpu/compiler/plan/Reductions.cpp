// Reductions.cpp - where reductions start, and which elements they leave out.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

#include "analysis/MaskIntervals.h"
#include "tile/Combine.h"
#include "tile/ConstantWhere.h"

using namespace mlir;

namespace nereid::cpu {

/// The constant that the operand of a reduction is where some mask of a load
/// under it is false, if it can be left out; null if several masks lead to
/// different ones.
static Attribute leftOutOf(const Root &root, codegen::Combine combine,
                           const TileProgram &program,
                           codegen::TileForms &forms) {
  Attribute leftOut;
  for (const TileRead &read : readsOf(root, program).loads) {
    Value mask = read.value.getDefiningOp<tt::LoadOp>().getMask();
    if (!mask)
      continue;
    for (const codegen::MaskConjunct &conjunct :
         codegen::conjunctsOf(mask, forms)) {
      Attribute value = codegen::constantWhere(
          root.op->getOperand(0), conjunct.in(read.map), forms);
      if (!combine.isIdempotent(value) || value == leftOut)
        continue;
      if (leftOut)
        return {};
      leftOut = value;
    }
  }
  return leftOut;
}

void planReductions(Nest &nest, const TileProgram &program,
                    codegen::TileForms &forms) {
  for (Inner &inner : nest.inners)
    for (Root &root : inner.roots) {
      if (root.kind != RootKind::Reduce)
        continue;
      codegen::Combine combine = codegen::combineOf(root.op->getRegion(0));
      root.identity = combine.identity(
          getElementTypeOrSelf(root.op->getOperand(0).getType()));
      root.leftOut = leftOutOf(root, combine, program, forms);
    }
}

} // namespace nereid::cpu
