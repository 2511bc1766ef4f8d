// Reports.cpp - prints, assertions and other faults.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// They are written to the services block of the launch (services.h), where the
// driver finds them. SPIR-V cannot end a kernel: the program that failed leaves
// it, all its threads together.

#include "../../services.h"
#include "Emitter.h"

#include "common/print_format.h"
#include "kernel/Messages.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;
using spv::MemorySemanticsMask;

// No other thread reads these words before the launch has ended.
static constexpr MemorySemanticsMask kRelaxed = MemorySemanticsMask::MaskNone;
static constexpr uint32_t kNoRecord = UINT32_MAX;

uint32_t Emitter::addSite(const Site &site) {
  b.processed(describe(site));
  return siteCount++;
}

Id Emitter::serviceWord(Id index) {
  Id offset = b.shl(b.uconvert(index, b.intType(64)), b.u32(2));
  return pointerTo(b.iadd(inputs.services(), offset), b.intType(32));
}

void Emitter::storeService(Id index, Id word) {
  b.store(serviceWord(index), word, {.alignment = 4, .isNonPrivate = true});
}

Id Emitter::updateService(spv::Op op, uint32_t index, Id value) {
  spv::Scope scope =
      device.has("device-scope") ? spv::Scope::Device : spv::Scope::QueueFamily;
  return b.atomic(op, serviceWord(b.u32(index)), scope, kRelaxed, value);
}

Id Emitter::isFirstThread() { return b.ieq(b.bitOr(lane, warp), b.u32(0)); }

Id Emitter::inAnyThread(Id condition) {
  barrier();
  emitWhere(isFirstThread(), {}, [&] {
    storeShared(b.u32(0), b.u32(0), 1);
    return Ids();
  });
  barrier();
  emitWhere(condition, {}, [&] {
    storeShared(b.u32(0), b.u32(1), 1);
    return Ids();
  });
  barrier();
  return b.ine(loadShared(b.u32(0), 1, 1)[0], b.u32(0));
}

// Faults.

void Emitter::reportFault(uint32_t site) {
  using namespace services;
  // The number of the program in the grid, along x first.
  Id plane =
      b.iadd(inputs.programs[1], b.imul(inputs.grid[1], inputs.programs[2]));
  Id number = b.iadd(inputs.programs[0], b.imul(inputs.grid[0], plane));
  Id last = b.u32(kLastProgram);
  number = b.select(b.ult(number, last), number, last);
  Id lowest = updateService(spv::Op::OpAtomicUMin, kLowestFault, number);
  emitWhere(b.ult(number, lowest), {}, [&] {
    Id entry = updateService(spv::Op::OpAtomicIAdd, kFaultCount, b.u32(1));
    emitWhere(b.ult(entry, b.u32(kMostFaults)), {}, [&] {
      Id start = b.iadd(b.u32(kFaults), b.imul(entry, b.u32(kFaultWords)));
      storeService(start, b.u32(site + 1));
      for (uint32_t dim = 0; dim < 3; ++dim)
        storeService(b.iadd(start, b.u32(1 + dim)), inputs.programs[dim]);
      return Ids();
    });
    return Ids();
  });
}

void Emitter::failWhere(Id condition, uint32_t site, bool isUniform) {
  emitWhere(condition, {}, [&] {
    if (isUniform)
      emitWhere(isFirstThread(), {}, [&] {
        reportFault(site);
        return Ids();
      });
    else
      reportFault(site);
    if (isUniform)
      b.ret();
    return Ids();
  });
}

LogicalResult Emitter::emitAssert(tt::AssertOp op) {
  uint32_t site =
      addSite({.text = codegen::messageAt(op.getLoc(), op.getMessage())});
  OpOperand &use = op->getOpOperand(0);
  if (!tileType(use.get())) {
    Id isWrong = b.logicalNot(scalars[use.get()]);
    // In a region on elements, threads have different ones, and barriers may
    // follow: they go on.
    bool isUniform = !isDivergent && !op->getParentOfType<tt::ReduceOp>() &&
                     !op->getParentOfType<tt::ScanOp>();
    failWhere(assertsWhere ? both(isWrong, assertsWhere) : isWrong, site,
              isUniform);
    return success();
  }
  Id isWrong = b.boolean(false);
  for (Id value : registersOf(use.get(), layouts.operandLayout(use, nullptr)))
    isWrong = b.logicalOr(isWrong, b.logicalNot(value));
  b.beginIf(inAnyThread(isWrong));
  emitWhere(isWrong, {}, [&] {
    reportFault(site);
    return Ids();
  });
  b.ret();
  b.endIf();
  return success();
}

// Prints.

