// backend_test.cpp - from LLVM IR to images for several CPUs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend_harness.h"
#include "cpu_features.h"
#include "host_cpu.h"
#include "kernels.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <thread>

namespace nereid::cpu {
namespace {

using test::compile;
using test::exportsOf;
using test::Parsed;
using test::view;

class Cpus : public ::testing::TestWithParam<TargetConfig> {};

TEST_P(Cpus, CompileAndLink) {
  Bytes image;
  ASSERT_EQ(compile(test::addKernel(), GetParam(), image), "");
  EXPECT_EQ(exportsOf(image), std::vector<std::string>{"nereid_cpu_kernel_v3"});
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(view(image), "image"));
  ASSERT_TRUE(bool(file));
  EXPECT_EQ((*file)->getArch(), GetParam().arch == "x86_64"
                                    ? llvm::Triple::x86_64
                                    : llvm::Triple::aarch64);
}

INSTANTIATE_TEST_SUITE_P(
    All, Cpus,
    ::testing::Values(TargetConfig{"x86_64", "x86-64", "", "", 2},
                      TargetConfig{"x86_64", "x86-64-v2", "", "", 2},
                      TargetConfig{"x86_64", "x86-64-v3", "", "", 2},
                      TargetConfig{"x86_64", "x86-64-v4", "", "", 3},
                      TargetConfig{"x86_64", "znver4", "", "", 1},
                      TargetConfig{"x86_64", "x86-64", "znver5", "+avx2", 2},
                      TargetConfig{"x86_64", "x86-64", "not-a-cpu", "", 0},
                      TargetConfig{"aarch64", "generic", "", "", 2},
                      TargetConfig{"aarch64", "generic", "", "+sve", 2}),
    [](const auto &info) {
      std::string name = info.param.arch + "_" + info.param.cpu + "_" +
                         info.param.tuneCpu + info.param.features;
      for (char &letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter)))
          letter = '_';
      return name;
    });

TEST(Backend, VectorsOfTheCpu) {
  auto assembly = [](const char *cpu, const char *features) {
    Parsed parsed(test::addKernel());
    auto target = leaseTarget({"x86_64", cpu, "", features, 2});
    prepareModule(*parsed.module, **target, false);
    llvm::cantFail(addDescriptor(*parsed.module));
    return view(llvm::cantFail(emitAssembly(*parsed.module, **target))).str();
  };
  EXPECT_NE(assembly("x86-64-v4", "").find("zmm"), std::string::npos);
  EXPECT_EQ(assembly("x86-64-v3", "").find("zmm"), std::string::npos);
  EXPECT_NE(assembly("x86-64-v3", "").find("ymm"), std::string::npos);
  EXPECT_EQ(assembly("x86-64-v2", "").find("ymm"), std::string::npos);
  EXPECT_NE(assembly("x86-64", "+avx512f,+avx512vl,+evex512").find("zmm"),
            std::string::npos);
}

/// A step of a polynomial for each of `count` coefficients.
std::string polynomial(int count) {
  std::string text = "declare <8 x float> @llvm.fma.v8f32(<8 x float>, "
                     "<8 x float>, <8 x float>)\n"
                     "define <8 x float> @f(<8 x float> %x) {\n"
                     "  %v0 = fadd <8 x float> %x, splat (float 0.5)\n";
  for (int i = 1; i < count; ++i)
    text += llvm::formatv("  %v{0} = call <8 x float> @llvm.fma.v8f32("
                          "<8 x float> %v{1}, <8 x float> %x, "
                          "<8 x float> splat (float {2}.0))\n",
                          i, i - 1, i)
                .str();
  return text + llvm::formatv("  ret <8 x float> %v{0}\n}\n", count - 1).str();
}

TEST(Backend, ManyConstantsStayInMemory) {
  auto variables = [](int count, const char *cpu) -> size_t {
    Parsed parsed(polynomial(count));
    auto target = leaseTarget({"x86_64", cpu, "", "", 2});
    if (!target) {
      ADD_FAILURE() << llvm::toString(target.takeError());
      return 0;
    }
    (*target)->optimizer->run(*parsed.module);
    return parsed.module->global_size();
  };
  EXPECT_EQ(variables(16, "x86-64-v3"), 16u);
  EXPECT_EQ(variables(4, "x86-64-v3"), 0u);
  EXPECT_EQ(variables(16, "x86-64-v4"), 0u) << "it has registers enough";
}

TEST(Backend, ShortFloatsMoveAsIntegers) {
  Parsed parsed("define void @f(ptr %p, ptr %q) {\n"
                "  %x = load bfloat, ptr %p\n"
                "  %v = insertelement <16 x bfloat> poison, bfloat %x, i64 0\n"
                "  %s = shufflevector <16 x bfloat> %v, <16 x bfloat> poison, "
                "<16 x i32> zeroinitializer\n"
                "  store <16 x bfloat> %s, ptr %q\n"
                "  ret void\n}\n");
  auto target = llvm::cantFail(leaseTarget({"x86_64", "x86-64-v3", "", "", 2}));
  (*target).optimizer->run(*parsed.module);
  std::string text =
      view(llvm::cantFail(emitAssembly(*parsed.module, *target))).str();
  EXPECT_NE(text.find("vpbroadcastw"), std::string::npos) << text;
}

