// AccessLayouts.cpp - layouts of loads and stores by their access patterns.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/AccessLayouts.h"

#include "analysis/Access.h"
#include "tile/Ops.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace nereid::codegen::gpu {

namespace {
/// What one access would have by itself.
struct Pattern {
  Operation *op;
  unsigned fastest = 0; // the dimension along which addresses are contiguous
  int64_t width = 1;    // elements along it in one access
};
} // namespace

/// Along which dimension neighboring elements are nearest in memory.
static unsigned fastestDimension(Value pointers, TileForms &forms) {
  unsigned rank = rankOf(pointers), best = rank - 1;
  const TileForm *form = forms.of(pointers);
  if (!form)
    return best;
  for (unsigned dim = rank; dim-- > 0;)
    if (form->strides[dim].constant() == 1 &&
        tileType(pointers).getDimSize(dim) > 1)
      return dim;
  // Strides that are not known are larger than a known one, and an element that
  // all indices of a dimension share is read once.
  auto distance = [&](unsigned dim) -> uint64_t {
    if (!(form->dependsOn() >> dim & 1) ||
        tileType(pointers).getDimSize(dim) == 1)
      return UINT64_MAX;
    std::optional<int64_t> stride = form->strides[dim].constant();
    return stride && !(form->termDims() >> dim & 1) ? std::abs(*stride)
                                                    : uint64_t(INT64_MAX);
  };
  for (unsigned dim = rank; dim-- > 0;)
    if (distance(dim) < distance(best))
      best = dim;
  return best;
}

static Pattern patternOf(Operation *op, const TileOpInfo &info,
                         TileForms &forms, unsigned accessBytes) {
  Value pointers = info.pointers->get();
  Pattern pattern = {op, fastestDimension(pointers, forms)};
  // Atomic operations are on one element at a time.
  if (isa<tt::LoadOp, tt::StoreOp>(op))
    pattern.width =
        widestAccess(pointers, info.mask ? info.mask->get() : Value(),
                     pattern.fastest, accessBytes, forms);
  return pattern;
}

AccessLayouts planAccesses(tt::FuncOp kernel, TileForms &forms,
                           Workgroup workgroup, unsigned accessBytes) {
  // By shape and fastest dimension.
  std::map<std::pair<std::vector<int64_t>, unsigned>, SmallVector<Pattern>>
      groups;
  kernel.walk([&](Operation *op) {
    TileOpInfo info = infoOf(op);
    if (!info.pointers || !tileType(info.pointers->get()))
      return;
    Pattern pattern = patternOf(op, info, forms, accessBytes);
    ArrayRef<int64_t> shape = tileType(info.pointers->get()).getShape();
    groups[{shape.vec(), pattern.fastest}].push_back(pattern);
  });

  AccessLayouts result;
  for (auto &[key, patterns] : groups) {
    auto &[shape, fastest] = key;
    SmallVector<unsigned> order = {fastest};
    for (unsigned dim = shape.size(); dim-- > 0;)
      if (dim != fastest)
        order.push_back(dim);
    int64_t elements = 1, run = 1;
    for (int64_t size : shape)
      elements *= size;
    for (const Pattern &pattern : patterns)
      run = std::max(run, pattern.width);
    // Wider accesses must not leave threads without work.
    run = std::min(run, std::max<int64_t>(1, elements / workgroup.threads()));
    Layout layout = Layout::blocked(shape, order, run, workgroup);
    for (const Pattern &pattern : patterns) {
      unsigned width = std::min(pattern.width, run);
      result.insert({pattern.op, {layout, width}});
    }
  }
  return result;
}

unsigned directWidth(const Layout &layout, const AccessLayout &access,
                     unsigned bytesOfElement) {
  // What is one access is a run of the lowest registers.
  llvm::ArrayRef<ElementIndex> runs = access.layout.registerBases();
  llvm::ArrayRef<ElementIndex> own = layout.registerBases();
  if (access.width < 2 || layout.copies().any())
    return 0;
  unsigned bits = 0;
  while (1u << bits < access.width && bits < own.size() &&
         own[bits] == runs[bits])
    ++bits;
  uint32_t bytes = bytesOfElement << bits;
  for (ElementIndex next = runs[0] << bits;
       llvm::is_contained(layout.laneBases(), next); next *= 2)
    bytes *= 2;
  return bits > 0 && bytes >= 32 ? 1u << bits : 0;
}

} // namespace nereid::codegen::gpu
