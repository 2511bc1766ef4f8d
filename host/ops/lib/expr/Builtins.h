// Builtins.h - the functions that expressions may call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_EXPR_BUILTINS_H
#define NEREID_OPS_EXPR_BUILTINS_H

#include "expr/Arithmetic.h"

#include <span>

namespace nereid::ops {

struct Builtin {
  std::string_view name;
  uint8_t least, most; // arguments
  Result<Value> (*call)(std::span<const Value> arguments);
};

std::span<const Builtin> builtins();

} // namespace nereid::ops

#endif // NEREID_OPS_EXPR_BUILTINS_H
