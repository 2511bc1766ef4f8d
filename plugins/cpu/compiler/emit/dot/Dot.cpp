// Dot.cpp - tt.dot: calls of the functions that pack and multiply tiles.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/dot/Deferred.h"
#include "emit/dot/Terms.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::cpu {

std::string nameOfDot(llvm::StringRef what, const DotShape &shape) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << what << '.' << shape.factor << '.';
  if (shape.batches > 1)
    os << shape.batches << 'x';
  os << shape.rows << 'x' << shape.columns << 'x' << shape.depth;
  if (shape.repeats())
    os << ".deferred" << (shape.left.iteration ? "" : ".right")
       << (shape.right.iteration ? "" : ".left");
  // How operands are stored.
  if (shape.repeats())
    os << ".x" << shape.iterations;
  if (shape.isLeftInPlace)
    os << ".in.place";
  if (shape.left.iteration && !shape.isLeftJoined())
    os << ".tiles";
  if (shape.kind == DotKind::Elements && shape.right.step == shape.columns &&
      shape.columns > shape.block.lanes * shape.block.vectors)
    os << ".rows";
  return name;
}

llvm::Function *
functionOfDot(Emitter &emitter, const std::string &name,
              ArrayRef<llvm::Type *> arguments,
              llvm::function_ref<void(llvm::Function *)> write) {
  if (llvm::Function *known = emitter.module.getFunction(name))
    return known;
  llvm::IRBuilder<> &b = emitter.builder;
  auto *type = llvm::FunctionType::get(b.getVoidTy(), arguments, false);
  auto *function = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                          name, emitter.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  for (llvm::Argument &argument : function->args())
    if (argument.getType()->isPointerTy())
      argument.addAttr(llvm::Attribute::NoAlias);
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(
      llvm::BasicBlock::Create(emitter.context(), "entry", function));
  // Source lines belong to the callers.
  b.SetCurrentDebugLocation(llvm::DebugLoc());
  write(function);
  b.CreateRetVoid();
  return function;
}

llvm::Value *firstTile(Emitter &emitter, const DeferredDots *deferred,
                       const DotOperand &operand) {
  const Buffer *buffer = emitter.program.bufferOf(operand);
  if (isDeferred(deferred, buffer))
    if (llvm::Value *start = emitter.deferredStarts.lookup(buffer))
      return start;
  return operand.packed ? emitter.buffers.lookup(operand.packed)
                        : emitter.bufferPointer(operand.value);
}

llvm::Value *sumsUnlessStored(Emitter &emitter, const DotShape &shape,
                              tt::DotOp op) {
  if (shape.store->hasElementOps())
    return llvm::ConstantPointerNull::get(emitter.builder.getPtrTy());
  return emitter.bufferPointer(op.getResult());
}