Id Emitter::beginRecord(uint32_t site, Id sequence, uint32_t elements,
                        uint32_t words) {
  using namespace services;
  Id size = b.u32(kRecordElements + words), none = b.u32(kNoRecord);
  spirv::MemoryAccess access = {.alignment = 4, .isNonPrivate = true};
  Id capacity = b.load(serviceWord(b.u32(kCapacity)), access);
  // The cursor stops soon after the capacity: it must not wrap.
  Id taken = updateService(spv::Op::OpAtomicOr, kCursor, b.u32(0));
  Id mayFit = b.logicalAnd(b.ule(size, capacity), b.ult(taken, capacity));
  Id start = emitWhere(mayFit, {none}, [&] {
    return Ids{updateService(spv::Op::OpAtomicIAdd, kCursor, size)};
  })[0];
  Id fits = b.logicalAnd(mayFit, b.ule(start, b.isub(capacity, size)));
  b.beginIf(fits);
  auto store = [&](uint32_t word, Id value) {
    storeService(b.iadd(start, b.u32(kRecords + word)), value);
  };
  store(kRecordSite, b.u32(site + 1));
  for (uint32_t dim = 0; dim < 3; ++dim)
    store(kRecordProgram + dim, inputs.programs[dim]);
  store(kRecordSequence, sequence);
  b.beginElse();
  updateService(spv::Op::OpAtomicIAdd, kDropped, b.u32(elements));
  emitWhere(b.ult(start, capacity), {}, [&] {
    store(kRecordSite, b.u32(0));
    return Ids();
  });
  b.endIf();
  return b.select(fits, start, none);
}

void Emitter::storeElement(Id start, Id element, Id value, Type type) {
  Ids words = toWords(value, type);
  Id first = b.iadd(b.imul(element, b.u32(words.size())),
                    b.u32(services::kRecords + services::kRecordElements));
  for (auto [number, word] : llvm::enumerate(words))
    storeService(b.iadd(b.iadd(start, first), b.u32(number)), word);
}

void Emitter::printOperand(tt::PrintOp op, unsigned number, Id sequence) {
  OpOperand &use = op->getOpOperand(number);
  RankedTensorType tile = tileType(use.get());
  Type type = getElementTypeOrSelf(use.get());
  Site site = {.isPrint = true};
  site.text =
      plugin::operandPrefix(op.getPrefix().str(), number, op.getArgs().size());
  site.type = codegen::printedType(type, op.getIsSigned()[number]);
  site.isHex = op.getHex();
  if (tile)
    site.shape.assign(tile.getShape().begin(), tile.getShape().end());
  uint32_t id = addSite(site);
  uint32_t elements = site.elements(), words = elements * wordsOf(type);
  Id none = b.u32(kNoRecord);
  Id start = emitWhere(isFirstThread(), {none}, [&] {
    Id start = beginRecord(id, sequence, elements, words);
    if (!tile)
      emitWhere(b.ine(start, none), {}, [&] {
        storeElement(start, b.u32(0), scalars[use.get()], type);
        return Ids();
      });
    return Ids{start};
  })[0];
  if (!tile)
    return;
  start = broadcastFromFirst(start, IntegerType::get(op.getContext(), 32));
  Layout layout = layouts.operandLayout(use, nullptr);
  Ids values = registersOf(use.get(), layout);
  Indices indices = indicesOf(layout);
  uint32_t copies = layout.copies().registerMask;
  emitWhere(both(b.ine(start, none), isOwner(layout)), {}, [&] {
    for (auto [i, value] : llvm::enumerate(values))
      if (!(i & copies))
        storeElement(start, indexAt(indices, i), value, type);
    return Ids();
  });
}

LogicalResult Emitter::emitPrint(tt::PrintOp op) {
  if (isDivergent || op->getParentOfType<tt::ReduceOp>() ||
      op->getParentOfType<tt::ScanOp>())
    return refuse(op, "a print in a region on elements");
  Id sequence = b.load(printCount);
  b.store(printCount, b.iadd(sequence, b.u32(1)));
  for (unsigned number = 0; number < op.getArgs().size(); ++number)
    printOperand(op, number, sequence);
  if (op.getArgs().empty()) {
    uint32_t id = addSite({.isPrint = true, .text = op.getPrefix().str()});
    emitWhere(isFirstThread(), {}, [&] {
      beginRecord(id, sequence, 1, 0);
      return Ids();
    });
  }
  return success();
}

void Emitter::prepareReports(tt::FuncOp kernel) {
  WalkResult prints =
      kernel.walk([](tt::PrintOp) { return WalkResult::interrupt(); });
  if (!prints.wasInterrupted())
    return;
  printCount = b.localVariable(b.intType(32));
  b.store(printCount, b.u32(0));
}

} // namespace nereid::vulkan
