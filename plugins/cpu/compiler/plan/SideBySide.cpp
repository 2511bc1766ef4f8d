// SideBySide.cpp - programs that are computed together, one in each lane.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that reduces a column reads an element of each line of the cache,
// and the next program, for the next column, another of the same lines. With a
// cache line of columns as one more dimension of all that differs between
// programs, the kernel reduces the columns of a tile instead:
//
//   alone                      together
//   column = pid % N           columns = pid % N + lanes
//   load(p + i * N + column)   load(p + i[:, None] * N + columns[None, :])
//   store(q + pid, sum(x))     store(q + pids, sum(x, 0))

#include "plan/SideBySide.h"

#include "plan/Differences.h"
#include "plan/TileProgram.h"
#include "plan/Widener.h"

using namespace mlir;

namespace nereid::cpu {

/// Larger tiles are not in a cache.
static constexpr int64_t kMostElements = 1 << 14;

/// What an access reads or writes, in bytes.
static int64_t bytesOf(Operation *access) {
  auto type = cast<tt::PointerType>(
      getElementTypeOrSelf(access->getOperand(0).getType()));
  return std::max(8u, tt::getElementBitWidth(type.getPointeeType())) / 8;
}

/// Does an access of the original, a tile, differ from that of the next program
/// by one element, and have its own elements farther apart? Null: it is of a
/// scalar.
static std::optional<bool> liesAcross(Operation *access,
                                      codegen::TileForms &forms) {
  auto tile = codegen::tileType(access->getOperand(0));
  if (!tile)
    return std::nullopt;
  const codegen::TileForm *form = forms.of(access->getOperand(0));
  auto isOne = [](const codegen::Polynomial &stride) {
    return stride.constant() && std::abs(*stride.constant()) == 1;
  };
  return form && llvm::none_of(form->strides, isOne) &&
         llvm::none_of(form->terms, [&](const codegen::TileTerm &term) {
           return isOne(term.coefficient);
         });
}

/// Programs that are neighbours along `axis`.
static SideBySide copyAlong(unsigned axis, tt::FuncOp kernel) {
  constexpr int64_t kLineBytes = 64;
  Differences differences(axis);
  if (!differences.find(kernel))
    return {};
  codegen::TileForms forms;
  int64_t bytes = 8;
  bool isAny = false;
  for (Operation *access : differences.accesses) {
    std::optional<bool> across = liesAcross(access, forms);
    if (across == false)
      return {};
    isAny |= across.has_value();
    if (across)
      bytes = std::min(bytes, bytesOf(access));
  }
  int64_t most = kLineBytes / bytes;
  bool isLarge = false;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto tile = codegen::tileType(result))
        isLarge |= tile.getNumElements() * most > kMostElements;
  });
  if (!isAny || isLarge)
    return {};
  SideBySide result = Widener(kernel, differences, most).run();
  // All accesses of tiles must turn out to be of neighbours.
  codegen::TileForms wide;
  bool areNeighbours = true;
  result.kernel.walk([&](Operation *op) {
    if (!isa<tt::LoadOp, tt::StoreOp>(op))
      return;
    auto tile = codegen::tileType(op->getOperand(0));
    const codegen::TileForm *form =
        tile && tile.getRank() > 1 ? wide.of(op->getOperand(0)) : nullptr;
    bool isWide = tile && tile.getRank() > 1 && tile.getShape().back() == most;
    if (isWide && !(form && form->strides.back().constant() == 1 &&
                    !(form->termDims() >> (tile.getRank() - 1) & 1)))
      areNeighbours = false;
  });
  if (!areNeighbours) {
    result.kernel.erase();
    return {};
  }
  return result;
}

SideBySide copySideBySide(tt::FuncOp kernel, const GenerateOptions &options) {
  constexpr unsigned kAxes = 3;
  if (options.fastPaths.has(FastPath::SideBySide))
    for (unsigned axis = 0; axis < kAxes; ++axis)
      if (SideBySide result = copyAlong(axis, kernel); result.kernel)
        return result;
  return {};
}

} // namespace nereid::cpu
