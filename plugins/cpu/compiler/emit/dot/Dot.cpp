// Dot.cpp - tt.dot: calls of the functions that multiply tiles, at once or
// when the operands of several rounds are there.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Dot.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::cpu {

static bool isQueued(const DotQueue *queue, const Buffer *buffer) {
  return queue && buffer && queue->buffers.contains(buffer);
}

/// Where the dot reads `operand`; null for a tile that a loop carries.
static const Buffer *bufferOf(const TileProgram &program,
                              const DotOperand &operand) {
  return operand.packed ? operand.packed
                        : program.materialized.lookup(operand.value);
}

static SmallVector<ReadAhead, 2> aheadOf(const DotQueue *queue, tt::DotOp dot) {
  SmallVector<ReadAhead, 2> list;
  if (queue)
    llvm::copy_if(queue->ahead, std::back_inserter(list),
                  [&](const ReadAhead &ahead) { return ahead.dot == dot; });
  return list;
}

static int64_t elementBytesOf(Emitter &emitter, const ReadAhead &ahead) {
  return emitter.memoryType(ahead.load.getType())->getScalarSizeInBits() / 8;
}

static DotAhead linesOf(Emitter &emitter, const ReadAhead &ahead,
                        int64_t rounds) {
  auto type = cast<RankedTensorType>(ahead.load.getType());
  int64_t width = type.getDimSize(1 - ahead.rowDim);
  int64_t bytes = elementBytesOf(emitter, ahead);
  // Where the next round goes on along the rows, all rounds are one.
  if (ahead.advance.constant() == width)
    width *= std::exchange(rounds, 1);
  return {rounds, type.getDimSize(ahead.rowDim),
          int64_t(llvm::divideCeil(width * bytes, 64))};
}

static DotShape shapeOf(Emitter &emitter, tt::DotOp op) {
  const TileProgram &program = emitter.program;
  auto sums = cast<RankedTensorType>(op.getType());
  auto left = cast<RankedTensorType>(op.getA().getType());
  ArrayRef<int64_t> sizes = sums.getShape();
  const DotPlan &plan = program.dots.at(op);
  const DotQueue *queue = program.queueOf(op);
  DotShape shape;
  shape.kind = plan.kind;
  shape.factor = left.getElementType();
  shape.sum = sums.getElementType();
  shape.batches = sizes.size() == 3 ? sizes[0] : 1;
  shape.rows = sizes[sizes.size() - 2];
  shape.columns = sizes.back();
  shape.depth = left.getShape().back();
  shape.block = plan.block;
  shape.packing = plan.packing;
  shape.isLeftTransposed = plan.left.isTransposed;
  shape.isRightTransposed = plan.right.isTransposed;
  shape.queuesLeft = isQueued(queue, bufferOf(program, plan.left));
  shape.queuesRight = isQueued(queue, bufferOf(program, plan.right));
  if (queue)
    shape.rounds = queue->rounds;
  for (const ReadAhead &ahead : aheadOf(queue, op))
    shape.ahead.push_back(linesOf(emitter, ahead, queue->rounds));
  return shape;
}

/// "dot.f32.16x64x32" with `what`: equal for equal shapes, whose plans are
/// equal too; and readable in a profile.
static std::string nameOf(llvm::StringRef what, const DotShape &shape) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << what << '.' << shape.factor << '.';
  if (shape.batches > 1)
    os << shape.batches << 'x';
  os << shape.rows << 'x' << shape.columns << 'x' << shape.depth;
  if (shape.repeats())
    os << ".queued" << (shape.queuesLeft ? "" : ".right")
       << (shape.queuesRight ? "" : ".left");
  return name;
}

/// The function `name` on pointers to scratch and, if there is one, a number;
/// `write` writes its body the first time.
static llvm::Function *
functionFor(Emitter &emitter, const std::string &name,
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
  // Lines are of the function that calls.
  b.SetCurrentDebugLocation(llvm::DebugLoc());
  write(function);
  b.CreateRetVoid();
  return function;
}

