// LinearTest.cpp - linear equations over GF(2) against all sums.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/Linear.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

namespace nereid::test {

using codegen::gpu::Span;
using codegen::gpu::sumOf;

TEST(LinearTest, SolvesExactlyWhatIsInTheSpan) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    llvm::SmallVector<uint32_t> vectors;
    Span span;
    unsigned independent = 0;
    for (unsigned count = random() % 8; count > 0; --count) {
      vectors.push_back(random() % 64);
      independent += span.add(vectors.back());
    }
    EXPECT_EQ(span.dimension(), independent);

    std::set<uint32_t> reachable;
    for (uint32_t mask = 0; mask < 1u << vectors.size(); ++mask)
      reachable.insert(sumOf(vectors, mask));
    EXPECT_EQ(reachable.size(), 1u << independent);
    for (uint32_t vector = 0; vector < 64; ++vector) {
      std::optional<uint32_t> solution = span.solve(vector);
      ASSERT_EQ(solution.has_value(), reachable.count(vector) == 1) << vector;
      if (solution) {
        EXPECT_EQ(sumOf(vectors, *solution), vector);
      }
    }
  }
}

TEST(LinearTest, IgnoresDependentVectorsInSolutions) {
  Span span;
  EXPECT_FALSE(span.add(0));
  EXPECT_TRUE(span.add(5));
  EXPECT_FALSE(span.add(5));
  EXPECT_EQ(span.solve(5), 2u);
  EXPECT_EQ(span.solve(1), std::nullopt);
}

} // namespace nereid::test
