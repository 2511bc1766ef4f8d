// Fold.cpp - the few integer operations that are not emitted.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fold.h"

namespace nereid::spirv {

static constexpr FoldRule table[] = {
    {spv::Op::OpIAdd, FoldRule::BothKnown, 0, FoldRule::Computed},
    {spv::Op::OpIAdd, FoldRule::RightIs, 0, FoldRule::Left},
    {spv::Op::OpIAdd, FoldRule::LeftIs, 0, FoldRule::Right},
    {spv::Op::OpISub, FoldRule::BothKnown, 0, FoldRule::Computed},
    {spv::Op::OpISub, FoldRule::RightIs, 0, FoldRule::Left},
    {spv::Op::OpIMul, FoldRule::BothKnown, 0, FoldRule::Computed},
    {spv::Op::OpIMul, FoldRule::RightIs, 1, FoldRule::Left},
    {spv::Op::OpIMul, FoldRule::LeftIs, 1, FoldRule::Right},
    {spv::Op::OpIMul, FoldRule::RightIs, 0, FoldRule::Right},
    {spv::Op::OpIMul, FoldRule::LeftIs, 0, FoldRule::Left},
    {spv::Op::OpBitwiseAnd, FoldRule::RightIs, 0, FoldRule::Right},
    {spv::Op::OpBitwiseAnd, FoldRule::LeftIs, 0, FoldRule::Left},
    {spv::Op::OpBitwiseOr, FoldRule::RightIs, 0, FoldRule::Left},
    {spv::Op::OpBitwiseOr, FoldRule::LeftIs, 0, FoldRule::Right},
    {spv::Op::OpBitwiseXor, FoldRule::RightIs, 0, FoldRule::Left},
    {spv::Op::OpBitwiseXor, FoldRule::LeftIs, 0, FoldRule::Right},
    {spv::Op::OpShiftLeftLogical, FoldRule::BothKnown, 0, FoldRule::Computed},
    {spv::Op::OpShiftLeftLogical, FoldRule::RightIs, 0, FoldRule::Left},
    {spv::Op::OpShiftLeftLogical, FoldRule::LeftIs, 0, FoldRule::Left},
    {spv::Op::OpShiftRightLogical, FoldRule::BothKnown, 0, FoldRule::Computed},
    {spv::Op::OpShiftRightLogical, FoldRule::RightIs, 0, FoldRule::Left},
    {spv::Op::OpShiftRightLogical, FoldRule::LeftIs, 0, FoldRule::Left},
    {spv::Op::OpShiftRightArithmetic, FoldRule::BothKnown, 0,
     FoldRule::Computed},
    {spv::Op::OpShiftRightArithmetic, FoldRule::RightIs, 0, FoldRule::Left},
    {spv::Op::OpShiftRightArithmetic, FoldRule::LeftIs, 0, FoldRule::Left},
};

std::span<const FoldRule> foldRules() { return table; }

uint64_t convertInteger(uint64_t value, uint32_t from, uint32_t to,
                        bool isSigned) {
  uint64_t unused = 64 - from;
  uint64_t wide = isSigned ? uint64_t(int64_t(value << unused) >> unused)
                           : value << unused >> unused;
  return wide << (64 - to) >> (64 - to);
}

/// The result on all 64 bits; nothing for a shift that is undefined.
static std::optional<uint64_t> compute(spv::Op op, uint32_t bits, uint64_t x,
                                       uint64_t y) {
  switch (op) {
  case spv::Op::OpIAdd:
    return x + y;
  case spv::Op::OpISub:
    return x - y;
  case spv::Op::OpIMul:
    return x * y;
  default:
    break;
  }
  if (y >= bits)
    return std::nullopt;
  switch (op) {
  case spv::Op::OpShiftLeftLogical:
    return x << y;
  case spv::Op::OpShiftRightLogical:
    return x >> y;
  case spv::Op::OpShiftRightArithmetic:
    return uint64_t(int64_t(convertInteger(x, bits, 64, true)) >> y);
  default:
    return std::nullopt;
  }
}

std::optional<Folded> fold(spv::Op op, uint32_t bits,
                           std::optional<uint64_t> left,
                           std::optional<uint64_t> right) {
  for (const FoldRule &rule : table) {
    if (rule.op != op)
      continue;
    if (rule.when == FoldRule::LeftIs && left == rule.value)
      return Folded{rule.result};
    if (rule.when == FoldRule::RightIs && right == rule.value)
      return Folded{rule.result};
    if (rule.when == FoldRule::BothKnown && left && right)
      if (std::optional<uint64_t> value = compute(op, bits, *left, *right))
        return Folded{rule.result, convertInteger(*value, bits, bits, false)};
  }
  return std::nullopt;
}

} // namespace nereid::spirv
