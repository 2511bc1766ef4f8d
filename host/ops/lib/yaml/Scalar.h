// Scalar.h - what a plain word of YAML 1.1 means.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_YAML_SCALAR_H
#define NEREID_OPS_YAML_SCALAR_H

#include "expr/Value.h"
#include "support/Result.h"

#include <string_view>

namespace nereid::ops::yaml {

enum class Tag { Null, Bool, Int, Float, String, Timestamp, Merge, Value };

/// What PyYAML's resolver takes the plain scalar \p text for.
Tag resolve(std::string_view text);

/// The value of \p text, which resolves to \p tag. Fails for numbers without
/// digits and integers of more than 64 bits.
host::Result<ops::Value> construct(Tag tag, std::string_view text);

} // namespace nereid::ops::yaml

#endif // NEREID_OPS_YAML_SCALAR_H
