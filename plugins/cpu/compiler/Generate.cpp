// Generate.cpp - one kernel: from its TTIR to a function over ranges of
// programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Generate.h"
#include "CpuModel.h"

#include "../image.h"
#include "emit/Emitter.h"
#include "analysis/Induction.h"
#include "plan/Masks.h"
#include "plan/DotTypes.h"
#include "nereid/codegen/Expand.h"
#include "nereid/ttir/Parse.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"

#include <cstddef>

using namespace mlir;

namespace nereid::cpu {

/// Bits of the vectors that suit `machine`.
static unsigned vectorBitsOf(const GenerateOptions &options) {
  const llvm::TargetMachine &machine = *options.machine;
  unsigned widest = 128;
  if (machine.getTargetTriple().isX86()) {
    if (hasFeature(machine, "avx512f") && hasFeature(machine, "avx512vl") &&
        hasFeature(machine, "avx512bw"))
      widest = 512;
    else if (hasFeature(machine, "avx2"))
      widest = 256;
  }
  return options.vectorBits ? options.vectorBits : widest;
}

namespace {
/// Builds the entry function around the kernel's body.
class EntryEmitter {
public:
  EntryEmitter(Emitter &emitter, const KernelInfo &info)
      : emitter(emitter), b(emitter.builder), info(info),
        axes(countAxes(emitter.program.function)) {}

