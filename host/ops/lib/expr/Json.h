// Json.h - values from and to JSON.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_EXPR_JSON_H
#define NEREID_OPS_EXPR_JSON_H

#include "expr/Expression.h"
#include "support/JsonFwd.h"

namespace nereid::ops {

/// A JSON object becomes something with attributes, of the kind \p kind.
Result<Value> valueOfJson(const host::Json &json,
                          std::string_view kind = "an object");

/// The names of the JSON object \p text, with their values.
Result<Names> namesOfJson(std::string_view text);

/// Objects become objects, infinities and NaN null, as JSON has none.
host::Json jsonOfValue(const Value &value);

} // namespace nereid::ops

#endif // NEREID_OPS_EXPR_JSON_H