/// Where the first tile of an operand is: with a queue, not that of this round.
static llvm::Value *firstTile(Emitter &emitter, const DotQueue *queue,
                              const DotOperand &operand) {
  const Buffer *buffer = bufferOf(emitter.program, operand);
  if (isQueued(queue, buffer))
    if (llvm::Value *start = emitter.queueStarts.lookup(buffer))
      return start;
  return operand.packed ? emitter.buffers.lookup(operand.packed)
                        : emitter.bufferPointer(operand.value);
}

/// An i1: has `loop` a round after this one?
static llvm::Value *hasNextRound(Emitter &emitter, scf::ForOp loop) {
  llvm::IRBuilder<> &b = emitter.builder;
  return b.CreateICmpSLT(b.CreateAdd(emitter.scalar(loop.getInductionVar()),
                                     emitter.scalar(loop.getStep())),
                         emitter.scalar(loop.getUpperBound()));
}

/// For all that `dot` asks for, where the rounds after this one of `loop` read.
/// Where none comes (no loop: never) it is an operand, which is in the caches.
static SmallVector<llvm::Value *>
addressesAhead(Emitter &emitter, tt::DotOp dot, scf::ForOp loop) {
  llvm::IRBuilder<> &b = emitter.builder;
  const DotQueue *queue = emitter.program.queueOf(dot);
  SmallVector<ReadAhead, 2> list = aheadOf(queue, dot);
  SmallVector<llvm::Value *> addresses;
  if (list.empty())
    return addresses;
  llvm::Value *near =
      firstTile(emitter, queue, emitter.program.dots.at(dot).left);
  llvm::Value *none = emitter.i64(0);
  PolynomialScope polynomials(emitter);
  llvm::Value *goesOn = loop ? hasNextRound(emitter, loop) : nullptr;
  for (const ReadAhead &ahead : list) {
    if (!loop) {
      addresses.append({near, none, none});
      continue;
    }
    auto bytesOf = [&](const codegen::Polynomial &elements) {
      return emitter.polynomial(
          elements.scaled(elementBytesOf(emitter, ahead)));
    };
    llvm::Value *first =
        b.CreateGEP(b.getInt8Ty(), emitter.scalar(ahead.form.pointer),
                    bytesOf(ahead.form.base));
    llvm::Value *row = bytesOf(ahead.form.strides[ahead.rowDim]);
    llvm::Value *round = bytesOf(ahead.advance);
    addresses.append({b.CreateSelect(goesOn, first, near),
                      b.CreateSelect(goesOn, row, none),
                      b.CreateSelect(goesOn, round, none)});
  }
  return addresses;
}

static void multiply(Emitter &emitter, tt::DotOp op, llvm::Value *rounds,
                     ArrayRef<llvm::Value *> ahead = {}) {
  llvm::IRBuilder<> &b = emitter.builder;
  const DotPlan &plan = emitter.program.dots.at(op);
  const DotQueue *queue = emitter.program.queueOf(op);
  DotShape shape = shapeOf(emitter, op);
  // For the tile registers, all operands have been brought into one order.
  bool readsColumns = shape.isLeftTransposed && shape.kind != DotKind::Tiles;
  llvm::Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  SmallVector<llvm::Type *> types = {pointer, pointer, pointer, i64};
  for (size_t i = 0; i < shape.ahead.size(); ++i)
    types.append({pointer, i64, i64});
  std::string name =
      nameOf(readsColumns ? "dot.left.transposed" : "dot", shape);
  for (const DotAhead &ahead : shape.ahead)
    name += llvm::formatv(".ahead.{0}x{1}x{2}", ahead.rounds, ahead.rows,
                          ahead.lines);
  llvm::Function *function =
      functionFor(emitter, name, types, [&](llvm::Function *f) {
        SmallVector<llvm::Value *> asked;
        for (llvm::Argument &argument : llvm::drop_begin(f->args(), 4))
          asked.push_back(&argument);
        DotArguments in{f->getArg(0), f->getArg(1), f->getArg(2),
                        shape.repeats() ? f->getArg(3) : emitter.i64(1), asked};
        if (shape.kind == DotKind::Tiles)
          emitTileDot(emitter, shape, in);
        else
          emitVectorDot(emitter, shape, in);
      });
  SmallVector<llvm::Value *> arguments = {firstTile(emitter, queue, plan.left),
                                          firstTile(emitter, queue, plan.right),
                                          emitter.bufferPointer(op.getResult()),
                                          rounds};
  llvm::append_range(arguments, ahead);
  b.CreateCall(function, arguments);
}

