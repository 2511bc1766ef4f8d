// tensor_map.h - tensor maps: what the hardware that copies tiles reads, made
// of a descriptor that a launch passes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_TENSOR_MAP_H
#define NEREID_CUDA_TENSOR_MAP_H

#include "api.h"
#include "metadata.h"

#include <array>
#include <atomic>

namespace nereid::cuda {

struct Library;

/// Makes the maps of one parameter of a kernel. A map is a function of the
/// pointer, the sizes, the strides and the flags alone, so the last ones are
/// kept: a model launches a kernel with the same few tensors. All [hot].
class TensorMapEncoder {
public:
  TensorMapEncoder(const Library &library, TensorMapFacts facts)
      : library(library), facts(std::move(facts)) {}

  /// Throws if the library refuses the descriptor in the block `arguments`.
  void encode(const char *arguments, CUtensorMap &out);

private:
  /// The pointer, the sizes, the strides, the flags; the rest is 0.
  static constexpr size_t kKeyWords = 2 + 2 * kMostRank, kMapWords = 16;
  using Key = std::array<uint64_t, kKeyWords>;

  /// A sequence lock: odd while it is written. Readers do not wait: they make
  /// the map themselves.
  struct alignas(64) Entry {
    std::atomic<uint32_t> sequence{0};
    std::array<std::atomic<uint64_t>, kKeyWords> key{};
    std::array<std::atomic<uint64_t>, kMapWords> map{};
  };

  Key keyOf(const char *arguments) const;
  static bool read(const Entry &entry, const Key &key, CUtensorMap &out);
  static void write(Entry &entry, const Key &key, const CUtensorMap &map);
  void make(const Key &key, CUtensorMap &out) const;
  [[noreturn]] void throwRefused(CUresult result, const Key &key) const;

  const Library &library;
  const TensorMapFacts facts;
  std::array<Entry, 8> entries;
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_TENSOR_MAP_H
