// backend_test.cpp - from LLVM IR to images for several CPUs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/Descriptor.h"
#include "backend/Link.h"
#include "kernels.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>
#include <thread>

namespace nereid::cpu {
namespace {

using ::testing::StartsWith;

struct Parsed {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  explicit Parsed(const std::string &text) {
    llvm::SMDiagnostic problem;
    module = llvm::parseAssemblyString(text, problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
  }
};

/// The image of `text` for `config`, or the error.
std::string compile(const std::string &text, const TargetConfig &config,
                    Bytes &image) {
  Parsed parsed(text);
  auto target = leaseTarget(config);
  if (!target)
    return llvm::toString(target.takeError());
  prepareModule(*parsed.module, **target, false);
  if (llvm::Error error = addDescriptor(*parsed.module))
    return llvm::toString(std::move(error));
  (*target)->optimizer->run(*parsed.module);
  auto object = emitObject(*parsed.module, **target);
  if (!object)
    return llvm::toString(object.takeError());
  auto linked = linkImage(*object, **target);
  if (!linked)
    return llvm::toString(linked.takeError());
  image = std::move(*linked);
  return "";
}

llvm::StringRef view(const Bytes &bytes) {
  return {bytes.data(), bytes.size()};
}

/// Exported functions and data of an image.
std::vector<std::string> exportsOf(const Bytes &image) {
  std::vector<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(view(image), "image"));
  EXPECT_TRUE(bool(file)) << llvm::toString(file.takeError());
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->get());
  for (auto symbol : elf->getDynamicSymbolIterators())
    if (!(llvm::cantFail(symbol.getFlags()) &
          llvm::object::SymbolRef::SF_Undefined))
      names.push_back(llvm::cantFail(symbol.getName()).str());
  return names;
}

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

TEST(Backend, LibmIsAskedFor) {
  for (TargetConfig config : {TargetConfig{"x86_64", "x86-64", "", "", 2},
                              TargetConfig{"aarch64", "generic", "", "", 2}}) {
    Bytes image;
    ASSERT_EQ(compile(test::fmodKernel(), config, image), "");
    EXPECT_NE(view(image).find("libm.so.6"), llvm::StringRef::npos);
    ASSERT_EQ(compile(test::addKernel(), config, image), "");
    EXPECT_EQ(view(image).find("libm.so.6"), llvm::StringRef::npos);
  }
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

TEST(KernelInfo, StandardLayout) {
  KernelInfo info;
  for (const char *type : {"i1", "*f32", "bf16", "i32", "f64", "i8"})
    info.arguments.push_back({"x", type, 0});
  ASSERT_FALSE(bool(layOutArguments(info)));
  std::vector<uint64_t> offsets;
  for (const KernelArgument &argument : info.arguments)
    offsets.push_back(argument.offset);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 8, 16, 20, 24, 32}));
  EXPECT_EQ(info.argumentsSize, 40u);
  info.arguments.push_back({"y", "tensor", 0});
  EXPECT_EQ(llvm::toString(layOutArguments(info)),
            "argument 'y' has a type without a layout: tensor");
}

TEST(KernelInfo, MetadataRoundTrip) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  KernelInfo info;
  info.name = "k";
  info.arguments = {{"a", "*f16", 0}, {"b", "i64", 8}};
  info.argumentsSize = 16;
  info.scratchSize = 4096;
  info.scratchAlign = 128;
  info.flags = 5;
  info.bytesPerProgram = 7;
  info.flopsPerProgram = 9;
  attachKernelInfo(module, info);
  auto back = readKernelInfo(module);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->name, "k");
  ASSERT_EQ(back->arguments.size(), 2u);
  EXPECT_EQ(back->arguments[1].type, "i64");
  EXPECT_EQ(back->scratchAlign, 128u);
  EXPECT_EQ(back->flags, 5u);
  EXPECT_EQ(back->bytesPerProgram, 7u);
  EXPECT_EQ(back->flopsPerProgram, 9u);
}

} // namespace
} // namespace nereid::cpu
