// LayoutTest.cpp - layouts and conversions between them, by simulating a
// workgroup.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>
#include <numeric>
#include <random>

namespace nereid::test {

using namespace codegen::gpu;
using testing::ElementsAre;

using Shape = llvm::SmallVector<int64_t, 4>;

static std::string text(const Layout &layout) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  layout.print(stream);
  return result;
}

static std::vector<Place> placesOf(const Layout &layout) {
  std::vector<Place> places;
  for (uint32_t warp = 0; warp < 1u << layout.warpBases().size(); ++warp)
    for (uint32_t lane = 0; lane < 1u << layout.laneBases().size(); ++lane)
      for (uint32_t index = 0; index < layout.registerCount(); ++index)
        places.push_back({index, lane, warp});
  return places;
}

class RandomLayouts {
public:
  explicit RandomLayouts(unsigned seed) : random(seed) {}

  unsigned below(unsigned limit) { return random() % limit; }

  Shape shape() {
    Shape result;
    for (unsigned rank = 1 + below(5); rank > 0; --rank)
      result.push_back(int64_t(1) << below(4));
    return result;
  }
  Workgroup workgroup() { return {3 + below(2), below(3)}; }

  /// A complete layout: the bits of an index spread over registers, lanes and
  /// warps in any order, then mixed; copies in between.
  Layout layout(const Shape &shape, Workgroup workgroup) {
    uint32_t elements = std::accumulate(shape.begin(), shape.end(), 1,
                                        std::multiplies<int64_t>());
    std::vector<ElementIndex> bits;
    for (uint32_t bit = 1; bit < elements; bit *= 2)
      bits.push_back(bit);
    std::shuffle(bits.begin(), bits.end(), random);
    for (size_t i = 1; i < bits.size(); ++i)
      if (below(4) == 0)
        bits[i] ^= bits[below(i)];
    Bases parts[3];
    unsigned room[] = {32, workgroup.laneBits, workgroup.warpBits};
    for (ElementIndex bit : bits) {
      unsigned part = below(3);
      parts[parts[part].size() < room[part] ? part : 0].push_back(bit);
    }
    if (below(3) == 0)
      parts[0].push_back(0);
    for (unsigned part : {1, 2})
      while (parts[part].size() < room[part])
        parts[part].insert(parts[part].begin() + below(parts[part].size() + 1),
                           below(3) ? 0 : below(elements));
    return {shape, parts[0], parts[1], parts[2]};
  }

  std::mt19937 random;
};

template <typename Body> static void forSeeds(Body body) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomLayouts any(seed);
    body(any);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(RandomLayoutsTest, HoldEachElementOnceWithoutCopies) {
  forSeeds([](RandomLayouts &any) {
    Layout it = any.layout(any.shape(), any.workgroup());
    ASSERT_TRUE(it.isComplete()) << text(it);
    Layout::Copies copies = it.copies();
    std::map<ElementIndex, int> found;
    for (Place place : placesOf(it))
      if (!(place.registerIndex & copies.registerMask) &&
          !(place.lane & copies.laneMask) && !(place.warp & copies.warpMask))
        ++found[it.elementAt(place)];
    EXPECT_EQ(found.size(), it.elements()) << text(it);
    for (auto [element, count] : found)
      EXPECT_EQ(count, 1) << text(it) << " element " << element;
  });
}

/// The row-major index in `shape` of the element whose coordinates are those of
/// `element` in `layout`, mapped.
template <typename Map>
static ElementIndex moved(const Layout &layout, ElementIndex element,
                          llvm::ArrayRef<int64_t> shape, Map map) {
  ElementIndex result = 0;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    result = result * shape[dim] + map(dim, element);
  return result;
}

TEST(RandomLayoutsTest, FollowTransposition) {
  forSeeds([](RandomLayouts &any) {
    Layout it = any.layout(any.shape(), any.workgroup());
    llvm::SmallVector<int32_t> permutation(it.rank());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), any.random);
    Layout result = it.transposed(permutation);
    for (Place place : placesOf(it))
      ASSERT_EQ(result.elementAt(place),
                moved(it, it.elementAt(place), result.shape(),
                      [&](unsigned dim, ElementIndex element) {
                        return it.coordinate(element, permutation[dim]);
                      }))
          << text(it);
  });
}

TEST(RandomLayoutsTest, FollowTheLossOfADimension) {
  forSeeds([](RandomLayouts &any) {
    Layout it = any.layout(any.shape(), any.workgroup());
    unsigned lost = any.below(it.rank());
    Layout result = it.without(lost);
    ASSERT_TRUE(result.isComplete()) << text(it);
    for (Place place : placesOf(it))
      ASSERT_EQ(result.elementAt(place),
                moved(it, it.elementAt(place), result.shape(),
                      [&](unsigned dim, ElementIndex element) {
                        return it.coordinate(element, dim + (dim >= lost));
                      }))
          << text(it);
  });
}

