// frontend_facts.cpp - the lists of types and precisions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "frontend_facts.h"

namespace nereid::plugin {

static constexpr nereid_string_t kFloat8[] = {text("fp8e4b15"), text("fp8e4b8"),
                                              text("fp8e4nv"), text("fp8e5"),
                                              text("fp8e5b16")};
static constexpr nereid_string_t kPrecisions[] = {
    text("ieee"), text("tf32"), text("tf32x3"), text("bf16x3"), text("bf16x6")};
static constexpr int64_t kLeastDot[] = {1, 1, 1};

void addFrontendFacts(ValueWriter &values) {
  values.addList("fp8_types", kFloat8);
  values.addList("dot_precisions", kPrecisions);
  values.addString("default_dot_precision", "ieee");
  values.addList("min_dot_size", kLeastDot);
  values.addInteger("max_num_imprecise_acc", 0);
}

} // namespace nereid::plugin