TEST(Backend, AssemblyGivesTheSameKernel) {
  Parsed parsed(test::addKernel());
  auto target = leaseTarget({"x86_64", "x86-64-v3", "", "", 2});
  ASSERT_TRUE(bool(target));
  prepareModule(*parsed.module, **target, false);
  ASSERT_FALSE(bool(addDescriptor(*parsed.module)));
  auto text = emitAssembly(*parsed.module, **target);
  ASSERT_TRUE(bool(text));
  auto object = assemble(view(*text), **target);
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  auto info = readDescriptor({view(*object), "object"});
  ASSERT_TRUE(bool(info));
  EXPECT_EQ(info->name, "add_kernel");
  EXPECT_EQ(info->argumentsSize, 32u);
  ASSERT_EQ(info->arguments.size(), 4u);
  EXPECT_EQ(info->arguments[3].type, "i32");
  EXPECT_EQ(info->arguments[3].offset, 24u);
}

TEST(Backend, LibmIsAskedFor) {
  for (const TargetConfig &config :
       {TargetConfig{"x86_64", "x86-64", "", "", 2},
        TargetConfig{"aarch64", "generic", "", "", 2}}) {
    Bytes image;
    ASSERT_EQ(compile(test::fmodKernel(), config, image), "");
    EXPECT_NE(view(image).find("libm.so.6"), llvm::StringRef::npos);
    ASSERT_EQ(compile(test::addKernel(), config, image), "");
    EXPECT_EQ(view(image).find("libm.so.6"), llvm::StringRef::npos);
  }
}

TEST(Backend, EqualInputGivesEqualBytes) {
  Bytes first, second;
  ASSERT_EQ(
      compile(test::addKernel(), {"x86_64", "x86-64-v3", "", "", 2}, first),
      "");
  ASSERT_EQ(
      compile(test::addKernel(), {"x86_64", "x86-64-v3", "", "", 2}, second),
      "");
  EXPECT_EQ(view(first), view(second));
}

// The features that images for an Arm CPU list, and those of machines, by the
// values of HWCAP that Linux reports there.
TEST(Backend, ImagesForArmListTheFeaturesThatTheyNeed) {
  auto neededBy = [](const char *cpu) {
    auto target = leaseTarget({"aarch64", cpu, "", "", 2});
    if (!target) {
      ADD_FAILURE() << llvm::toString(target.takeError());
      return std::string();
    }
    return (*target)->neededFeatures;
  };
  const std::string plain = armFeatures(0x3, 0);
  const std::string n1 = armFeatures(0x119fff, 0);
  const std::string v1 = armFeatures(0xdfffffff, 0x1f201);
  EXPECT_EQ(neededBy("generic"), "+fp-armv8,+neon");
  EXPECT_EQ(missingFeature(neededBy("generic"), plain), "");
  EXPECT_EQ(missingFeature(neededBy("neoverse-n1"), n1), "");
  EXPECT_EQ(missingFeature(neededBy("neoverse-n1"), v1), "");
  EXPECT_EQ(missingFeature(neededBy("neoverse-n1"), plain), "aes");
  EXPECT_EQ(missingFeature(neededBy("neoverse-v1"), v1), "");
  EXPECT_EQ(missingFeature("+sve", n1), "sve");
  EXPECT_EQ(missingFeature("+sve", neededBy("neoverse-v1")), "");
  EXPECT_NE(missingFeature(neededBy("neoverse-v1"), n1), "");
}

// hasFeature() takes an unknown name for a feature that is off.
TEST(Backend, LlvmKnowsEveryFeatureOfTheTables) {
  auto isKnown = [](const char *arch, const char *cpu, const char *feature) {
    auto target = leaseTarget({arch, cpu, "", std::string("+") + feature, 2});
    if (!target)
      return llvm::toString(target.takeError());
    std::string listed = "," + (*target)->neededFeatures + ",";
    return listed.find(",+" + std::string(feature) + ",") != listed.npos
               ? std::string()
               : std::string("not listed");
  };
  for (const X86Feature &feature : kX86Features)
    EXPECT_EQ(isKnown("x86_64", "x86-64", feature.name), "") << feature.name;
  for (const ArmFeature &feature : kArmFeatures)
    EXPECT_EQ(isKnown("aarch64", "generic", feature.name), "") << feature.name;
}

TEST(Backend, ManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&wrong, i] {
      const char *cpu = i % 2 ? "x86-64-v3" : "x86-64-v4";
      for (int round = 0; round < 5; ++round) {
        Bytes image;
        if (!compile(test::addKernel(), {"x86_64", cpu, "", "", 2}, image)
                 .empty())
          wrong.fetch_add(1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

} // namespace
} // namespace nereid::cpu
