// Entry.cpp - the entry function of an image: the loop over a range of
// programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/Entry.h"

#include "../image.h"
#include "emit/Joint.h"
#include "emit/Turns.h"

#include <cstddef>

using namespace mlir;

namespace nereid::cpu {

static llvm::Function *createEntry(llvm::Module &module, llvm::StringRef name) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  auto *type = llvm::FunctionType::get(
      llvm::Type::getInt32Ty(context),
      {pointer, pointer, pointer, llvm::Type::getInt64Ty(context), pointer},
      false);
  auto *function = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                          name, module);
  for (unsigned argument : {0u, 4u})
    function->addParamAttr(argument, llvm::Attribute::NoAlias);
  return function;
}

llvm::Value *loadGridSize(llvm::IRBuilder<> &b, llvm::Value *launch,
                          unsigned axis) {
  static constexpr const char *kNames[] = {"grid.x", "grid.y", "grid.z"};
  return b.CreateLoad(
      b.getInt32Ty(),
      b.CreateConstGEP1_64(b.getInt8Ty(), launch,
                           offsetof(nereid_cpu_launch_t, grid) + 4 * axis),
      kNames[axis]);
}

/// The u32 at `offset` of `launch`; 0 in an older driver's, which lacks it.
static llvm::Value *loadField(llvm::IRBuilder<> &b, llvm::Value *launch,
                              unsigned offset) {
  llvm::Value *size = b.CreateLoad(b.getInt32Ty(), launch);
  llvm::Value *hasField = b.CreateICmpUGT(size, b.getInt32(offset));
  llvm::Value *place = b.CreateSelect(
      hasField, b.CreateConstGEP1_64(b.getInt8Ty(), launch, offset), launch);
  llvm::Value *field = b.CreateLoad(b.getInt32Ty(), place);
  return b.CreateSelect(hasField, field, b.getInt32(0));
}

llvm::Value *hasLaunchFlag(llvm::IRBuilder<> &b, llvm::Value *launch,
                           uint32_t flag) {
  llvm::Value *flags =
      loadField(b, launch, offsetof(nereid_cpu_launch_t, flags));
  return b.CreateICmpNE(b.CreateAnd(flags, flag), b.getInt32(0));
}

namespace {
/// Builds the entry function around the kernel's body.
class EntryEmitter {
public:
  EntryEmitter(Emitter &emitter, const KernelInfo &info)
      : emitter(emitter), b(emitter.builder), info(info),
        axes(countAxes(emitter.program.function)) {}

