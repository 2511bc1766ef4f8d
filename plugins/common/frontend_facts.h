// frontend_facts.h - what kernels may use, as compilers of plugins/codegen
// report it to frontends.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_FRONTEND_FACTS_H
#define NEREID_PLUGINS_COMMON_FRONTEND_FACTS_H

#include "values.h"

namespace nereid::plugin {

/// Adds the facts of "nereid.frontend/1". FP8 values are bytes, whose
/// conversions are written out. Products of f32 are computed as such, which is
/// at least as precise as any precision that Triton names; they have any size.
void addFrontendFacts(ValueWriter &values);

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_FRONTEND_FACTS_H
