// Fold.h - the few integer operations that are not emitted.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// What address arithmetic leaves behind; everything else is the driver's work.
// Scalars only.

#ifndef NEREID_VULKAN_SPIRV_FOLD_H
#define NEREID_VULKAN_SPIRV_FOLD_H

#include "Newer.h"

#include <optional>
#include <span>

namespace nereid::spirv {

struct FoldRule {
  enum When : uint8_t { BothKnown, LeftIs, RightIs };
  enum Result : uint8_t { Computed, Left, Right };

  spv::Op op;
  When when;
  uint64_t value; // of the operand that is known
  Result result;
};

/// In the order in which they are tried.
std::span<const FoldRule> foldRules();

/// The result for operands whose bits are known, if they are; or the operand
/// that is the result.
struct Folded {
  FoldRule::Result result;
  uint64_t bits = 0; // if computed
};
std::optional<Folded> fold(spv::Op op, uint32_t bits,
                           std::optional<uint64_t> left,
                           std::optional<uint64_t> right);

/// The bits of an integer converted from \p from to \p to bits.
uint64_t convertInteger(uint64_t value, uint32_t from, uint32_t to,
                        bool isSigned);

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_FOLD_H