  /// Returns null if the body could not be emitted.
  llvm::Function *run(llvm::StringRef name) {
    llvm::LLVMContext &context = emitter.context();
    llvm::Function *function = createEntry(emitter.module, name);
    emitter.function = function;
    emitter.launch = function->getArg(1);
    if (emitter.options.debugInfo)
      emitter.lines =
          std::make_unique<SourceLines>(emitter.program.function, *function);

    auto *entry = llvm::BasicBlock::Create(context, "entry", function);
    auto *header = llvm::BasicBlock::Create(context, "program", function);
    auto *latch = llvm::BasicBlock::Create(context, "next", function);
    auto *done = llvm::BasicBlock::Create(context, "done", function);
    b.SetInsertPoint(entry);
    llvm::Instruction *branch = b.CreateBr(header);
    emitter.allocaPoint = branch;
    b.SetInsertPoint(branch);
    loadArguments();
    placeBuffers();
    loadGrid();
    if (info.streamedBytesPerProgram)
      emitter.streams = hasFlag(NEREID_CPU_LAUNCH_STREAMS);
    if (info.flags & NEREID_CPU_KERNEL_PLAIN_ATOMICS)
      emitter.isExclusive = hasFlag(NEREID_CPU_LAUNCH_EXCLUSIVE);
    if (unsigned axis = emitter.program.fastestAxis)
      isAlongAxis = hasFlag(axis == 1 ? NEREID_CPU_LAUNCH_ALONG_Y
                                      : NEREID_CPU_LAUNCH_ALONG_Z);
    if (emitter.program.parts)
      loadPart(*emitter.program.parts);
    startIds();
    if (Value together = emitter.program.together)
      emitter.scalars[together] =
          b.CreateTrunc(function->getArg(3), b.getInt32Ty());

    b.SetInsertPoint(header);
    makeIds(entry);
    emitPrograms(header, latch, done);
    b.SetInsertPoint(done);
    b.CreateRet(b.getInt32(0));
    if (emitter.lines)
      emitter.lines->finish();
    return emitter.failed ? nullptr : function;
  }

private:
  void loadArguments() {
    tt::FuncOp kernel = emitter.program.function;
    for (auto [argument, described] :
         llvm::zip(kernel.getArguments(), info.arguments)) {
      llvm::Type *type = emitter.memoryType(argument.getType());
      llvm::Value *place = b.CreateConstGEP1_64(
          b.getInt8Ty(), emitter.function->getArg(0), described.offset);
      llvm::LoadInst *value = b.CreateLoad(type, place, described.name);
      value->setMetadata(llvm::LLVMContext::MD_invariant_load,
                         llvm::MDNode::get(emitter.context(), {}));
      emitter.scalars[argument] =
          argument.getType().isInteger(1)
              ? b.CreateICmpNE(value, llvm::ConstantInt::get(type, 0))
              : static_cast<llvm::Value *>(value);
    }
  }

  /// The first line of scratch is for masked-off accesses.
  void placeBuffers() {
    llvm::Value *scratch = emitter.function->getArg(4);
    emitter.dummy = scratch;
    for (const auto &buffer : emitter.program.buffers)
      if (!buffer->isInRegisters)
        emitter.buffers[buffer.get()] =
            b.CreateConstGEP1_64(b.getInt8Ty(), scratch, buffer->offset);
    for (auto &[op, buffer] : emitter.program.heldSums)
      emitter.inScratch(b.CreateMemSet(emitter.buffers[buffer], b.getInt8(0),
                                       buffer->bytes(),
                                       llvm::MaybeAlign(kScratchAlign)));
  }

  /// The number of grid axes up to the last that the kernel uses: an id changes
  /// when those before it overflow.
  static unsigned countAxes(tt::FuncOp kernel) {
    unsigned axes = 0;
    kernel.walk([&](Operation *op) {
      if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
        axes = std::max<unsigned>(axes, id.getAxisAsInt() + 1);
      else if (auto size = dyn_cast<tt::GetNumProgramsOp>(op))
        axes = std::max<unsigned>(axes, size.getAxisAsInt() + 1);
      else if (isa<tt::PrintOp, tt::AssertOp>(op))
        axes = 3; // messages name the program
    });
    return axes;
  }

  void loadGrid() {
    for (unsigned axis = 0; axis < axes; ++axis)
      emitter.gridSizes[axis] = loadGridSize(b, emitter.launch, axis);
  }

  llvm::Value *hasFlag(uint32_t flag) {
    return hasLaunchFlag(b, emitter.launch, flag);
  }