void emitProduct(Emitter &emitter, tt::DotOp op,
                 const ProductOperands &operands,
                 ArrayRef<llvm::Value *> prefetches) {
  if (llvm::Value *isInPlace = operands.isInPlace) {
    ProductOperands packed = operands;
    packed.isInPlace = nullptr;
    emitIf(emitter, isInPlace,
           [&] { emitFewRowsProduct(emitter, op, operands); });
    return emitIf(emitter, emitter.builder.CreateNot(isInPlace),
                  [&] { emitProduct(emitter, op, packed, prefetches); });
  }
  llvm::IRBuilder<> &b = emitter.builder;
  const DotPlan &plan = emitter.program.dots.at(op);
  DotShape shape = shapeOf(emitter, op);
  // For tile registers, all left operands have been packed row-major.
  bool readsColumns = shape.isLeftTransposed && shape.kind != DotKind::Tiles;
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  SmallVector<llvm::Type *> types = {pointer, pointer, pointer, i64, i64};
  if (shape.hasFirstRow)
    types.push_back(i64);
  if (shape.isLeftInPlace)
    types.push_back(i64);
  if (shape.mayStartAtZero)
    types.push_back(b.getInt1Ty());
  if (shape.hasFactors)
    types.push_back(pointer);
  if (plan.leftTerms)
    types.push_back(pointer);
  if (shape.store)
    types.append({pointer, i64});
  for (size_t i = 0; i < shape.prefetches.size(); ++i)
    types.append({pointer, i64, i64});
  std::string name =
      nameOfDot(readsColumns ? "dot.left.transposed" : "dot", shape);
  if (shape.startsAtZero)
    name += ".from.zero";
  if (shape.mayStartAtZero)
    name += ".first.from.zero";
  if (shape.hasFactors)
    name += ".scaled";
  if (shape.store)
    name += ".stores";
  if (shape.store && shape.store->hasElementOps())
    name += llvm::formatv(".{0}", shape.store->number);
  if (shape.hasRowLimit)
    name += shape.hasFirstRow ? ".part" : ".limited";
  for (const PrefetchShape &prefetch : shape.prefetches)
    name += llvm::formatv(".{0}.{1}x{2}x{3}",
                          prefetch.isWritten ? "result" : "prefetch",
                          prefetch.iterations, prefetch.rows, prefetch.lines);
  llvm::Function *function =
      functionOfDot(emitter, name, types, [&](llvm::Function *f) {
        auto next = f->arg_begin();
        DotArguments in{next++, next++, next++, next++, next++};
        if (!shape.repeats())
          in.iterations = emitter.i64(1);
        if (shape.hasFirstRow)
          in.firstRow = next++;
        if (shape.isLeftInPlace)
          in.row = next++;
        if (shape.mayStartAtZero)
          in.isFirst = next++;
        if (shape.hasFactors)
          in.factors = next++;
        if (plan.leftTerms)
          in.terms = next++;
        if (shape.store) {
          // They may be written where the sums before are read.
          f->removeParamAttr(2, llvm::Attribute::NoAlias);
          next->removeAttr(llvm::Attribute::NoAlias);
          in.written = next++;
          in.writtenRow = next++;
        }
        SmallVector<llvm::Value *> addresses;
        for (; next != f->arg_end(); ++next)
          addresses.push_back(next);
        in.prefetches = addresses;
        if (shape.kind == DotKind::Tiles)
          emitTileDot(emitter, shape, in);
        else
          emitVectorDot(emitter, shape, in);
      });
  SmallVector<llvm::Value *> arguments = {
      operands.left, operands.right, emitter.bufferPointer(op.getResult()),
      operands.iterations,
      plan.rows ? emitter.scalar(plan.rows) : emitter.i64(shape.rows)};
  if (shape.hasFirstRow)
    arguments.push_back(emitter.scalar(plan.firstRow));
  if (shape.isLeftInPlace)
    arguments.push_back(operands.row);
  if (shape.mayStartAtZero)
    arguments.push_back(operands.isFirst);
  if (shape.hasFactors)
    arguments.push_back(emitter.bufferPointer(plan.rowFactors));
  if (plan.leftTerms)
    arguments.push_back(emitter.buffers.lookup(plan.leftTerms));
  if (shape.store && operands.written)
    arguments.append({operands.written, operands.writtenRow});
  else if (shape.store)
    arguments.append({sumsUnlessStored(emitter, shape, op),
                      emitter.i64(shape.sumRowBytes())});
  auto *nothing = llvm::ConstantPointerNull::get(b.getPtrTy());
  for (size_t i = 0; prefetches.empty() && i < shape.prefetches.size(); ++i)
    arguments.append({nothing, emitter.i64(0), emitter.i64(0)});
  llvm::append_range(arguments, prefetches);
  b.CreateCall(function, arguments);
}

using EmitPack = void(Emitter &, const DotShape &, llvm::Value *, llvm::Value *,
                      llvm::Value *);

/// Packs `operand` from `source` or, if that is null, from its buffer.
static void pack(Emitter &emitter, tt::DotOp op, const DotOperand &operand,
                 const char *what, EmitPack *emitPack,
                 const PackSource &source = {}) {
  if (!operand.packed)
    return;
  llvm::IRBuilder<> &b = emitter.builder;
  DotShape shape = shapeOf(emitter, op);
  std::string name = what;
  if (operand.isTransposed)
    name += ".transposed";
  llvm::Function *function = functionOfDot(
      emitter, nameOfDot(name, shape),
      {b.getPtrTy(), b.getInt64Ty(), b.getPtrTy()}, [&](llvm::Function *f) {
        emitPack(emitter, shape, f->getArg(0), f->getArg(1), f->getArg(2));
      });
  llvm::Value *from = emitter.bufferPointer(operand.value);
  llvm::Value *row =
      emitter.i64(codegen::tileType(operand.value).getShape().back());
  if (source.isUsed) {
    from = b.CreateSelect(source.isUsed, source.first, from);
    row = b.CreateSelect(source.isUsed, source.row, row);
  }
  b.CreateCall(function, {from, row, emitter.buffers.lookup(operand.packed)});
}

void emitDot(Emitter &emitter, tt::DotOp dot) {
  const DotPlan &plan = emitter.program.dots.at(dot);
  DeferredDotsEmitter *deferred = nullptr;
  if (emitter.program.deferredDotsOf(dot))
    deferred = emitter.deferredLoops.lookup(dot->getParentOp());
  emitIf(emitter, emitter.unlessFilled(plan.left.packed),
         [&] { pack(emitter, dot, plan.left, "pack.left", emitPackLeft); });
  if (plan.right.packed)
    emitIf(emitter,
           emitter.unlessFilled(plan.right.packed,
                                deferred ? deferred->mustPackRight() : nullptr),
           [&] {
             pack(emitter, dot, plan.right, "pack.right",
                  plan.terms > 1 ? emitPackTerms : emitPackRight,
                  deferred ? deferred->packSource() : PackSource());
           });
  if (deferred)
    return deferred->emitDot(dot);
  emitProduct(emitter, dot,
              {firstTile(emitter, nullptr, plan.left),
               firstTile(emitter, nullptr, plan.right), emitter.i64(1)});
}

} // namespace nereid::cpu
