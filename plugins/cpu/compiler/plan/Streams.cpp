// Streams.cpp - stores that may bypass the caches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Streams.h"

using namespace mlir;

namespace nereid::cpu {

Value argumentOf(Value pointers, codegen::TileForms &forms) {
  if (isTile(pointers)) {
    const codegen::TileForm *form = forms.of(pointers);
    pointers = form ? form->pointer : Value();
  }
  while (pointers)
    if (auto add = pointers.getDefiningOp<tt::AddPtrOp>())
      pointers = add.getPtr();
    else
      break;
  auto argument = dyn_cast_or_null<BlockArgument>(pointers);
  return argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp())
             ? argument
             : Value();
}

/// The arguments through which `function` reads memory; none if that is not
/// known, or if it communicates: streaming stores are not ordered.
static std::optional<llvm::DenseSet<Value>>
readArguments(tt::FuncOp function, codegen::TileForms &forms) {
  llvm::DenseSet<Value> arguments;
  WalkResult result = function.walk([&](Operation *op) {
    if (codegen::infoOf(op).isAtomic || isVolatileLoad(op))
      return WalkResult::interrupt();
    auto load = dyn_cast<tt::LoadOp>(op);
    if (!load)
      return WalkResult::advance();
    Value argument = argumentOf(load.getPtr(), forms);
    arguments.insert(argument);
    return argument ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return arguments;
}

/// True if `store` writes rows of at least some lines, vector by vector.
static bool writesRows(tt::StoreOp store, const Nest &nest,
                       codegen::TileForms &forms) {
  constexpr int64_t kLeastVector = 16, kLeastRow = 256; // bytes
  const codegen::TileForm *form = forms.of(store.getPtr());
  if (!form || !form->isAffine() ||
      form->strides[nest.vectorAxis].constant() != 1)
    return false;
  int64_t bytes =
      tt::getElementBitWidth(getElementTypeOrSelf(store.getValue().getType())) /
      8;
  return bytes * nest.lanes >= kLeastVector &&
         bytes * nest.shape[nest.vectorAxis] >= kLeastRow;
}

bool planStreams(TileProgram &program, codegen::TileForms &forms,
                 const GenerateOptions &options) {
  if (!options.cpu.hasStreamingStores ||
      !options.fastPaths.has(FastPath::StreamingStores))
    return false;
  auto read = readArguments(program.function, forms);
  if (!read)
    return false;
  bool any = false;
  for (auto &[block, plan] : program.blocks)
    for (Step &step : plan.steps) {
      // Blocks that are transposed write parts of lines, of many rows in turn:
      // such parts are not combined on their way to memory.
      if (step.kind != StepKind::Nest || step.nest->transposition)
        continue;
      for (Inner &inner : step.nest->inners)
        for (Root &root : inner.roots) {
          auto store = dyn_cast_or_null<tt::StoreOp>(root.op);
          if (root.kind != RootKind::Store || !store)
            continue;
          Value argument = argumentOf(store.getPtr(), forms);
          root.canStream = argument && !read->contains(argument) &&
                           writesRows(store, *step.nest, forms);
          any |= root.canStream;
        }
    }
  return any;
}

} // namespace nereid::cpu
