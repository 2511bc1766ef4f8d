// DotLayoutTest.cpp - blocks of products, and bank conflicts of their operands,
// by simulating a subgroup.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/DotLayout.h"
#include "gpu/SharedTile.h"

#include "llvm/Support/MathExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

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

TEST(DotLayout, HasTwoRunsOfFourInEachDimension) {
  EXPECT_EQ(text(dotLayout({128, 128}, {5, 3})),
            "[r: (0,1) (0,2) (1,0) (2,0) (0,32) (16,0) | "
            "l: (0,4) (4,0) (0,8) (8,0) (0,16) | w: (32,0) (64,0) (0,64)]");
}

TEST(DotLayout, HasSmallerBlocksForSmallerShares) {
  EXPECT_EQ(text(dotLayout({128, 64}, {5, 3})),
            "[r: (0,1) (0,2) (1,0) (2,0) (0,32) | "
            "l: (0,4) (4,0) (0,8) (8,0) (0,16) | w: (16,0) (32,0) (64,0)]");
  EXPECT_EQ(text(dotLayout({16, 16}, {5, 2})),
            "[r: (0,1) | l: (0,2) (1,0) (0,4) (2,0) (0,8) | w: (4,0) (8,0)]");
  EXPECT_EQ(text(dotLayout({1, 16}, {3, 2})),
            "[r: | l: (0,1) (0,2) (0,4) | w: (0,8) (0,0)]");
}

TEST(DotLayout, HoldsEachElement) {
  for (int64_t batches : {1, 4})
    for (int64_t rows = 1; rows <= 256; rows *= 2)
      for (int64_t columns = 1; columns <= 256; columns *= 4)
        for (Workgroup workgroup : {Workgroup{3, 2}, {5, 0}, {5, 3}, {6, 2}}) {
          Shape shape = {rows, columns};
          if (batches > 1)
            shape.insert(shape.begin(), batches);
          Layout layout = dotLayout(shape, workgroup);
          EXPECT_TRUE(layout.isComplete()) << text(layout);
          EXPECT_EQ(layout.compacted(), layout) << text(layout);
        }
}

/// Times that a memory of 32 banks is accessed for `units` words from each of
/// these, one for each lane: eight lanes at once for vectors of four.
static unsigned accessesFor(const std::vector<uint32_t> &words,
                            uint32_t units) {
  unsigned count = 0;
  size_t group = 32 / units;
  for (size_t first = 0; first < words.size(); first += group) {
    std::map<uint32_t, std::set<uint32_t>> banks;
    for (size_t i = first; i < std::min(first + group, words.size()); ++i)
      for (uint32_t word = words[i]; word < words[i] + units; ++word)
        banks[word % 32].insert(word);
    size_t most = 0;
    for (const auto &[bank, in] : banks)
      most = std::max(most, in.size());
    count += most;
  }
  return count;
}

/// The words that the lanes of warp 0 store of register `index`.
static std::vector<uint32_t> storedBy(const Layout &source,
                                      const SharedTile &tile, uint32_t index) {
  std::vector<uint32_t> words;
  for (uint32_t lane = 0; lane < 1u << source.laneBases().size(); ++lane)
    words.push_back(tile.wordOf(source.elementAt({index, lane, 0})));
  return words;
}

TEST(SharedTile, GivesEachElementItsOwnWords) {
  for (unsigned words : {1, 2})
    for (bool isLeft : {false, true})
      for (Shape shape : {Shape{64, 32}, {1, 16}, {2, 8}, {4, 16, 8}}) {
        unsigned rank = shape.size();
        for (llvm::SmallVector<unsigned> order :
             {llvm::SmallVector<unsigned>{rank - 1, rank - 2},
              llvm::SmallVector<unsigned>{rank - 2, rank - 1}}) {
          if (rank == 3)
            order.push_back(0);
          Layout source = Layout::blocked(shape, order, 4, {5, 2});
          int64_t depth = shape[isLeft ? rank - 1 : rank - 2];
          SharedTile tile(source, isLeft, depth, words);
          std::set<uint32_t> seen;
          for (uint32_t element = 0; element < source.elements(); ++element) {
            uint32_t word = tile.wordOf(element);
            EXPECT_EQ(word % words, 0u);
            EXPECT_LT(word, tile.size());
            seen.insert(word);
          }
          EXPECT_EQ(seen.size(), source.elements());
          EXPECT_EQ(tile.size(), source.elements() * words);
        }
      }
}

