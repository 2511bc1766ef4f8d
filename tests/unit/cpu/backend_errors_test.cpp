// backend_errors_test.cpp - what the back end refuses, and how it says so.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend_harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>

namespace nereid::cpu {
namespace {

using test::compile;
using test::Parsed;
using test::view;
using ::testing::StartsWith;

TEST(Backend, UnknownNames) {
  Bytes image;
  EXPECT_EQ(
      compile(test::addKernel(), {"x86_64", "pentium9", "", "", 2}, image),
      "unknown CPU 'pentium9' for x86_64");
  EXPECT_EQ(
      compile(test::addKernel(), {"x86_64", "x86-64", "", "+warp", 2}, image),
      "unknown CPU feature '+warp' for x86_64, expected +name or -name");
  EXPECT_EQ(compile(test::addKernel(), {"sparc", "", "", "", 2}, image),
            "unknown architecture 'sparc', expected x86_64 or aarch64");
}

TEST(Backend, RefusesTargetsWithoutWhatKernelsNeed) {
  struct {
    TargetConfig config;
    std::string error;
  } const cases[] = {
      {{"x86_64", "i386", "", "", 2},
       "CPU 'i386' with these features lacks '64bit', which kernels for "
       "x86_64 need"},
      {{"x86_64", "x86-64", "", "-64bit", 2},
       "CPU 'x86-64' with these features lacks '64bit', which kernels for "
       "x86_64 need"},
      {{"x86_64", "x86-64", "", "-sse", 2},
       "CPU 'x86-64' with these features lacks 'sse2', which kernels for "
       "x86_64 need"},
      {{"x86_64", "x86-64-v3", "", "+soft-float", 2},
       "CPU 'x86-64-v3' with these features has 'soft-float', which kernels "
       "for x86_64 cannot use"},
      {{"aarch64", "generic", "", "-neon", 2},
       "CPU 'generic' with these features lacks 'neon', which kernels for "
       "aarch64 need"},
  };
  for (const auto &[config, error] : cases) {
    auto target = leaseTarget(config);
    ASSERT_FALSE(bool(target)) << error;
    EXPECT_EQ(llvm::toString(target.takeError()), error);
  }
}

TEST(Backend, RefusesTheNameOfAnIntrinsic) {
  for (const char *name : {"llvm.memcpy", "llvm.foo"}) {
    std::string text = test::addKernel();
    size_t at = text.find("\"add_kernel\"");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 12, '"' + std::string(name) + '"');
    Bytes image;
    EXPECT_EQ(compile(text, {"x86_64", "x86-64", "", "", 2}, image),
              "the kernel is named '" + std::string(name) +
                  "', expected a name that does not begin with 'llvm.', as "
                  "those of LLVM's intrinsics do");
  }
}

TEST(Backend, AssemblyErrorsHaveAPlace) {
  auto target = leaseTarget({"x86_64", "x86-64", "", "", 2});
  auto object = assemble("nop\n  frobnicate %rax\n", **target);
  ASSERT_FALSE(bool(object));
  EXPECT_EQ(llvm::toString(object.takeError()),
            "2:3: invalid instruction mnemonic 'frobnicate'");
}

TEST(Backend, AFunctionThatNobodyHas) {
  std::string text = test::addKernel();
  text.replace(text.find("%sum = fadd <16 x float> %va, %vb"), 33,
               "%sum = call <16 x float> @magic(<16 x float> %va)");
  text += "declare <16 x float> @magic(<16 x float>)\n";
  Bytes image;
  EXPECT_EQ(compile(text, {"x86_64", "x86-64-v4", "", "", 2}, image),
            "the kernel calls 'magic', which neither it nor libm defines");
}

TEST(Backend, AModuleWithoutAKernel) {
  Bytes image;
  EXPECT_EQ(compile("", {"x86_64", "x86-64", "", "", 2}, image),
            "the module has no metadata nereid.cpu.kernel");
  std::string text = test::addKernel();
  text.replace(text.find("nereid_cpu_entry"), 16, "somebody_s_entry");
  EXPECT_EQ(compile(text, {"x86_64", "x86-64", "", "", 2}, image),
            "the module does not define a function nereid_cpu_entry");
}

/// `object` with its `number`th section of code or data behind its end; empty
/// if there is no such section.
Bytes withSectionOutside(const Bytes &object, unsigned number) {
  Bytes broken = object;
  auto *header = reinterpret_cast<Elf64_Ehdr *>(broken.data());
  auto *sections =
      reinterpret_cast<Elf64_Shdr *>(broken.data() + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if (sections[i].sh_type == SHT_PROGBITS && sections[i].sh_size &&
        number-- == 0) {
      sections[i].sh_offset = 0x7fffffff;
      return broken;
    }
  return {};
}

// lld as a program ends at all of these.
TEST(Backend, WhatLldGivesUpAtHarmsNoLaterLink) {
  Parsed parsed(test::addKernel());
  auto target = leaseTarget({"x86_64", "x86-64-v3", "", "", 2});
  ASSERT_TRUE(bool(target));
  prepareModule(*parsed.module, **target, false);
  ASSERT_FALSE(bool(addDescriptor(*parsed.module)));
  Bytes object = llvm::cantFail(emitObject(*parsed.module, **target));
  Bytes good = llvm::cantFail(linkImage(object, **target));

  std::vector<Bytes> inputs = {llvm::cantFail(assemble(
      ".section .odd,\"aM\",@progbits,8\n.ascii \"abc\"\n", **target))};
  for (Bytes broken = withSectionOutside(object, 0); !broken.empty();
       broken = withSectionOutside(object, inputs.size() - 1))
    inputs.push_back(broken);
  EXPECT_GT(inputs.size(), 2u);
  for (const Bytes &input : inputs) {
    auto linked = linkImage(input, **target);
    ASSERT_FALSE(bool(linked));
    EXPECT_THAT(llvm::toString(linked.takeError()), StartsWith("lld: "));
    auto again = linkImage(object, **target);
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(view(*again), view(good));
  }
}

} // namespace
} // namespace nereid::cpu
