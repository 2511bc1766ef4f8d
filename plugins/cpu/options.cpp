// options.cpp - the table of options, and parsing them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include "common/option_table.h"
#include "common/text.h"

namespace nereid::cpu {

using namespace plugin;

static constexpr std::string_view kArchs[] = {"", "x86_64", "aarch64"};

static constexpr OptionSpec<Options> kSpecs[] = {
    {{"arch", "",
      "architecture: x86_64 or aarch64; empty means the target's", 0, 0, kArchs},
     &Options::arch},
    {{"cpu", "host",
      "CPU to compile for: host (the target's), generic, or LLVM's name of one "
      "(x86-64-v3, znver4)"},
     &Options::cpu},
    {{"debug_info", "false",
      "emit line tables for the kernel's source"},
     &Options::debugInfo},
    {{"enable_fp_fusion", "true",
      "contract a multiplication and an addition into one operation"},
     &Options::enableFpFusion},
    {{"fast_paths", "all",
      "fast paths of the code generator: all, none, names with commas between, "
      "or -name for all but some; for tests"},
     &Options::fastPaths},
    {{"features", "",
      "CPU features to add and to remove, by LLVM's names: +avx2,-fma"},
     &Options::features},
    {{"num_ctas", "1",
      "accepted for compatibility with Triton; no effect", 1, 1024, {}, false},
     &Options::numCtas},
    {{"num_stages", "2",
      "accepted for compatibility with Triton; no effect", 0, 1024, {}, false},
     &Options::numStages},
    {{"num_warps", "4",
      "accepted for compatibility with Triton; no effect", 1, 1024, {}, false},
     &Options::numWarps},
    {{"opt_level", "2",
      "how much LLVM optimises, from 0 (least) to 3", 0, 3},
     &Options::optLevel},
    {{"reassociate", "true",
      "let reductions, scans and dots combine floating-point numbers in another "
      "order than that of their index"},
     &Options::reassociate},
    {{"threads", "0",
      "maximum number of threads of a launch; 0 means by the work", 0, 4096},
     &Options::threads},
    {{"vector_bits", "0",
      "bits of the vectors that loops are built from, at most the CPU's; 0 means "
      "the CPU's widest",
      0, 512},
     &Options::vectorBits},
};

static constexpr OptionTable<Options> kTable(kSpecs);

nereid_status_t visitOptions(const nereid_option_sink_t *sink) {
  return kTable.visit(sink);
}

static void append(std::string &list, std::string_view more) {
  if (more.empty())
    return;
  if (!list.empty())
    list += ',';
  list += more;
}

/// True for the name of a CPU, "x86-64-v3", without features.
static bool isOneName(std::string_view given) {
  return given.front() != '+' && given.front() != '-' &&
         given.find(',') == given.npos;
}

/// "host" means the target's CPU: the code is tuned for its name and may use
/// its features, but none that only the name would imply. A target of which only
/// the name is known is one that somebody wrote: it has what the name implies.
static void resolveCpu(const HostCpu &host, const nereid_target_t *target,
                       Options &out) {
  if (out.arch.empty())
    out.arch = target && target->arch.size ? view(target->arch) : host.arch;
  std::string own = host.targetFeatures();
  std::string_view given;
  if (target && target->features.size && view(target->arch) == out.arch)
    given = view(target->features);
  else if (out.arch == host.arch)
    given = own;
  const char *baseline = out.arch == "x86_64" ? "x86-64" : "generic";
  if (out.cpu == "generic" || (out.cpu == "host" && given.empty())) {
    out.targetCpu = baseline;
  } else if (out.cpu == "host" && given != own && isOneName(given)) {
    out.targetCpu = given;
  } else if (out.cpu == "host") {
    size_t comma = std::min(given.find(','), given.size());
    out.targetCpu = baseline;
    out.tuneCpu = given.substr(0, comma);
    out.targetFeatures = given.substr(std::min(comma + 1, given.size()));
  } else {
    out.targetCpu = out.cpu;
  }
  append(out.targetFeatures, out.features);
}

/// LLVM ignores empty names, but the text is part of cache keys.
static bool hasEmptyName(std::string_view list) {
  return !list.empty() && (list.front() == ',' || list.back() == ',' ||
                           list.find(",,") != std::string_view::npos);
}

nereid_status_t parseOptions(const HostCpu &host, const nereid_target_t *target,
                             const nereid_value_t *values, uint64_t count,
                             Options &out, const nereid_call_t *call) {
  std::string problem = kTable.parse({values, count}, out);
  if (!problem.empty())
    return fail(call, NEREID_INVALID_ARGUMENT, problem);
  if (out.vectorBits & (out.vectorBits - 1) ||
      (out.vectorBits && out.vectorBits < 64))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "option vector_bits: " + std::to_string(out.vectorBits) +
                    " is not 0 or a power of two from 64");
  if (hasEmptyName(out.features))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "option features: '" + out.features +
                    "' has an empty name between commas, expected +name or "
                    "-name");
  resolveCpu(host, target, out);
  return NEREID_OK;
}

// Contains the resolved CPU instead of the given names.
std::string canonicalText(const Options &options) {
  Options resolved = options;
  resolved.cpu = options.targetCpu;
  resolved.features = options.targetFeatures;
  return kTable.canonicalText(resolved) + "tune=" + options.tuneCpu;
}

} // namespace nereid::cpu
