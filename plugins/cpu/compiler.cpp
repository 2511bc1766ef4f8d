// compiler.cpp - the compiler functions of the plugin: options and stages here,
// the implementation in the compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compiler.h"

#include "common/compiler_table.h"
#include "options.h"
#include "state.h"

namespace nereid::cpu {

using namespace plugin;

namespace {
struct Compiler {
  using Options = cpu::Options;
  using PartOptions = nereid_cpu_options_t;

  // In the order of compiler_interface.h.
  static constexpr Stage kStages[NEREID_CPU_STAGE_COUNT] = {
      {"ttir", "ttir", "ttir", "ttir", NEREID_STAGE_KEEPS_OUTPUT},
      {"llir", "ttir", "llvm.ir", "ll", NEREID_STAGE_KEEPS_OUTPUT},
      {"asm", "llvm.ir", "asm", "s", NEREID_STAGE_KEEPS_OUTPUT},
      {"so", "asm", "elf", "so", NEREID_STAGE_MAKES_IMAGE},
  };

  static int32_t scoreTarget(const nereid_target_t &target) {
    std::string_view arch = view(target.arch);
    bool known = arch.empty() || arch == "x86_64" || arch == "aarch64";
    return view(target.backend) == "cpu" && known ? 100 : 0;
  }

  static constexpr auto visitOptions = cpu::visitOptions;
  static constexpr auto canonicalText = cpu::canonicalText;

  static nereid_status_t parseOptions(const nereid_state_t &state,
                                      const nereid_target_t *target,
                                      const nereid_value_t *values,
                                      uint64_t count, Options &out,
                                      const nereid_call_t *call) {
    return cpu::parseOptions(state.cpu, target, values, count, out, call);
  }

  static PartOptions partOptions(const Options &values) {
    PartOptions plain = {};
    plain.opt_level = static_cast<uint32_t>(values.optLevel);
    plain.vector_bits = static_cast<uint32_t>(values.vectorBits);
    plain.arch = text(values.arch);
    plain.cpu = text(values.targetCpu);
    plain.tune_cpu = text(values.tuneCpu);
    plain.features = text(values.targetFeatures);
    plain.fast_paths = text(values.fastPaths);
    plain.threads = static_cast<uint32_t>(values.threads);
    plain.fp_fusion = values.enableFpFusion;
    plain.reassociate = values.reassociate;
    plain.debug_info = values.debugInfo;
    return plain;
  }

  // The CPU that is compiled for is in the options' text.
  static std::string furtherDependencies(const nereid_state_t &state) {
    return ";host=" + state.features;
  }

  static CompilerPart &part(nereid_state_t &state) { return state.compiler; }
};
} // namespace

constinit const nereid_compiler_t kCompiler = CompilerSlots<Compiler>::table();

} // namespace nereid::cpu
