// PrintMasks.cpp - how a nest evaluates masks and divides its axis, as text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/PrintMasks.h"

#include "analysis/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::cpu {

void printMasks(const codegen::MaskPlan &masks, unsigned indent,
                llvm::raw_ostream &os, AsmState &names) {
  auto name = [&](Value value) { value.printAsOperand(os, names); };
  for (const codegen::PlannedCondition &condition : masks.conditions) {
    os.indent(indent) << "mask ";
    name(condition.condition);
    os << '(';
    llvm::interleave(
        condition.map, os,
        [&](codegen::IndexSource source) { codegen::print(source, os); }, ", ");
    os << ") ";
    if (condition.bound)
      codegen::print(*condition.bound, os, names);
    else
      os << "uniform";
    os << (condition.isActive ? ", else nothing\n" : "\n");
  }
  for (const codegen::PlannedDivision &division : masks.divisions) {
    os.indent(indent) << "pieces of ";
    name(division.value);
    os << (division.stride() ? ", contiguous" : ", constant")
       << (masks.masksEnds ? ", ends by masks\n" : "\n");
  }
  for (const codegen::PlannedConstant &constant : masks.constants) {
    os.indent(indent) << "in pieces ";
    name(constant.value);
    os << ", constant\n";
  }
}

} // namespace nereid::cpu
