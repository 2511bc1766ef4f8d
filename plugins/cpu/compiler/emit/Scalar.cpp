// Scalar.cpp - operations without tiles.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "../image.h"
#include "common/print_format.h"
#include "emit/Emitter.h"
#include "kernel/Messages.h"
#include "plan/PlainAtomics.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstddef>

using namespace mlir;

namespace nereid::cpu {

std::pair<llvm::Value *, llvm::Value *> serviceAt(Emitter &emitter,
                                                  size_t offset) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto field = [&](llvm::Value *object, size_t at) {
    return b.CreateLoad(b.getPtrTy(),
                        b.CreateConstGEP1_64(b.getInt8Ty(), object, at));
  };
  llvm::Value *services =
      field(emitter.launch, offsetof(nereid_cpu_launch_t, services));
  llvm::Value *state =
      field(emitter.launch, offsetof(nereid_cpu_launch_t, state));
  return {field(services, offset), state};
}

void emitFailure(Emitter &emitter, tt::AssertOp op) {
  llvm::IRBuilder<> &b = emitter.builder;
  std::string message = codegen::messageAt(op.getLoc(), op.getMessage());
  auto [fail, state] =
      serviceAt(emitter, offsetof(nereid_cpu_services_t, fail));
  llvm::Type *pointer = b.getPtrTy(), *id = b.getInt32Ty();
  auto *type = llvm::FunctionType::get(
      b.getVoidTy(), {pointer, id, id, id, pointer, b.getInt64Ty()}, false);
  llvm::CallInst *call = b.CreateCall(
      type, fail,
      {state, emitter.programIds[0], emitter.programIds[1],
       emitter.programIds[2], b.CreateGlobalString(message, "message"),
       b.getInt64(message.size())});
  call->addFnAttr(llvm::Attribute::Cold);
  b.CreateRet(b.getInt32(1));
  b.SetInsertPoint(llvm::BasicBlock::Create(emitter.context(), "unreachable",
                                            emitter.function));
}

namespace {
/// The values of a print record of image.h; a print without operands is a
/// record of rank 0 and no elements.
struct Printed {
  std::string prefix;
  std::string type;
  ArrayRef<int64_t> shape;
  llvm::Value *data;
  int64_t count = 0;
};
} // namespace

/// A global with the sizes in `shape`; null if it is empty.
static llvm::Constant *emitShape(Emitter &emitter, ArrayRef<int64_t> shape) {
  if (shape.empty())
    return llvm::Constant::getNullValue(emitter.builder.getPtrTy());
  std::vector<uint64_t> sizes(shape.begin(), shape.end());
  llvm::Constant *numbers =
      llvm::ConstantDataArray::get(emitter.context(), sizes);
  return new llvm::GlobalVariable(emitter.module, numbers->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, numbers,
                                  "shape");
}

/// Fills a record and calls services->print_value with it.
static void printRecord(Emitter &emitter, bool hex, const Printed &printed) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::AllocaInst *record = emitter.allocate(
      llvm::ArrayType::get(b.getInt64Ty(),
                           (sizeof(nereid_cpu_print_t) + 7) / 8),
      "print");
  auto set = [&](size_t offset, llvm::Value *value) {
    b.CreateStore(value, b.CreateConstGEP1_64(b.getInt8Ty(), record, offset));
  };
  set(offsetof(nereid_cpu_print_t, struct_size),
      b.getInt32(sizeof(nereid_cpu_print_t)));
  set(offsetof(nereid_cpu_print_t, hex), b.getInt32(hex));
  for (unsigned axis = 0; axis < 3; ++axis)
    set(offsetof(nereid_cpu_print_t, program) + 4 * axis,
        emitter.programIds[axis]);
  set(offsetof(nereid_cpu_print_t, rank), b.getInt32(printed.shape.size()));
  set(offsetof(nereid_cpu_print_t, prefix),
      b.CreateGlobalString(printed.prefix, "prefix"));
  set(offsetof(nereid_cpu_print_t, prefix_size),
      b.getInt64(printed.prefix.size()));
  set(offsetof(nereid_cpu_print_t, type),
      b.CreateGlobalString(printed.type, "type"));
  set(offsetof(nereid_cpu_print_t, shape), emitShape(emitter, printed.shape));
  set(offsetof(nereid_cpu_print_t, data), printed.data);
  set(offsetof(nereid_cpu_print_t, count), b.getInt64(printed.count));

  auto [service, state] =
      serviceAt(emitter, offsetof(nereid_cpu_services_t, print_value));
  b.CreateCall(llvm::FunctionType::get(b.getVoidTy(),
                                       {b.getPtrTy(), b.getPtrTy()}, false),
               service, {state, record});
}

