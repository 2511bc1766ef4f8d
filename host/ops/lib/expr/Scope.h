// Scope.h - values that expressions define, in any order: `let` of operators
// and of configurations.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_EXPR_SCOPE_H
#define NEREID_OPS_EXPR_SCOPE_H

#include "expr/Expression.h"

#include <optional>

namespace nereid::ops {

struct Definition {
  std::string name;
  Expression expression;
  uint32_t line = 0, column = 0; // in the pack's file
};

using Definitions = std::vector<Definition>;

/// "a -> b -> a" if the definitions need each other, else nothing.
std::optional<std::string> findCycle(const Definitions &definitions);

/// The definitions' values over an outer environment. Each is computed when it
/// is read first, so one that a call does not need cannot fail it. Not for two
/// threads at once.
class Scope : public Environment {
public:
  Scope(const Definitions &definitions, const Environment &outer);

  Result<const Value *> find(std::string_view name) const override;
  std::vector<std::string> names() const override;

private:
  struct Slot {
    bool isComputed = false, isRunning = false;
    Value value;
  };

  const Definitions &definitions;
  const Environment &outer;
  mutable std::vector<Slot> slots;
};

} // namespace nereid::ops

#endif // NEREID_OPS_EXPR_SCOPE_H
