// compiler.cpp - the compiler functions of the plugin: options and stages here,
// the implementation in the compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compiler.h"

#include "common/compiler_table.h"
#include "compiler_interface.h"
#include "options.h"
#include "state.h"

namespace nereid::vulkan {

using namespace plugin;

namespace {
struct Compiler {
  using Options = vulkan::Options;
  using PartOptions = nereid_vulkan_options_t;

  // In the order of compiler_interface.h.
  static constexpr Stage kStages[NEREID_VULKAN_STAGE_COUNT] = {
      {"ttir", "ttir", "ttir", "ttir", NEREID_STAGE_KEEPS_OUTPUT},
      {"spirv", "ttir", "spirv", "spv", NEREID_STAGE_MAKES_IMAGE},
  };

  static int32_t scoreTarget(const nereid_target_t &target) {
    return view(target.backend) == "vulkan" ? 100 : 0;
  }

  static constexpr auto visitOptions = vulkan::visitOptions;
  static constexpr auto canonicalText = vulkan::canonicalText;

  static nereid_status_t parseOptions(const nereid_state_t &,
                                      const nereid_target_t *target,
                                      const nereid_value_t *values,
                                      uint64_t count, Options &out,
                                      const nereid_call_t *call) {
    return vulkan::parseOptions(target, values, count, out, call);
  }

  static PartOptions partOptions(const Options &values) {
    PartOptions plain = {};
    plain.features = text(values.features);
    plain.threads = values.threads;
    plain.access_bytes = static_cast<uint32_t>(values.accessBytes);
    plain.fp_fusion = values.enableFpFusion;
    plain.stages = static_cast<uint32_t>(values.numStages);
    plain.matrices = values.matrices;
    return plain;
  }

  // The device is in the options' text.
  static std::string furtherDependencies(const nereid_state_t &) { return {}; }

  static CompilerPart &part(nereid_state_t &state) { return state.compiler; }
};
} // namespace

constinit const nereid_compiler_t kCompiler = CompilerSlots<Compiler>::table();

} // namespace nereid::vulkan