/// Prints one operand, whose elements are stored at `data`.
static void printValue(Emitter &emitter, tt::PrintOp print, unsigned number,
                       llvm::Value *data) {
  Value operand = print.getArgs()[number];
  Printed printed;
  printed.prefix = plugin::operandPrefix(print.getPrefix(), number,
                                         print.getArgs().size());
  printed.type = codegen::printedType(getElementTypeOrSelf(operand.getType()),
                                      print.getIsSigned()[number]);
  printed.data = data;
  printed.count = 1;
  if (auto tile = dyn_cast<RankedTensorType>(operand.getType())) {
    printed.shape = tile.getShape();
    printed.count = tile.getNumElements();
  }
  printRecord(emitter, print.getHex(), printed);
}

void emitPrint(Emitter &emitter, tt::PrintOp print) {
  llvm::IRBuilder<> &b = emitter.builder;
  if (print.getArgs().empty())
    return printRecord(
        emitter, false,
        {print.getPrefix().str(), "", {},
         llvm::Constant::getNullValue(b.getPtrTy())});
  for (auto [number, operand] : llvm::enumerate(print.getArgs())) {
    if (isTile(operand)) {
      printValue(emitter, print, number, emitter.bufferPointer(operand));
      continue;
    }
    llvm::Type *type = emitter.memoryType(operand.getType());
    llvm::AllocaInst *slot = emitter.allocate(type, "printed");
    llvm::Value *value = emitter.scalar(operand);
    if (value->getType()->isIntegerTy(1))
      value = b.CreateZExt(value, type);
    b.CreateStore(value, slot);
    printValue(emitter, print, number, slot);
  }
}

/// A scalar load; if the mask is false it yields `other` and reads nothing.
static llvm::Value *emitLoad(Emitter &emitter, tt::LoadOp load) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *type = emitter.memoryType(load.getType());
  llvm::Align align(std::max(1u, type->getScalarSizeInBits() / 8));
  llvm::Value *pointer = emitter.scalar(load.getPtr());
  if (type->isPointerTy())
    align = llvm::Align(8);
  llvm::Value *mask =
      load.getMask() ? emitter.scalar(load.getMask()) : nullptr;
  if (mask)
    pointer = b.CreateSelect(mask, pointer, emitter.dummy);
  llvm::Value *value = emitter.inProgram(
      b.CreateAlignedLoad(type, pointer, align, load.getIsVolatile()));
  if (load.getType().isInteger(1)) // a byte in memory
    value = b.CreateICmpNE(value, llvm::Constant::getNullValue(type));
  if (!mask)
    return value;
  llvm::Value *other = load.getOther()
                           ? emitter.scalar(load.getOther())
                           : llvm::Constant::getNullValue(value->getType());
  return b.CreateSelect(mask, value, other);
}

static void emitStore(Emitter &emitter, tt::StoreOp store) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Value *value = emitter.scalar(store.getValue());
  llvm::Type *type = emitter.memoryType(store.getValue().getType());
  if (value->getType()->isIntegerTy(1))
    value = b.CreateZExt(value, type);
  llvm::Align align(type->isPointerTy()
                        ? 8
                        : std::max(1u, type->getScalarSizeInBits() / 8));
  llvm::Value *mask =
      store.getMask() ? emitter.scalar(store.getMask()) : nullptr;
  emitIf(emitter, mask, [&] {
    emitter.inProgram(b.CreateAlignedStore(
        value, emitter.scalar(store.getPtr()), align));
  });
}

