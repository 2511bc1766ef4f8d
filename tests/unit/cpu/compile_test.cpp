// compile_test.cpp - the compiler's slots: stages, options, dependencies.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nereid::cpu::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Compile, MakesAnImageFromLlvmIr) {
  Plugin plugin;
  Compiled out = plugin.compile(addKernel(), "asm", "so");
  ASSERT_EQ(out.status, NEREID_OK) << out.errors;
  EXPECT_THAT(out.output, StartsWith("\x7f"
                                     "ELF"));
  EXPECT_EQ(out.metadata["name"].text, "add_kernel");
  EXPECT_THAT(out.metadata["argument_names"].texts,
              ElementsAre("a", "b", "out", "n"));
  EXPECT_THAT(out.metadata["argument_types"].texts,
              ElementsAre("*f32", "*f32", "*f32", "i32"));
  EXPECT_THAT(out.metadata["argument_offsets"].numbers,
              ElementsAre(0, 8, 16, 24));
  EXPECT_EQ(out.metadata["argument_size"].number, 32);
}

TEST(Compile, BytesBetweenStagesMakeTheSameKernel) {
  Plugin plugin;
  Compiled kept = plugin.compile(addKernel(), "asm", "so");
  Compiled passed = plugin.compile(addKernel(), "asm", "so", {}, false);
  ASSERT_EQ(passed.status, NEREID_OK) << passed.errors;
  EXPECT_EQ(passed.metadata["argument_types"].texts,
            kept.metadata["argument_types"].texts);
  Compiled assembly = plugin.compile(addKernel(), "asm", "asm");
  EXPECT_THAT(assembly.output, HasSubstr("add_kernel.cpu:"));
  Compiled again = plugin.compile(assembly.output, "so", "so");
  ASSERT_EQ(again.status, NEREID_OK) << again.errors;
  EXPECT_EQ(again.output, passed.output);
}

TEST(Compile, OptionsReachTheCode) {
  Plugin plugin;
  Compiled wide = plugin.compile(addKernel(), "asm", "asm",
                                 {{"cpu", "x86-64-v4"}, {"arch", "x86_64"}});
  EXPECT_THAT(wide.output, HasSubstr("zmm"));
  Compiled arm =
      plugin.compile(addKernel(), "asm", "asm", {{"arch", "aarch64"}});
  ASSERT_EQ(arm.status, NEREID_OK) << arm.errors;
  EXPECT_THAT(arm.output, HasSubstr(".4s"));
  EXPECT_NE(wide.canonical, arm.canonical);
}

TEST(Compile, DependsOnTheBuildOfTheCompiler) {
  Plugin plugin;
  std::string text;
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.user = &text;
  writer.write = [](const nereid_writer_t *self, const void *data,
                    uint64_t size) -> nereid_status_t {
    static_cast<std::string *>(self->user)
        ->append(static_cast<const char *>(data), size);
    return NEREID_OK;
  };
  Messages messages;
  ASSERT_EQ(plugin.compiler->write_dependencies(plugin.state, nullptr, &writer,
                                                messages.call()),
            NEREID_OK);
  EXPECT_THAT(text, ::testing::MatchesRegex("compiler=[0-9a-f]+;host=.*"));
}

} // namespace
} // namespace nereid::cpu::test
