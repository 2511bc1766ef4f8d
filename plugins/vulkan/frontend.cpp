// frontend.cpp - what kernels for a target may use, by its features.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/guard.h"
#include "common/text.h"
#include "extensions.h"
#include "target.h"
#include "tile_limits.h"

#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>

namespace nereid::vulkan {

using namespace plugin;

static std::set<std::string> featureSet(const std::string &text) {
  std::set<std::string> features;
  std::stringstream list(text);
  for (std::string feature; std::getline(list, feature, ',');)
    features.insert(feature);
  return features;
}

static int64_t numberOf(const std::set<std::string> &features,
                        const std::string &name) {
  auto found = features.lower_bound(name + '=');
  if (found == features.end() || !found->starts_with(name + '='))
    return 0;
  return std::strtoll(found->c_str() + name.size() + 1, nullptr, 10);
}

/// FP8 values are bytes, whose conversions are written out. Products of f32 are
/// computed as such, which is at least as precise as any precision that Triton
/// names; they may have any size.
static nereid_status_t visitFacts(nereid_state_t *,
                                  const nereid_target_t *target,
                                  const nereid_value_sink_t *sink,
                                  const nereid_call_t *) {
  static constexpr nereid_string_t kFloat8[] = {
      text("fp8e4b15"), text("fp8e4b8"), text("fp8e4nv"), text("fp8e5"),
      text("fp8e5b16")};
  static constexpr nereid_string_t kPrecisions[] = {
      text("ieee"), text("tf32"), text("tf32x3"), text("bf16x3"),
      text("bf16x6")};
  static constexpr int64_t kLeastDot[] = {1, 1, 1};
  auto features = featureSet(featuresFor(target));
  nereid_status_t status = addList(sink, "fp8_types", NEREID_TYPE_STRING_LIST,
                                   kFloat8, std::size(kFloat8));
  if (status == NEREID_OK)
    status = addList(sink, "dot_precisions", NEREID_TYPE_STRING_LIST,
                     kPrecisions, std::size(kPrecisions));
  if (status == NEREID_OK)
    status = addString(sink, "default_dot_precision", "ieee");
  if (status == NEREID_OK)
    status = addList(sink, "min_dot_size", NEREID_TYPE_I64_LIST, kLeastDot,
                     std::size(kLeastDot));
  if (status == NEREID_OK)
    status = addInteger(sink, "max_num_imprecise_acc", 0);
  if (int64_t threads = numberOf(features, "threads");
      status == NEREID_OK && threads)
    status = addInteger(sink, "max_tensor_elements",
                        threads * kMaxElementsPerThread);
  return status;
}

const nereid_frontend_t kFrontend = {sizeof(nereid_frontend_t), 0,
                                     kGuarded<visitFacts>};

} // namespace nereid::vulkan
