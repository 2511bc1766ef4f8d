// frontend_facts.h - what kernels may use, as compilers of plugins/codegen
// report it to frontends.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_FRONTEND_FACTS_H
#define NEREID_PLUGINS_COMMON_FRONTEND_FACTS_H

#include "values.h"

namespace nereid::plugin {

/// Adds the facts of "nereid.frontend/1". Every precision is computed, if need
/// be by a wider one, and products have any size. FP8 values are bytes, whose
/// conversions are written out: \p hasBytes is false where the target has none.
void addFrontendFacts(ValueWriter &values, bool hasBytes);

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_FRONTEND_FACTS_H
