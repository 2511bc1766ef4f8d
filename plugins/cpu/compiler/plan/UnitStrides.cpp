// UnitStrides.cpp - strides that are arguments, and are one in most launches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Triton compiles arguments that are one as constants, but not those whose
// parameter has an annotation (`stride: int`, as in all element-wise kernels of
// FlagGems) or is in `do_not_specialize`, nor in compilations ahead of time. A
// GPU loads from computed addresses as fast; a CPU has to gather. So a kernel
// with such strides gets a form in which all of them are one, and its entry
// looks at the arguments.

#include "plan/UnitStrides.h"

#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/FoldUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::Polynomial;

/// The argument that `stride` is and that may be one.
static BlockArgument unknownStride(const Polynomial &stride) {
  if (stride.terms().size() != 1 || stride.divisibility() != 1)
    return {};
  const codegen::Monomial &term = stride.terms().front();
  if (term.coefficient != 1 || term.factors.size() != 1)
    return {};
  auto argument = dyn_cast<BlockArgument>(term.factors.front());
  bool isOfKernel = argument &&
                    isa<tt::FuncOp>(argument.getOwner()->getParentOp()) &&
                    argument.getOwner()->isEntryBlock();
  return isOfKernel ? argument : BlockArgument();
}

llvm::SmallVector<BlockArgument> findUnitStrides(tt::FuncOp kernel) {
  codegen::TileForms forms;
  llvm::SmallSetVector<BlockArgument, 4> found;
  kernel.walk([&](Operation *op) {
    codegen::TileOpInfo info = codegen::infoOf(op);
    auto tile =
        info.pointers ? codegen::tileType(info.pointers->get()) : nullptr;
    const codegen::TileForm *form =
        tile ? forms.of(info.pointers->get()) : nullptr;
    if (!form || info.isAtomic)
      return;
    BlockArgument last;
    for (unsigned dim = 0; dim < tile.getRank(); ++dim) {
      if (tile.getDimSize(dim) == 1)
        continue;
      std::optional<Polynomial> stride = forms.strideUnlessWrapped(*form, dim);
      if (stride && stride->constant() == 1)
        return;
      last = stride ? unknownStride(*stride) : BlockArgument();
    }
    if (last)
      found.insert(last);
  });
  llvm::SmallVector<BlockArgument> arguments(found.begin(), found.end());
  llvm::sort(arguments, [](BlockArgument a, BlockArgument b) {
    return a.getArgNumber() < b.getArgNumber();
  });
  return arguments;
}

tt::FuncOp copyWithUnitStrides(tt::FuncOp kernel,
                               llvm::ArrayRef<BlockArgument> arguments) {
  OpBuilder builder(kernel);
  auto copy = cast<tt::FuncOp>(builder.clone(*kernel));
  builder.setInsertionPointToStart(&copy.getBody().front());
  for (BlockArgument original : arguments) {
    BlockArgument argument = copy.getArgument(original.getArgNumber());
    argument.replaceAllUsesWith(builder.create<arith::ConstantOp>(
        kernel.getLoc(), builder.getIntegerAttr(argument.getType(), 1)));
  }
  // Extensions and products of the strides; their users come after them.
  OperationFolder folder(kernel.getContext());
  SmallVector<Operation *> operations;
  copy.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { operations.push_back(op); });
  for (Operation *op : operations)
    if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
      (void)folder.tryToFold(op);
  return copy;
}

} // namespace nereid::cpu