static void pack(Emitter &emitter, tt::DotOp op) {
  llvm::IRBuilder<> &b = emitter.builder;
  const DotPlan &plan = emitter.program.dots.at(op);
  DotShape shape = shapeOf(emitter, op);
  auto call = [&](const DotOperand &operand, const char *what, auto emitPack) {
    if (!operand.packed)
      return;
    std::string name = what;
    if (operand.isTransposed)
      name += ".transposed";
    llvm::Function *function =
        functionFor(emitter, nameOf(name, shape), {b.getPtrTy(), b.getPtrTy()},
                    [&](llvm::Function *f) {
                      emitPack(emitter, shape, f->getArg(0), f->getArg(1));
                    });
    b.CreateCall(function, {emitter.bufferPointer(operand.value),
                            emitter.buffers.lookup(operand.packed)});
  };
  call(plan.left, "pack.left", emitPackLeft);
  call(plan.right, "pack.right", emitPackRight);
}

void emitDot(Emitter &emitter, tt::DotOp dot) {
  pack(emitter, dot);
  const DotQueue *queue = emitter.program.queueOf(dot);
  if (!queue)
    return multiply(emitter, dot, emitter.i64(1));
  llvm::Value *isFull = emitter.builder.CreateICmpEQ(
      emitter.queueCounts.lookup(dot->getParentOp()),
      emitter.i64(queue->rounds - 1));
  SmallVector<llvm::Value *> ahead =
      addressesAhead(emitter, dot, cast<scf::ForOp>(dot->getParentOp()));
  emitIf(emitter, isFull,
         [&] { multiply(emitter, dot, emitter.i64(queue->rounds), ahead); });
}

// ------------------------------------------------------------------ queues

QueueEmitter::QueueEmitter(Emitter &emitter, Operation *loop)
    : emitter(emitter), loop(loop) {
  auto found = emitter.program.queues.find(loop);
  if (found != emitter.program.queues.end())
    queue = &found->second;
}

void QueueEmitter::begin(llvm::BasicBlock *entry) {
  if (!queue)
    return;
  count = emitter.builder.CreatePHI(emitter.builder.getInt64Ty(), 2);
  count->addIncoming(emitter.i64(0), entry);
  emitter.queueCounts[loop] = count;
}

void QueueEmitter::enterRound() {
  if (!queue)
    return;
  llvm::IRBuilder<> &b = emitter.builder;
  for (const Buffer *buffer : queue->buffers) {
    llvm::Value *&place = emitter.buffers[buffer];
    emitter.queueStarts[buffer] = place;
    llvm::Type *element = emitter.memoryType(buffer->element);
    place = b.CreateGEP(element, place,
                        b.CreateMul(count, emitter.i64(buffer->elements())));
  }
}

void QueueEmitter::leaveRound() {
  if (!queue)
    return;
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Value *next = b.CreateAdd(count, emitter.i64(1));
  llvm::Value *isFull = b.CreateICmpEQ(next, emitter.i64(queue->rounds));
  count->addIncoming(b.CreateSelect(isFull, emitter.i64(0), next),
                     b.GetInsertBlock());
}

void QueueEmitter::end() {
  if (!queue)
    return;
  for (const Buffer *buffer : queue->buffers) {
    emitter.buffers[buffer] = emitter.queueStarts.lookup(buffer);
    emitter.queueStarts.erase(buffer);
  }
  llvm::Value *isLeft = emitter.builder.CreateICmpNE(count, emitter.i64(0));
  emitIf(emitter, isLeft, [&] {
    for (tt::DotOp dot : queue->dots)
      multiply(emitter, dot, count, addressesAhead(emitter, dot, nullptr));
  });
}

} // namespace nereid::cpu