  /// The rows of the part: strips of the same number of rows each, or, of the
  /// first ones, one more, as dots divide them.
  void loadPart(const RowParts &parts) {
    llvm::Value *part =
        loadField(b, emitter.launch, offsetof(nereid_cpu_launch_t, part));
    llvm::Value *count =
        loadField(b, emitter.launch, offsetof(nereid_cpu_launch_t, parts));
    count =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, count, b.getInt32(1));
    auto startOf = [&](llvm::Value *number) {
      llvm::Value *strip =
          b.CreateUDiv(b.CreateMul(number, b.getInt32(parts.count)), count);
      llvm::Value *larger = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::umin, strip, b.getInt32(parts.rows % parts.count));
      return b.CreateAdd(
          b.CreateMul(strip, b.getInt32(parts.rows / parts.count)), larger);
    };
    emitter.scalars[parts.first] = startOf(part);
    emitter.scalars[parts.end] = startOf(b.CreateAdd(part, b.getInt32(1)));
  }

  void startIds() {
    for (unsigned axis = 0; axis < axes; ++axis)
      first[axis] =
          b.CreateLoad(b.getInt32Ty(),
                       b.CreateConstGEP1_64(b.getInt32Ty(),
                                            emitter.function->getArg(2), axis));
  }

  void makeIds(llvm::BasicBlock *entry) {
    static constexpr const char *kNames[] = {"pid.x", "pid.y", "pid.z"};
    left = b.CreatePHI(b.getInt64Ty(), 2, "left");
    left->addIncoming(emitter.function->getArg(3), entry);
    emitter.programsLeft = left;
    for (unsigned axis = 0; axis < axes; ++axis) {
      ids[axis] = b.CreatePHI(b.getInt32Ty(), 2, kNames[axis]);
      ids[axis]->addIncoming(first[axis], entry);
      emitter.programIds[axis] = ids[axis];
    }
  }

  /// One program, or some that take turns, and the way to the next or to
  /// `done`.
  void emitPrograms(llvm::BasicBlock *header, llvm::BasicBlock *latch,
                    llvm::BasicBlock *done) {
    ProgramIds following(ids, ids + axes);
    llvm::Value *count = b.getInt64(1);
    {
      AtLine line = emitter.at(
          const_cast<tt::FuncOp &>(emitter.program.function).getLoc());
      if (emitter.program.turns || emitter.program.joint) {
        auto emit = emitter.program.turns ? emitTurns : emitJointBodies;
        count = emit(emitter, following, left,
                     [&](const ProgramIds &some) { return idsAfter(some); });
        b.CreateBr(latch);
        b.SetInsertPoint(latch);
      } else {
        emitBody(emitter, latch);
        b.SetInsertPoint(latch);
        following = idsAfter(following);
        if (emitter.program.together)
          count = left;
      }
    }
    for (auto [phi, id] : llvm::zip(ids, following))
      phi->addIncoming(id, latch);
    llvm::Value *rest = b.CreateSub(left, count);
    left->addIncoming(rest, latch);
    b.CreateCondBr(b.CreateICmpEQ(rest, b.getInt64(0)), done, header);
  }

  /// Exchanges the values of x and of the axis that varies fastest.
  ProgramIds inOrder(ArrayRef<llvm::Value *> values) {
    ProgramIds ordered(values);
    if (isAlongAxis) {
      unsigned axis = emitter.program.fastestAxis;
      ordered[0] = b.CreateSelect(isAlongAxis, values[axis], values[0]);
      ordered[axis] = b.CreateSelect(isAlongAxis, values[0], values[axis]);
    }
    return ordered;
  }

  /// An overflow of one axis advances the next.
  ProgramIds idsAfter(const ProgramIds &some) {
    ProgramIds after;
    llvm::Value *carry = b.getTrue();
    for (auto [id, size] :
         llvm::zip(inOrder(some), inOrder({emitter.gridSizes, axes}))) {
      llvm::Value *next = b.CreateAdd(id, b.CreateZExt(carry, b.getInt32Ty()));
      carry = b.CreateICmpEQ(next, size);
      after.push_back(b.CreateSelect(carry, b.getInt32(0), next));
    }
    return inOrder(after);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const KernelInfo &info;
  unsigned axes; // of the grid, as many as the kernel uses
  llvm::Value *first[3] = {};
  llvm::PHINode *ids[3] = {};
  llvm::PHINode *left = nullptr;
  llvm::Value *isAlongAxis = nullptr; // i1; null: x varies fastest
};
} // namespace

llvm::Function *emitEntry(Emitter &emitter, const KernelInfo &info,
                          llvm::StringRef name) {
  return EntryEmitter(emitter, info).run(name);
}

} // namespace nereid::cpu
