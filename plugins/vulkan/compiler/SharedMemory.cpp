// SharedMemory.cpp - how much shared memory a kernel needs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SharedMemory.h"

#include "Dot.h"
#include "Matrices.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::vulkan {

using codegen::tileType;
using codegen::gpu::Conversion;
using codegen::gpu::Distribution;
using codegen::gpu::Layout;

SharedRounds roundsFor(uint32_t elements, unsigned words,
                       unsigned sharedBytes) {
  SharedRounds rounds;
  rounds.elements = elements;
  auto resize = [&] {
    rounds.slots = rounds.elements + (rounds.elements >> kSlotShift);
  };
  for (resize(); rounds.elements > 1 && rounds.bytes(words) > sharedBytes;
       resize()) {
    rounds.elements /= 2;
    rounds.count *= 2;
  }
  return rounds;
}

unsigned sharedWordsOf(Type type) {
  if (isa<tt::PointerType>(type))
    return 2;
  return !type.isIndex() && type.getIntOrFloatBitWidth() > 32 ? 2 : 1;
}

namespace {
/// The largest of the needs that are added.
class Need {
public:
  Need(const DeviceModel &device, codegen::gpu::Workgroup workgroup)
      : limit(device.sharedBytes), threads(workgroup.threads()) {}

  void addTile(Value tile) {
    RankedTensorType type = tileType(tile);
    unsigned words = sharedWordsOf(type.getElementType());
    add(roundsFor(type.getNumElements(), words, limit).bytes(words));
  }
  /// A value from each thread.
  void addThreads(Type type) { add(threads * sharedWordsOf(type) * 4); }
  void add(unsigned needed) { bytes = std::max(bytes, needed); }

  unsigned bytes = 0;

private:
  unsigned limit, threads;
};
} // namespace

unsigned exchangeBytes(ValueRange values, const Distribution &layouts,
                       codegen::gpu::Workgroup workgroup,
                       const DeviceModel &device) {
  Need need(device, workgroup);
  for (Value value : values) {
    if (layouts.isHeld(value))
      continue; // the matrices' plan counts it
    const Layout *own = tileType(value) ? layouts.ownLayoutOf(value) : nullptr;
    for (const Layout &layout : layouts.variantsOf(value))
      if (own && planConversion(*own, layout).kind != Conversion::Registers)
        need.addTile(value);
  }
  return need.bytes;
}

unsigned exchangeBytes(Operation *op, const Distribution &layouts,
                       codegen::gpu::Workgroup workgroup,
                       const DeviceModel &device) {
  Need need(device, workgroup);
  need.add(exchangeBytes(op->getResults(), layouts, workgroup, device));
  for (Region &region : op->getRegions())
    need.add(exchangeBytes(region.getArguments(), layouts, workgroup, device));
  llvm::TypeSwitch<Operation *>(op)
      .Case<tt::ReduceOp, tt::ScanOp>([&](Operation *) {
        for (Value source : op->getOperands())
          need.addThreads(getElementTypeOrSelf(source));
      })
      .Case([&](tt::GatherOp gather) { need.addTile(gather.getSrc()); })
      .Case([&](tt::HistogramOp histogram) {
        need.add(tileType(histogram.getResult()).getNumElements() * 4);
      })
      .Case<tt::PrintOp, tt::AssertOp>([&](Operation *) { need.add(4); })
      .Case<tt::UnsplatOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
            tt::AtomicPollOp>([&](Operation *) {
        Value result = op->getResult(0);
        tileType(result) ? need.addTile(result)
                         : need.addThreads(result.getType());
      });
  return need.bytes;
}

unsigned sharedBytesFor(tt::FuncOp kernel, const DotPlans &dots,
                        const MatrixPlan &matrices, const Distribution &layouts,
                        codegen::gpu::Workgroup workgroup,
                        const DeviceModel &device) {
  unsigned bytes = matrices.sharedBytes(layouts, device);
  kernel.walk([&](Operation *op) {
    bytes = std::max(bytes, exchangeBytes(op, layouts, workgroup, device));
    if (const DotPlan *plan = dots.find(op))
      bytes = std::max(bytes, plan->end());
  });
  // Of whole accesses.
  return llvm::alignTo(bytes, 16);
}

} // namespace nereid::vulkan
