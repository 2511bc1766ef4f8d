// SpirvFixture.h - a kernel to add instructions to, and SPIRV-Tools to judge
// it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_SPIRV_FIXTURE_H
#define NEREID_TESTS_SPIRV_FIXTURE_H

#include "spirv/Builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

namespace nereid::spirv {

class SpirvTest : public ::testing::Test {
protected:
  SpirvTest() {
    tools.SetMessageConsumer([this](spv_message_level_t, const char *,
                                    const spv_position_t &position,
                                    const char *message) {
      problems += std::to_string(position.index) + ": " + message + "\n";
    });
    kernel = b.declareFunction(b.voidType(), {});
    b.beginFunction(kernel);
  }

  void endKernel() {
    b.ret();
    b.endFunction();
    b.localSize(kernel, 32);
    b.entryPoint(kernel, "main");
  }
  Words assemble() {
    Words module = b.assemble();
    EXPECT_EQ(b.misuse(), "");
    return module;
  }
  /// Ends the kernel and assembles the module.
  Words end() {
    endKernel();
    return assemble();
  }
  bool isValid(const Words &module) {
    problems.clear();
    return tools.Validate(module.data(), module.size(), options);
  }
  std::string disassemble(const Words &module) {
    std::string text;
    EXPECT_TRUE(tools.Disassemble(module, &text,
                                  SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                                      SPV_BINARY_TO_TEXT_OPTION_NO_HEADER))
        << problems;
    return text;
  }
  /// Ends the kernel and validates it. Returns its text.
  std::string finish() {
    Words module = end();
    std::string text = disassemble(module);
    EXPECT_TRUE(isValid(module)) << problems << text;
    return text;
  }
  /// True if SPIRV-Tools is new enough to know \p capability.
  bool knows(const std::string &capability) {
    Words ignored;
    bool isKnown = tools.Assemble("OpCapability " + capability, &ignored);
    problems.clear();
    return isKnown;
  }

  /// A value that nothing is known about, as an input of the kernel.
  Id input(TypeId type) {
    TypeId block = b.blockType({{type, 0}});
    Id variable = b.globalVariable(spv::StorageClass::StorageBuffer, block);
    b.decorate(variable, spv::Decoration::DescriptorSet, 0u);
    b.decorate(variable, spv::Decoration::Binding, inputs++);
    return b.load(b.accessChain(variable, {b.u32(0)}));
  }
  Id boolInput() { return b.ine(input(b.intType(32)), b.u32(0)); }
  /// Memory at a device address.
  Id devicePointer(TypeId pointee, uint32_t stride = 0) {
    return b.convertUToPtr(
        input(b.intType(64)),
        b.pointerType(spv::StorageClass::PhysicalStorageBuffer, pointee,
                      stride));
  }

  Builder b;
  FunctionId kernel;
  uint32_t inputs = 0;
  spvtools::SpirvTools tools{SPV_ENV_VULKAN_1_3};
  spvtools::ValidatorOptions options;
  std::string problems;
};

} // namespace nereid::spirv

#endif // NEREID_TESTS_SPIRV_FIXTURE_H