TEST(RandomLayoutsTest, FollowBroadcastsBothWays) {
  forSeeds([](RandomLayouts &any) {
    Shape wide = any.shape(), narrow = wide;
    for (int64_t &size : narrow)
      if (any.below(2))
        size = 1;
    auto source = [&](const Layout &result, ElementIndex element) {
      return moved(
          result, element, narrow, [&](unsigned dim, ElementIndex element) {
            return narrow[dim] == 1 ? 0 : result.coordinate(element, dim);
          });
    };
    Layout result = any.layout(wide, any.workgroup());
    Layout before = result.beforeBroadcast(narrow);
    ASSERT_TRUE(before.isComplete()) << text(result);
    for (Place place : placesOf(result))
      ASSERT_EQ(before.elementAt(place),
                source(result, result.elementAt(place)))
          << text(result);

    Layout operand = any.layout(narrow, any.workgroup());
    Layout after = operand.broadcast(wide);
    ASSERT_TRUE(after.isComplete()) << text(operand);
    uint32_t mask = operand.registerCount() - 1;
    for (Place place : placesOf(after))
      ASSERT_EQ(operand.elementAt(
                    {place.registerIndex & mask, place.lane, place.warp}),
                source(after, after.elementAt(place)))
          << text(operand);
  });
}

TEST(RandomLayoutsTest, CompactWithoutLoss) {
  forSeeds([](RandomLayouts &any) {
    Layout it = any.layout(any.shape(), any.workgroup());
    Layout result = it.compacted();
    EXPECT_TRUE(result.isComplete());
    EXPECT_LE(result.registerCount(), it.registerCount());
    Conversion back = planConversion(result, it);
    EXPECT_EQ(back.kind, Conversion::Registers) << text(it);
  });
}

/// Runs a plan that needs no memory on registers that hold their elements'
/// indices, and compares what each place of `to` gets.
static void expectConverted(const Layout &from, const Layout &to,
                            const Conversion &plan) {
  for (Place place : placesOf(to)) {
    Conversion::Source source = plan.sources[place.registerIndex];
    Place asked = {source.registerIndex, place.lane, place.warp};
    if (plan.kind == Conversion::Shuffle) {
      asked.lane = source.laneFlip;
      for (auto [bit, basis] : llvm::enumerate(plan.laneBases))
        if (place.lane >> bit & 1)
          asked.lane ^= basis;
    } else {
      ASSERT_EQ(source.laneFlip, 0u);
    }
    ASSERT_EQ(from.elementAt(asked), to.elementAt(place))
        << text(from) << " to " << text(to);
  }
}

TEST(RandomLayoutsTest, AreConvertedExactly) {
  forSeeds([](RandomLayouts &any) {
    Shape tile = any.shape();
    Workgroup group = any.workgroup();
    Layout from = any.layout(tile, group);
    // Any other layout, or one that differs in registers or lanes only.
    Layout to = any.layout(tile, group);
    unsigned how = any.below(3);
    if (how > 0) {
      Bases registers(from.registerBases()), lanes(from.laneBases());
      std::shuffle(registers.begin(), registers.end(), any.random);
      if (how > 1)
        std::shuffle(lanes.begin(), lanes.end(), any.random);
      to = Layout(tile, registers, lanes, Bases(from.warpBases()));
    }
    Conversion plan = planConversion(from, to);
    if (plan.kind != Conversion::Memory)
      expectConverted(from, to, plan);
    if (how == 1) {
      EXPECT_EQ(plan.kind, Conversion::Registers) << text(from);
    }
    if (how == 2) {
      EXPECT_NE(plan.kind, Conversion::Memory) << text(from) << text(to);
    }
    EXPECT_TRUE(planConversion(from, from).kind == Conversion::Registers);
  });
}

TEST(LayoutTest, BlocksFillThreadsThenLanesThenWarps) {
  Layout it = Layout::blocked({64, 32}, {1, 0}, 4, {5, 1});
  EXPECT_EQ(text(it), "[r: (0,1) (0,2) (8,0) (16,0) (32,0) | "
                      "l: (0,4) (0,8) (0,16) (1,0) (2,0) | w: (4,0)]");
  EXPECT_EQ(it.registerCount(), 32u);
  EXPECT_FALSE(it.copies().any());
}

TEST(LayoutTest, BlocksOfSmallTilesHoldCopies) {
  Layout it = Layout::blocked({8}, {0}, 4, {5, 2});
  EXPECT_EQ(text(it), "[r: 1 2 | l: 4 0 0 0 0 | w: 0 0]");
  EXPECT_EQ(it.copies().laneMask, 0x1eu);
  EXPECT_EQ(it.copies().warpMask, 3u);
  EXPECT_EQ(it.copies().registerMask, 0u);
}

TEST(LayoutTest, BlocksOfScalarTilesHoldCopiesOnly) {
  Layout it = Layout::blocked({}, {}, 4, {3, 0});
  EXPECT_EQ(it.registerCount(), 1u);
  EXPECT_EQ(it.copies().laneMask, 7u);
  EXPECT_TRUE(it.isComplete());
}

TEST(LayoutTest, ATransposeOfColumnsToRowsNeedsMemory) {
  Layout rows = Layout::blocked({32, 32}, {1, 0}, 4, {5, 1});
  Layout columns = Layout::blocked({32, 32}, {0, 1}, 4, {5, 1});
  EXPECT_EQ(planConversion(rows, columns).kind, Conversion::Memory);
  EXPECT_TRUE(planConversion(rows, rows).isIdentity());
}

TEST(LayoutTest, OneWarpExchangesLanesByShuffles) {
  Layout from({4, 8}, {}, {1, 2, 4, 8, 16}, {});
  Layout to({4, 8}, {}, {8, 16, 1, 2, 4}, {});
  Conversion plan = planConversion(from, to);
  EXPECT_EQ(plan.kind, Conversion::Shuffle);
  EXPECT_THAT(plan.laneBases, ElementsAre(8, 16, 1, 2, 4));
}

} // namespace nereid::test
