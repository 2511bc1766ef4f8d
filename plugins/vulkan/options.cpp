// options.cpp - the table of options, and parsing them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include "common/option_table.h"
#include "common/text.h"
#include "target.h"

namespace nereid::vulkan {

using namespace plugin;

static constexpr OptionSpec<Options> kSpecs[] = {
    {{"access_bytes", "16",
      "bytes of the widest access to memory of one thread; 1 turns wide "
      "accesses off",
      1, 16},
     &Options::accessBytes},
    {{"enable_fp_fusion", "true",
      "contract a multiplication and an addition into one operation"},
     &Options::enableFpFusion},
    {{"matrices", "true",
      "compute products by cooperative matrices where the device has them"},
     &Options::matrices},
    {{"num_ctas", "1",
      "workgroups of a cluster; devices have none, so 1 is the only value", 1,
      1},
     &Options::numCtas},
    {{"num_stages", "2",
      "above 1, loads of a loop run ahead of its products by one iteration", 0,
      1024},
     &Options::numStages},
    {{"num_threads", "0",
      "threads of a workgroup, a power of two; 0 means 32 for each of "
      "num_warps",
      0, 1024},
     &Options::numThreads},
    {{"num_warps", "4", "groups of 32 threads of a workgroup, a power of two",
      1, 32},
     &Options::numWarps},
    {{"without",
      "",
      "features of the target that the kernel does not use, with commas "
      "between: i64,f16",
      0,
      0,
      {},
      false},
     &Options::without},
};

static constexpr OptionTable<Options> kTable(kSpecs);

nereid_status_t visitOptions(const nereid_option_sink_t *sink) {
  return kTable.visit(sink);
}

/// Removes the features that `without` lists. Returns what is wrong with them.
static std::string removeFeatures(std::string_view without,
                                  std::string &features) {
  while (!without.empty()) {
    std::string_view name = takeItem(without, ',');
    if (!isFeature(name)) {
      std::string_view nearest = nearestFeature(name);
      return "'" + std::string(name) +
             "' is not a feature that a kernel can do without" +
             (nearest.empty()
                  ? ""
                  : "; did you mean '" + std::string(nearest) + "'?");
    }
    std::string kept = ',' + features + ',';
    std::string listed = ',' + std::string(name) + ',';
    if (size_t at = kept.find(listed); at != kept.npos)
      features = kept.erase(at, listed.size() - 1).substr(1, kept.size() - 2);
  }
  return {};
}

static std::string profileNames() {
  std::string names;
  for (const Profile &profile : profiles())
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  return names;
}

static bool isPowerOfTwo(int64_t number) {
  return number > 0 && !(number & (number - 1));
}

nereid_status_t parseOptions(const nereid_target_t *target,
                             const nereid_value_t *values, uint64_t count,
                             Options &out, const nereid_call_t *call) {
  std::string problem = kTable.parse({values, count}, out);
  if (!problem.empty())
    return fail(call, NEREID_INVALID_ARGUMENT, problem);
  for (auto [name, number] : {std::pair("num_warps", out.numWarps),
                              std::pair("access_bytes", out.accessBytes)})
    if (!isPowerOfTwo(number))
      return fail(call, NEREID_INVALID_ARGUMENT,
                  "option " + std::string(name) + ": " +
                      std::to_string(number) + " is not a power of two");
  if (out.numThreads && !isPowerOfTwo(out.numThreads))
    return fail(call, NEREID_INVALID_ARGUMENT,
                "option num_threads: " + std::to_string(out.numThreads) +
                    " is not 0 or a power of two");
  out.threads = static_cast<uint32_t>(out.numThreads ? out.numThreads
                                                     : 32 * out.numWarps);
  out.features = featuresFor(target);
  if (out.features.empty())
    return fail(call, NEREID_INVALID_ARGUMENT,
                "target '" + std::string(target ? view(target->arch) : "") +
                    "' has no features, expected those of a device, or one of "
                    "the profiles: " +
                    profileNames());
  problem = removeFeatures(out.without, out.features);
  if (!problem.empty())
    return fail(call, NEREID_INVALID_ARGUMENT, "option without: " + problem);
  return NEREID_OK;
}

// Contains the resolved number of threads instead of the given ones, and of
// stages what is told apart.
std::string canonicalText(const Options &options) {
  Options resolved = options;
  resolved.numThreads = options.threads;
  resolved.numWarps = 0;
  resolved.numStages = options.numStages > 1 ? 2 : 1;
  return kTable.canonicalText(resolved) + "features=" + options.features;
}

} // namespace nereid::vulkan
