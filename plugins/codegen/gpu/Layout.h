// Layout.h - which element of a tile each register of each thread holds.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A program is a workgroup of subgroups ("warps") of lanes, and a tile is
// distributed over their registers. All sizes are powers of two, so an element
// is named by the bits of its row-major index, and a layout is a linear map
// over GF(2) from the bits of (register, lane, warp) to those bits ("Linear
// Layouts", arXiv 2505.23819). It is given by its bases: the image of each
// input bit. A basis of zero means replication: two threads, or two registers,
// hold the same element.
//
// Since an index is row-major, a reshape keeps all bases, and dropping a
// dimension of size 1 as well.

#ifndef NEREID_CODEGEN_GPU_LAYOUT_H
#define NEREID_CODEGEN_GPU_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace nereid::codegen::gpu {

/// The row-major index of an element, or a part of it.
using ElementIndex = uint32_t;
using Bases = llvm::SmallVector<ElementIndex, 8>;

/// A place that can hold an element.
struct Place {
  uint32_t registerIndex = 0, lane = 0, warp = 0;
  bool operator==(const Place &other) const {
    return registerIndex == other.registerIndex && lane == other.lane &&
           warp == other.warp;
  }
};

/// Sizes of a workgroup, as logarithms to base 2.
struct Workgroup {
  unsigned laneBits = 5, warpBits = 2;

  unsigned threads() const { return 1u << (laneBits + warpBits); }
};

class Layout {
public:
  /// All sizes are powers of two; no bases, so one thread's register 0 holds
  /// the first element.
  explicit Layout(llvm::ArrayRef<int64_t> shape) : dims(shape) {}
  Layout(llvm::ArrayRef<int64_t> shape, Bases registers, Bases lanes,
         Bases warps)
      : dims(shape), registers(std::move(registers)), lanes(std::move(lanes)),
        warps(std::move(warps)) {}

  /// Distributes a tile so that each thread holds `width` consecutive elements
  /// along `order[0]`, lanes follow along that dimension, then along
  /// `order[1]` and so on, then warps; what is left of the tile goes to
  /// registers, and what is left of the workgroup holds copies.
  static Layout blocked(llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<unsigned> order, int64_t width,
                        Workgroup workgroup);

  llvm::ArrayRef<int64_t> shape() const { return dims; }
  unsigned rank() const { return dims.size(); }
  /// Of the tile.
  uint32_t elements() const;
  uint32_t registerCount() const { return 1u << registers.size(); }
  Workgroup workgroup() const {
    return {unsigned(lanes.size()), unsigned(warps.size())};
  }
  llvm::ArrayRef<ElementIndex> registerBases() const { return registers; }
  llvm::ArrayRef<ElementIndex> laneBases() const { return lanes; }
  llvm::ArrayRef<ElementIndex> warpBases() const { return warps; }

  ElementIndex elementAt(Place place) const;
  /// The part of the index that register `index` contributes.
  ElementIndex elementOf(uint32_t index) const;
  /// The coordinate along `dim` in a row-major index.
  uint32_t coordinate(ElementIndex element, unsigned dim) const;

  /// True if each element is held somewhere. All layouts of values are.
  bool isComplete() const;
  /// Input bits to leave out: the places where all of them are zero hold each
  /// element exactly once.
  struct Copies {
    uint32_t registerMask = 0, laneMask = 0, warpMask = 0;
    bool any() const { return registerMask || laneMask || warpMask; }
  };
  Copies copies() const;

  /// The same elements under another shape with as many elements.
  Layout reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// With two dimensions: the last one, and all others as rows.
  Layout stacked() const {
    return reshaped({elements() / dims.back(), dims.back()});
  }
  /// `permutation[i]` is the dimension that becomes dimension i.
  Layout transposed(llvm::ArrayRef<int32_t> permutation) const;
  /// Without dimension `dim`: what is left holds copies.
  Layout without(unsigned dim) const;
  /// With a dimension of size 1 inserted at `dim`.
  Layout expanded(unsigned dim) const;
  /// Of the operand of a broadcast from `shape` whose result has this layout.
  Layout beforeBroadcast(llvm::ArrayRef<int64_t> shape) const;
  /// Of a tile that was broadcast to `shape`, each of whose new elements is in
  /// a new register.
  Layout broadcast(llvm::ArrayRef<int64_t> shape) const;
  /// Without registers that hold an element which a lower register holds in the
  /// same thread.
  Layout compacted() const;

  bool operator==(const Layout &other) const {
    return dims == other.dims && registers == other.registers &&
           lanes == other.lanes && warps == other.warps;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }
  /// As in "[r: 1,2 | l: 4,8 | w: 0]"; each basis as its coordinates.
  void print(llvm::raw_ostream &stream) const;

private:
  /// The layout whose bases are `map` of these.
  template <typename Map>
  Layout mapped(llvm::ArrayRef<int64_t> shape, Map map) const;

  llvm::SmallVector<int64_t, 4> dims;
  Bases registers, lanes, warps;
};

/// How the registers of `to` are filled from those of `from`.
struct Conversion {
  enum Kind {
    Registers, // within each thread
    Shuffle,   // within each subgroup
    Memory,    // through the workgroup's shared memory
  };
  /// Where the element of a register of `to` comes from. The source lane is
  /// `laneFlip` combined by exclusive or with the lane mapped by `laneBases`.
  struct Source {
    uint32_t registerIndex = 0;
    uint32_t laneFlip = 0;
  };

  Kind kind = Memory;
  llvm::SmallVector<Source, 8> sources; // by register of `to`, unless Memory
  Bases laneBases;                      // of Shuffle: the source of each bit

  bool isIdentity() const;
};

/// The cheapest kind of conversion. Both layouts are of one shape and
/// workgroup, and complete.
Conversion planConversion(const Layout &from, const Layout &to);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_LAYOUT_H
