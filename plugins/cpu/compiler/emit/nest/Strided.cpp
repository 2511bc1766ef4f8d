// Strided.cpp - loads and stores of lanes that are a few elements apart.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The lanes of `x + 2 * i` are loaded with what is between them, as vectors of
// neighbours, and then chosen; they are stored by masks. An element between two
// others is in a page that one of these is in, so that no load of it fails;
// what another thread may store there is not used.

#include "emit/nest/Strided.h"

#include "llvm/Analysis/VectorUtils.h"

using namespace mlir;

namespace nereid::cpu {

/// The longest distance of lanes, in elements, of which vectors take less time
/// than an access to each.
static constexpr int64_t kMostApart = 8;

std::optional<StridedLanes> asStrided(const Address &address, llvm::Type *type,
                                      unsigned lanes,
                                      const GenerateOptions &options) {
  if (!address.base || !address.stride || address.repeat != 1 ||
      !options.fastPaths.has(FastPath::Strided))
    return std::nullopt;
  int64_t inRegister = options.cpu.vectorBits / 8 / Emitter::bytesOf(type);
  int64_t count = std::min<int64_t>(lanes, inRegister);
  int64_t stride = *address.stride, most = std::min(kMostApart, count / 2);
  if (stride > most || stride < -most || std::abs(stride) < 2)
    return std::nullopt;
  int64_t span = std::abs(stride) * (count - 1) + 1;
  StridedLanes strided{address.base,
                       type,
                       lanes,
                       stride,
                       unsigned(count),
                       stride < 0 ? 1 - span : 0,
                       {}};
  for (int64_t start = 0; start < span; start += count)
    strided.vectors.push_back(
        {std::min(start, span - count), SmallVector<int>(count, -1)});
  for (int64_t lane = 0; lane < count; ++lane) {
    int64_t place = lane * stride - strided.lowest;
    StridedLanes::Vector &vector = strided.vectors[place / count];
    vector.laneAt[place - vector.start] = lane;
  }
  return strided;
}

/// Visits the vectors of all lanes, in the order of the lanes: the lane that is
/// lane 0 of a vector, the vector and its address.
static void forEachVector(
    llvm::IRBuilder<> &b, const StridedLanes &strided, unsigned firstLane,
    llvm::function_ref<void(const StridedLanes::Vector &, llvm::Value *)>
        visit) {
  for (const StridedLanes::Vector &vector : strided.vectors)
    visit(vector, b.CreateGEP(strided.type, strided.first,
                              b.getInt64(firstLane * strided.stride +
                                         strided.lowest + vector.start)));
}

/// At the elements of `vector`, those of `values` of their lanes, which begin
/// at `firstLane`; at the others, elements of `rest`, or poison if that is
/// null.
static llvm::Value *atElements(llvm::IRBuilder<> &b,
                               const StridedLanes::Vector &vector,
                               unsigned firstLane, llvm::Value *values,
                               llvm::Value *rest = nullptr) {
  auto *type = cast<llvm::FixedVectorType>(values->getType());
  int other = rest ? int(type->getNumElements()) : -1;
  SmallVector<int> from;
  for (int lane : vector.laneAt)
    from.push_back(lane < 0 ? other : int(firstLane) + lane);
  return b.CreateShuffleVector(
      values, rest ? rest : llvm::PoisonValue::get(type), from);
}

/// An i1 for each element of `vector`: it is that of a lane of `where`.
static llvm::Value *maskOf(llvm::IRBuilder<> &b,
                           const StridedLanes::Vector &vector,
                           unsigned firstLane, llvm::Value *where) {
  return atElements(b, vector, firstLane, where,
                    llvm::Constant::getNullValue(where->getType()));
}

/// The lanes at their elements of `loaded`, a value for each vector.
static llvm::Value *chooseLanes(llvm::IRBuilder<> &b,
                                const StridedLanes &strided,
                                SmallVector<llvm::Value *> loaded) {
  int count = strided.count;
  SmallVector<SmallVector<int>> elementAt; // by value and lane; -1: of another
  for (const StridedLanes::Vector &vector : strided.vectors) {
    SmallVector<int> &elements = elementAt.emplace_back(count, -1);
    for (auto [element, lane] : llvm::enumerate(vector.laneAt))
      if (lane >= 0)
        elements[lane] = element;
  }
  // Of pairs, so that after one round lanes stay where they are: a blend takes
  // less than a permutation.
  while (loaded.size() > 1) {
    size_t pairs = 0;
    for (size_t i = 0; i < loaded.size(); i += 2, ++pairs) {
      SmallVector<int> from = elementAt[i];
      llvm::Value *value = loaded[i];
      if (i + 1 < loaded.size()) {
        for (int lane = 0; lane < count; ++lane)
          if (elementAt[i + 1][lane] >= 0)
            from[lane] = count + elementAt[i + 1][lane];
        value = b.CreateShuffleVector(value, loaded[i + 1], from);
        for (int lane = 0; lane < count; ++lane)
          from[lane] = from[lane] < 0 ? -1 : lane;
      }
      loaded[pairs] = value;
      elementAt[pairs] = from;
    }
    loaded.resize(pairs);
  }
  return loaded.front();
}

llvm::Value *loadStrided(Emitter &emitter, const StridedLanes &strided,
                         llvm::Value *where, llvm::Value *rest, Memory memory) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto *type = llvm::FixedVectorType::get(strided.type, strided.count);
  llvm::Align align(Emitter::bytesOf(strided.type));
  SmallVector<llvm::Value *> parts;
  for (unsigned lane = 0; lane < strided.lanes; lane += strided.count) {
    SmallVector<llvm::Value *> loaded;
    forEachVector(b, strided, lane, [&](const auto &vector, llvm::Value *from) {
      loaded.push_back(
          where ? emitter.inMemory(
                      b.CreateMaskedLoad(type, from, align,
                                         maskOf(b, vector, lane, where)),
                      memory)
                : static_cast<llvm::Value *>(emitter.inMemory(
                      b.CreateAlignedLoad(type, from, align), memory)));
    });
    parts.push_back(chooseLanes(b, strided, loaded));
  }
  llvm::Value *value = llvm::concatenateVectors(b, parts);
  return where ? b.CreateSelect(where, value, rest) : value;
}

void storeStrided(Emitter &emitter, const StridedLanes &strided,
                  llvm::Value *where, llvm::Value *values, Memory memory) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Align align(Emitter::bytesOf(strided.type));
  for (unsigned lane = 0; lane < strided.lanes; lane += strided.count)
    forEachVector(b, strided, lane, [&](const auto &vector, llvm::Value *to) {
      emitter.inMemory(b.CreateMaskedStore(atElements(b, vector, lane, values),
                                           to, align,
                                           maskOf(b, vector, lane, where)),
                       memory);
    });
}

} // namespace nereid::cpu