static bool isAtomic(Operation *op) {
  return isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
             tt::AtomicStoreOp>(op);
}

static void emitScalarAtomic(Emitter &emitter, Operation *op) {
  llvm::IRBuilder<> &b = emitter.builder;
  Value mask;
  if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op))
    mask = rmw.getMask();
  else if (auto load = dyn_cast<tt::AtomicLoadOp>(op))
    mask = load.getMask();
  else if (auto store = dyn_cast<tt::AtomicStoreOp>(op))
    mask = store.getMask();
  SmallVector<llvm::Value *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(emitter.scalar(operand));
  llvm::AllocaInst *slot = nullptr;
  if (op->getNumResults()) {
    llvm::Type *type = emitter.typeOf(op->getResult(0));
    slot = emitter.allocate(type, "old");
    b.CreateStore(llvm::Constant::getNullValue(type), slot);
  }
  auto emit = [&](llvm::Value *condition, auto emitOne) {
    emitIf(emitter, condition, [&] {
      llvm::Value *old = emitOne(emitter, op, operands);
      if (slot)
        b.CreateStore(old, slot);
    });
  };
  emitIf(emitter, mask ? emitter.scalar(mask) : nullptr, [&] {
    if (!emitter.isExclusive || !mayBePlain(op, emitter.options))
      return emit(nullptr, emitAtomic);
    emit(emitter.isExclusive, emitPlainAtomic);
    emit(b.CreateNot(emitter.isExclusive), emitAtomic);
  });
  if (slot)
    emitter.scalars[op->getResult(0)] =
        b.CreateLoad(slot->getAllocatedType(), slot);
}

void emitScalarOp(Emitter &emitter, Operation *op) {
  llvm::IRBuilder<> &b = emitter.builder;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return;
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op)) {
    emitter.scalars[id.getResult()] = emitter.programIds[id.getAxisAsInt()];
    return;
  }
  if (auto size = dyn_cast<tt::GetNumProgramsOp>(op)) {
    emitter.scalars[size.getResult()] = emitter.gridSizes[size.getAxisAsInt()];
    return;
  }
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    emitter.scalars[load.getResult()] = emitLoad(emitter, load);
    return;
  }
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return emitStore(emitter, store);
  if (isAtomic(op))
    return emitScalarAtomic(emitter, op);
  if (auto print = dyn_cast<tt::PrintOp>(op))
    return emitPrint(emitter, print);
  if (auto assertOp = dyn_cast<tt::AssertOp>(op))
    return emitIf(emitter,
                  b.CreateNot(emitter.scalar(assertOp.getCondition())),
                  [&] { emitFailure(emitter, assertOp); });
  if (isa<LLVM::AssumeOp>(op)) {
    b.CreateAssumption(emitter.scalar(op->getOperand(0)));
    return;
  }
  // One thread runs a program, so a barrier in it does nothing; and a launch
  // begins after the previous one has ended.
  if (isa<gpu::BarrierOp, ttg::BarrierOp, tt::GridDependencyWaitOp,
          tt::GridDependencyLaunchDependentsOp>(op))
    return;
  if (auto poll = dyn_cast<tt::AtomicPollOp>(op)) {
    llvm::Value *deadline = nullptr;
    if (poll.getTimeout())
      deadline = emitDeadline(emitter, emitter.scalar(poll.getTimeout()));
    emitter.scalars[poll.getResult()] =
        emitPoll(emitter, poll,
                 {emitter.scalar(poll.getPtr()),
                  emitter.scalar(poll.getExpected())},
                 deadline);
    return;
  }
  if (!codegen::isElementOp(op))
    return emitter.refuse(op, "'" + op->getName().getStringRef().str() + "'");
  SmallVector<llvm::Value *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(emitter.scalar(operand));
  for (auto [result, value] :
       llvm::zip(op->getResults(), emitter.elementOp(op, operands, 1)))
    emitter.scalars[result] = value;
}

} // namespace nereid::cpu
