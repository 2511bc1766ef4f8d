// tensor_map.cpp - makes and keeps tensor maps.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tensor_map.h"

#include "failure.h"
#include "library.h"

#include <cstdio>
#include <cstring>

namespace nereid::cuda {

template <typename Number>
static Number read(const char *block, uint32_t offset) {
  Number number;
  std::memcpy(&number, block + offset, sizeof number);
  return number;
}

TensorMapEncoder::Key TensorMapEncoder::keyOf(const char *arguments) const {
  Key key = {};
  key[0] = cuda::read<uint64_t>(arguments, facts.pointer);
  for (uint32_t i = 0; i < facts.rank; ++i) {
    key[2 + i] = cuda::read<uint64_t>(arguments, facts.sizes[i]);
    key[2 + kMostRank + i] = cuda::read<uint64_t>(arguments, facts.strides[i]);
  }
  key[1] = (cuda::read<uint8_t>(arguments, facts.nanPadding) ? 1u : 0u) |
           (cuda::read<uint8_t>(arguments, facts.roundToTf32) ? 2u : 0u);
  return key;
}

bool TensorMapEncoder::read(const Entry &entry, const Key &key,
                            CUtensorMap &out) {
  uint32_t before = entry.sequence.load(std::memory_order_acquire);
  if (!before || before & 1)
    return false;
  for (size_t i = 0; i < kKeyWords; ++i)
    if (entry.key[i].load(std::memory_order_relaxed) != key[i])
      return false;
  for (size_t i = 0; i < kMapWords; ++i)
    out.opaque[i] = entry.map[i].load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return entry.sequence.load(std::memory_order_relaxed) == before;
}

void TensorMapEncoder::write(Entry &entry, const Key &key,
                             const CUtensorMap &map) {
  uint32_t before = entry.sequence.load(std::memory_order_relaxed);
  // Another thread writes: its map is as good.
  if (before & 1 || !entry.sequence.compare_exchange_strong(
                        before, before + 1, std::memory_order_acquire))
    return;
  std::atomic_thread_fence(std::memory_order_release);
  for (size_t i = 0; i < kKeyWords; ++i)
    entry.key[i].store(key[i], std::memory_order_relaxed);
  for (size_t i = 0; i < kMapWords; ++i)
    entry.map[i].store(map.opaque[i], std::memory_order_relaxed);
  entry.sequence.store(before + 2, std::memory_order_release);
}

void TensorMapEncoder::encode(const char *arguments, CUtensorMap &out) {
  Key key = keyOf(arguments);
  // Tensors start at multiples of 256 bytes or more.
  uint64_t hash = (key[0] >> 8) * 0x9e3779b97f4a7c15u;
  Entry &entry = entries[hash >> 61];
  if (read(entry, key, out)) [[likely]]
    return;
  make(key, out);
  write(entry, key, out);
}

/// Drivers up to CUDA 13.1 set bit 21 of the second word for tensors smaller
/// than 128 KiB, which they must not; CUTLASS and Triton clear it as well.
static void repair(CUtensorMap &map, int version, uint64_t bytes) {
  if (version <= 13010 && bytes < 128 * 1024)
    map.opaque[1] &= ~(uint64_t{1} << 21);
}

void TensorMapEncoder::make(const Key &key, CUtensorMap &out) const {
  // The library has the fastest dimension first, and no stride for it.
  uint64_t sizes[kMostRank], strides[kMostRank] = {};
  uint32_t box[kMostRank], steps[kMostRank];
  uint32_t rank = facts.rank;
  uint64_t bytes = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    uint32_t from = rank - 1 - i;
    sizes[i] = key[2 + from];
    if (!i && facts.isFp4Padded)
      sizes[i] *= 2;
    box[i] = facts.box[from];
    steps[i] = 1;
    uint64_t stride = key[2 + kMostRank + from] * facts.elementSize;
    if (i)
      strides[i - 1] = stride;
    bytes += (sizes[i] - 1) * stride;
  }
  bool isNan = key[1] & 1, isTf32 = key[1] & 2;
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  if (key[2 + kMostRank + rank - 1] == 1)
    result = library.cuTensorMapEncodeTiled(
        &out, isTf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : facts.type, rank,
        reinterpret_cast<void *>(key[0]), sizes, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, facts.swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        isNan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
              : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throwRefused(result, key);
  repair(out, library.version, bytes);
}

template <typename Number>
static std::string listOf(const Number *numbers, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i)
    text +=
        (i ? ", " : "") + std::to_string(static_cast<long long>(numbers[i]));
  return "[" + text + "]";
}

void TensorMapEncoder::throwRefused(CUresult result, const Key &key) const {
  char pointer[24];
  std::snprintf(pointer, sizeof pointer, "0x%llx",
                static_cast<unsigned long long>(key[0]));
  throw Failure(
      NEREID_INVALID_ARGUMENT,
      "the descriptor '" + facts.name + "' is not possible as a tensor map: " +
          "address " + pointer + ", sizes " + listOf(&key[2], facts.rank) +
          ", strides " + listOf(&key[2 + kMostRank], facts.rank) + " of " +
          std::to_string(facts.elementSize) + " bytes, block " +
          listOf(facts.box, facts.rank) +
          "; the address and all strides but the last have to be multiples of "
          "16 bytes, the last stride 1, and the sizes at least 1: " +
          describe(library, result));
}

} // namespace nereid::cuda