  /// Returns false if the body could not be emitted.
  bool run() {
    llvm::LLVMContext &context = emitter.context();
    llvm::Type *pointer = b.getPtrTy();
    auto *type = llvm::FunctionType::get(
        b.getInt32Ty(), {pointer, pointer, pointer, b.getInt64Ty(), pointer},
        false);
    auto *function = llvm::Function::Create(
        type, llvm::Function::ExternalLinkage, kEntryName, emitter.module);
    for (unsigned argument : {0u, 4u})
      function->addParamAttr(argument, llvm::Attribute::NoAlias);
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
    startIds();

    b.SetInsertPoint(header);
    makeIds(entry);
    {
      AtLine line = emitter.at(
          const_cast<tt::FuncOp &>(emitter.program.function).getLoc());
      emitBody(emitter, latch);
    }

    b.SetInsertPoint(latch);
    advanceIds(header, latch, done);
    b.SetInsertPoint(done);
    b.CreateRet(b.getInt32(0));
    if (emitter.lines)
      emitter.lines->finish();
    return !emitter.failed;
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

  /// The first line of scratch is for accesses that are masked off.
  void placeBuffers() {
    llvm::Value *scratch = emitter.function->getArg(4);
    emitter.dummy = scratch;
    for (const auto &buffer : emitter.program.buffers)
      emitter.buffers[buffer.get()] =
          b.CreateConstGEP1_64(b.getInt8Ty(), scratch, buffer->offset);
  }

  /// The axes up to the last that the kernel asks for: an id changes when those
  /// before it have reached their end.
  static unsigned countAxes(tt::FuncOp kernel) {
    unsigned axes = 0;
    kernel.walk([&](Operation *op) {
      if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
        axes = std::max<unsigned>(axes, id.getAxisAsInt() + 1);
      else if (auto size = dyn_cast<tt::GetNumProgramsOp>(op))
        axes = std::max<unsigned>(axes, size.getAxisAsInt() + 1);
      else if (isa<tt::PrintOp, tt::AssertOp>(op))
        axes = 3; // they tell which program it was
    });
    return axes;
  }

  void loadGrid() {
    static constexpr const char *kNames[] = {"grid.x", "grid.y", "grid.z"};
    for (unsigned axis = 0; axis < axes; ++axis)
      emitter.gridSizes[axis] = b.CreateLoad(
          b.getInt32Ty(),
          b.CreateConstGEP1_64(b.getInt8Ty(), emitter.launch,
                               offsetof(nereid_cpu_launch_t, grid) + 4 * axis),
          kNames[axis]);
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
    for (unsigned axis = 0; axis < axes; ++axis) {
      ids[axis] = b.CreatePHI(b.getInt32Ty(), 2, kNames[axis]);
      ids[axis]->addIncoming(first[axis], entry);
      emitter.programIds[axis] = ids[axis];
    }
  }

  /// x counts fastest; an overflow of one axis advances the next.
  void advanceIds(llvm::BasicBlock *header, llvm::BasicBlock *latch,
                  llvm::BasicBlock *done) {
    llvm::Value *carry = b.getTrue();
    for (unsigned axis = 0; axis < axes; ++axis) {
      llvm::Value *next =
          b.CreateAdd(ids[axis], b.CreateZExt(carry, b.getInt32Ty()));
      llvm::Value *wraps = b.CreateICmpEQ(next, emitter.gridSizes[axis]);
      ids[axis]->addIncoming(b.CreateSelect(wraps, b.getInt32(0), next), latch);
      carry = wraps;
    }
    llvm::Value *rest = b.CreateSub(left, b.getInt64(1));
    left->addIncoming(rest, latch);
    b.CreateCondBr(b.CreateICmpEQ(rest, b.getInt64(0)), done, header);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const KernelInfo &info;
  unsigned axes; // of the grid, as many as the kernel asks for
  llvm::Value *first[3] = {};
  llvm::PHINode *ids[3] = {};
  llvm::PHINode *left = nullptr;
};
} // namespace

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream os(name);
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    os << '*' << typeName(pointer.getPointeeType());
  else
    os << type;
  return name;
}

/// Names and types of the arguments. A name comes from the location.
static void describeArguments(tt::FuncOp kernel, KernelInfo &info) {
  info.name = kernel.getName().str();
  for (BlockArgument argument : kernel.getArguments()) {
    KernelArgument described;
    if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
      described.name = name.getName().str();
    else
      described.name = "arg" + std::to_string(argument.getArgNumber());
    described.type = typeName(argument.getType());
    info.arguments.push_back(std::move(described));
  }
}

/// What the runtime wants to know: does the kernel print, assert, or talk to
/// other programs, and how much memory and arithmetic is a program?
static void describeWork(tt::FuncOp kernel, KernelInfo &info) {
  kernel.walk([&](Operation *op) {
    if (isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
            tt::AtomicStoreOp, tt::AtomicPollOp>(op))
      info.flags |= NEREID_CPU_KERNEL_COMMUNICATES;
    if (isa<tt::PrintOp>(op))
      info.flags |= NEREID_CPU_KERNEL_PRINTS;
    if (isa<tt::AssertOp>(op))
      info.flags |= NEREID_CPU_KERNEL_ASSERTS;
    auto elements = [](Value value) -> uint64_t {
      auto tile = dyn_cast<RankedTensorType>(value.getType());
      return tile ? tile.getNumElements() : 1;
    };
    Value moved;
    if (auto load = dyn_cast<tt::LoadOp>(op))
      moved = load.getResult();
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      moved = store.getValue();
    if (moved)
      info.bytesPerProgram +=
          elements(moved) *
          std::max(1u, tt::getElementBitWidth(
                           getElementTypeOrSelf(moved.getType())) /
                           8);
    if (auto dot = dyn_cast<tt::DotOp>(op))
      info.flopsPerProgram +=
          2 * elements(dot.getResult()) *
          cast<RankedTensorType>(dot.getA().getType()).getShape().back();
    else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
             isTile(op->getResult(0)))
      info.flopsPerProgram += elements(op->getResult(0));
  });
}

char OutOfResourcesError::ID = 0;

void OutOfResourcesError::log(llvm::raw_ostream &stream) const {
  stream << "out of resources: a program needs " << scratch
         << " bytes of scratch for its tiles, and has " << kMaxScratchBytes;
}

static llvm::Error failureOf(const char *what) {
  return llvm::createStringError(what);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
generate(ModuleOp source, const GenerateOptions &options,
         llvm::LLVMContext &context, KernelInfo &info) {
  // What follows rewrites; the caller keeps its module.
  OwningOpRef<ModuleOp> module = source.clone();
  auto found = tt::findKernel(*module);
  if (!found)
    return found.takeError();
  describeArguments(*found, info);
  if (llvm::Error error = layOutArguments(info))
    return std::move(error);
  describeWork(*found, info);

  if (failed(codegen::inlineCalls(*module)))
    return failureOf("a helper function cannot be inlined");
  found = tt::findKernel(*module);
  if (!found)
    return found.takeError();
  codegen::ExpandOptions expansion = expandOptionsFor(*options.machine);
  expansion.fpFusion = options.fpFusion;
  if (failed(codegen::expandTileOperations(*module, expansion)))
    return failureOf("an operation cannot be expanded");
  widenDots(*found, options);
  if (failed(codegen::expandForBackend(*module, expansion)))
    return failureOf("an operation cannot be expanded");
  found = tt::findKernel(*module);
  if (!found)
    return found.takeError();
  tt::FuncOp kernel = *found;
  codegen::scalarizeInductions(kernel);
  IRRewriter rewriter(kernel.getContext());
  (void)eraseUnreachableBlocks(rewriter, kernel->getRegions());
  (void)runRegionDCE(rewriter, kernel->getRegions());

  unsigned vectorBits = vectorBitsOf(options);
  codegen::TileForms planned;
  auto program = planTileProgram(kernel, planned, options, vectorBits);
  if (failed(program))
    return failureOf("the kernel cannot be compiled for the cpu");
  if ((*program)->scratchBytes > kMaxScratchBytes)
    return llvm::make_error<OutOfResourcesError>((*program)->scratchBytes);
  codegen::TileForms forms(
      [&](Value value) { return (*program)->isOpaque(value); });
  if (options.fastPaths.has(FastPath::MaskIntervals))
    planMasks(**program, forms);
  llvm::raw_string_ostream text(info.tileProgram);
  (*program)->print(text);

  auto result = std::make_unique<llvm::Module>(info.name, context);
  result->setTargetTriple(options.machine->getTargetTriple().str());
  result->setDataLayout(options.machine->createDataLayout());
  Emitter emitter(*result, **program, forms, options);
  emitter.vectorBits = vectorBits;
  llvm::MDBuilder metadata(context);
  llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("nereid");
  llvm::MDNode *scope = metadata.createAnonymousAliasScope(domain, "scratch");
  emitter.scratchScope = llvm::MDNode::get(context, {scope});

  EntryEmitter entry(emitter, info);
  if (!entry.run())
    return failureOf("the kernel cannot be compiled for the cpu");
  // Where f16 is computed by its bits, LLVM must not see floats in them again
  // (a cleared sign bit as fabs): it would convert them by calls of routines
  // that no library has.
  if (!expansion.hasF16Conversions)
    for (llvm::Function &function : *result)
      function.addFnAttr(llvm::Attribute::NoImplicitFloat);
  info.scratchSize = (*program)->scratchBytes;
  return std::move(result);
}

} // namespace nereid::cpu
