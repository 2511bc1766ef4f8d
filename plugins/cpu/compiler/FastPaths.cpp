// FastPaths.cpp - the names of the fast paths, and reading the option
// "fast_paths".
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "FastPaths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::cpu {

static constexpr FastPathInfo kTable[] = {
    {FastPath::Vectorize, "vectorize",
     "vectors rather than one element at a time"},
    {FastPath::Fuse, "fuse", "several roots in one nest"},
    {FastPath::RowFusion, "row-fusion",
     "rows flow from one inner loop to the next"},
    {FastPath::Recompute, "recompute",
     "cheap expressions are evaluated again rather than stored"},
    {FastPath::MaskIntervals, "mask-intervals", "masks become loop bounds"},
    {FastPath::OverlapGuard, "overlap-guard",
     "loads move past stores that do not overlap them"},
    {FastPath::InPlace, "in-place",
     "loops update the tiles that they carry where these are"},
    {FastPath::DotKernel, "dot-kernel", "tt.dot in register blocks"},
    {FastPath::DotPairs, "dot-pairs",
     "bf16 by instructions that add two products"},
    {FastPath::DotTiles, "dot-tiles", "bf16 and i8 in tile registers"},
    {FastPath::DotTransposed, "dot-transposed",
     "operands are packed along their columns"},
    {FastPath::DotQueue, "dot-queue",
     "operands of several K steps are multiplied at once"},
    {FastPath::ReadAhead, "read-ahead",
     "operands of the next iterations are prefetched"},
    {FastPath::MaskedLoops, "masked-loops",
     "where a vector takes much work, one loop with masks"},
};

/// A path's position in the table is its number.
static constexpr bool isInOrder() {
  for (size_t index = 0; index < std::size(kTable); ++index)
    if (size_t(kTable[index].path) != index)
      return false;
  return std::size(kTable) == kFastPaths;
}
static_assert(isInOrder());

llvm::ArrayRef<FastPathInfo> fastPathTable() { return kTable; }

static const FastPathInfo *find(llvm::StringRef name) {
  const FastPathInfo *found = llvm::find_if(
      kTable, [&](const FastPathInfo &info) { return info.name == name; });
  return found != std::end(kTable) ? found : nullptr;
}

static llvm::Error unknown(llvm::StringRef name) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "unknown fast path '" << name
         << "', expected all, none or some of: ";
  llvm::interleaveComma(kTable, stream,
                        [&](const FastPathInfo &info) { stream << info.name; });
  return llvm::createStringError(text);
}

llvm::Expected<FastPaths> FastPaths::parse(llvm::StringRef text) {
  FastPaths out;
  // Unless "all" comes first, the names are what is on.
  bool all = text.empty() || text.split(',').first == "all";
  if (!all)
    out.off.set();
  if (text.empty() || text == "none")
    return out;
  for (llvm::StringRef item : llvm::split(text, ',')) {
    if (item == "all" && all)
      continue;
    bool away = item.consume_front("-");
    const FastPathInfo *info = find(item);
    if (!info)
      return unknown(item);
    out.off.set(size_t(info->path), away);
  }
  return out;
}

} // namespace nereid::cpu