TEST(SharedTile, RepeatsItselfInEachSlice) {
  Layout source = Layout::blocked({16, 64}, {1, 0}, 4, {5, 2});
  SharedTile tile(source, /*isLeft=*/true, 16, 1);
  EXPECT_EQ(tile.size(), 16u * 16);
  for (uint32_t depth = 0; depth < 16; ++depth)
    EXPECT_EQ(tile.wordOf(depth + 16, 3, 0), tile.wordOf(depth, 3, 0));
}

/// Rows of a left operand that are contiguous along the depth are stored word
/// by word, and each lane of a subgroup in another bank.
TEST(SharedTile, StoresWordsOfDifferentDepthsInDifferentBanks) {
  for (int64_t depth : {8, 16, 32}) {
    Layout source = Layout::blocked({128, depth}, {1, 0}, 4, {5, 3});
    SharedTile tile(source, /*isLeft=*/true, depth, 1);
    for (uint32_t index = 0; index < source.registerCount(); ++index)
      EXPECT_EQ(accessesFor(storedBy(source, tile, index), 1), 1u)
          << "depth " << depth << ", register " << index;
  }
}

/// Columns that are contiguous along the depth, of a right operand.
TEST(SharedTile, StoresTurnedOperandsWithoutConflicts) {
  Layout source = Layout::blocked({32, 64}, {0, 1}, 4, {5, 3});
  SharedTile tile(source, /*isLeft=*/false, 32, 1);
  EXPECT_EQ(accessesFor(storedBy(source, tile, 0), 1), 1u);
}

TEST(SharedTile, StoresRunsAsVectors) {
  Layout source = Layout::blocked({32, 128}, {1, 0}, 4, {5, 3});
  SharedTile tile(source, /*isLeft=*/false, 32, 1);
  EXPECT_THAT(
      llvm::ArrayRef(tile.wordsOf(source.registerBases())).take_front(2),
      ElementsAre(1, 2));
  EXPECT_EQ(accessesFor(storedBy(source, tile, 0), 4), 4u);
}

/// In each step every lane reads vectors of four of both operands.
TEST(SharedTile, IsReadWithoutConflicts) {
  Workgroup workgroup = {5, 3};
  for (int64_t rows : {32, 64, 128})
    for (int64_t columns : {64, 128}) {
      Layout sums = dotLayout({rows, columns}, workgroup);
      for (bool isLeft : {true, false}) {
        Shape shape = isLeft ? Shape{rows, 32} : Shape{32, columns};
        Layout source = Layout::blocked(shape, {1, 0}, 4, workgroup);
        SharedTile tile(source, isLeft, 32, 1);
        for (uint32_t depth = 0; depth < 32; ++depth)
          for (uint32_t index = 0; index < sums.registerCount(); ++index) {
            std::vector<uint32_t> words;
            for (uint32_t lane = 0; lane < 32; ++lane)
              words.push_back(tile.wordOf(
                  depth,
                  sums.coordinate(sums.elementAt({index, lane, 0}), !isLeft) &
                      ~3u,
                  0));
            for (uint32_t word : words)
              EXPECT_EQ(word % 4, 0u);
            EXPECT_EQ(accessesFor(words, 4), 4u);
            // Lanes whose numbers differ in one low bit share what they read.
            for (uint32_t lane = 0; lane < 32; ++lane)
              EXPECT_EQ(words[lane], words[lane ^ (isLeft ? 1 : 2)]);
          }
      }
    }
}

} // namespace nereid::test
