// SourceLinesTest.cpp - names, source lines and how the module was made.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "SpirvFixture.h"

namespace nereid::spirv {
namespace {

using ::testing::HasSubstr;

size_t count(const std::string &text, const std::string &part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++number;
  return number;
}

TEST_F(SpirvTest, LinesPrecedeTheirInstructions) {
  FileId file = b.file("kernel.py");
  EXPECT_EQ(b.file("kernel.py"), file);
  Id x = input(b.intType(32));
  b.setLocation({file, 3, 7});
  b.bitNot(x);
  b.bitNot(x);
  b.setLocation({file, 4, 1});
  b.bitNot(x);
  b.setLocation({});
  b.bitNot(x);
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpString \"kernel.py\""));
  EXPECT_EQ(count(text, "OpString"), 1u);
  EXPECT_EQ(count(text, " 3 7\n"), 1u);
  EXPECT_EQ(count(text, " 4 1\n"), 1u);
  EXPECT_EQ(count(text, "OpNoLine"), 1u);
}

TEST_F(SpirvTest, EachBlockStatesItsLine) {
  Id x = input(b.intType(32)), condition = boolInput();
  b.setLocation({b.file("kernel.py"), 3, 7});
  b.beginIf(condition);
  b.bitNot(x);
  Merge merge = b.endIf();
  b.merged(merge, x, b.u32(0));
  b.bitNot(x);
  EXPECT_EQ(count(finish(), "OpLine"), 3u);
}

TEST_F(SpirvTest, MergesAreFollowedByTheirBranch) {
  FileId file = b.file("kernel.py");
  Id condition = boolInput();
  BlockId join = b.newBlock(), block = b.newBlock();
  b.setLocation({file, 3, 7});
  b.selectionMerge(join);
  b.setLocation({file, 4, 7});
  b.branchConditional(condition, block, join);
  b.beginBlock(block);
  b.branch(join);
  b.beginBlock(join);
  finish();
}

TEST_F(SpirvTest, NamesAndProcesses) {
  b.name(kernel, "add_kernel");
  b.processed("nereid 1.0, layout 3");
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("OpName %add_kernel \"add_kernel\""));
  EXPECT_THAT(text, HasSubstr("OpModuleProcessed \"nereid 1.0, layout 3\""));
}

} // namespace
} // namespace nereid::spirv
