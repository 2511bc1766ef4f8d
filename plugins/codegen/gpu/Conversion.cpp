// Conversion.cpp - from one layout to another.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/Layout.h"
#include "gpu/Linear.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

namespace nereid::codegen::gpu {

bool Conversion::isIdentity() const {
  if (kind != Registers)
    return false;
  for (auto [index, source] : llvm::enumerate(sources))
    if (source.registerIndex != index)
      return false;
  return true;
}

/// Solves for a register and a lane of `from`, the lane first: the bits of a
/// solution are those of the lane, then those of the register.
static Span placesIn(const Layout &from, bool withLanes) {
  Span span;
  for (ElementIndex basis : from.laneBases())
    span.add(withLanes ? basis : 0);
  for (ElementIndex basis : from.registerBases())
    span.add(basis);
  return span;
}

/// Sources for each register of `to`; none if an element is elsewhere.
static bool findSources(const Layout &to, const Span &places, unsigned laneBits,
                        Conversion &result) {
  for (uint32_t index = 0; index < to.registerCount(); ++index) {
    std::optional<uint32_t> place = places.solve(to.elementOf(index));
    if (!place)
      return false;
    result.sources.push_back(
        {*place >> laneBits, *place & ((1u << laneBits) - 1)});
  }
  return true;
}

Conversion planConversion(const Layout &from, const Layout &to) {
  assert(from.shape() == to.shape() && from.isComplete() && to.isComplete() &&
         "complete layouts of one shape");
  unsigned laneBits = from.laneBases().size();
  assert(laneBits == to.laneBases().size() &&
         from.warpBases().size() == to.warpBases().size() && "one workgroup");
  Conversion result;
  // A thread that asks for its own lane and warp must find the same part of the
  // index there, whatever its number; only the register's part may differ.
  if (from.warpBases() != to.warpBases())
    return result;
  if (from.laneBases() == to.laneBases() &&
      findSources(to, placesIn(from, /*withLanes=*/false), laneBits, result)) {
    result.kind = Conversion::Registers;
    return result;
  }
  result.sources.clear();
  // Each bit of a lane's number must change the source's lane alone: registers
  // are not indexed by a number that is known only at run time.
  Span lanes;
  for (ElementIndex basis : from.laneBases())
    lanes.add(basis);
  for (ElementIndex basis : to.laneBases()) {
    std::optional<uint32_t> source = lanes.solve(basis);
    if (!source) {
      result.laneBases.clear();
      return result;
    }
    result.laneBases.push_back(*source);
  }
  if (!findSources(to, placesIn(from, /*withLanes=*/true), laneBits, result)) {
    result.sources.clear();
    result.laneBases.clear();
    return result;
  }
  result.kind = Conversion::Shuffle;
  return result;
}

} // namespace nereid::codegen::gpu
