// PrintDot.cpp - how a dot is multiplied, as text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/PrintDot.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::cpu {

using PrintName = llvm::function_ref<void(Value)>;

static void printDeferred(const DeferredDots &deferred, tt::DotOp dot,
                          llvm::raw_ostream &os, PrintName name) {
  os << " every " << deferred.iterations;
  for (const Prefetch &prefetch : deferred.prefetches) {
    if (prefetch.dot != dot)
      continue;
    os << " prefetch ";
    name(prefetch.tile);
  }
  if (deferred.startsAtZero)
    os << " from zero";
  if (deferred.store)
    os << " stores";
  const auto &[left, right] = deferred.inPlace;
  if (left)
    os << (left->isExtended ? ", left converted from memory"
                            : ", left in place");
  if (right)
    os << ", right in place " << (right->isByColumns ? "by columns " : "")
       << "up to " << right->mostRows << " rows";
  if (deferred.packed)
    os << ", right packed from memory";
  if (deferred.shared) {
    os << ", right shared by ";
    llvm::interleaveComma(deferred.shared->key, os, name);
    os << (deferred.shared->key.empty() ? "all" : "");
  }
}

void printDot(const TileProgram &program, tt::DotOp dot, llvm::raw_ostream &os,
              PrintName name) {
  os << "dot ";
  const DotPlan &plan = program.dots.at(dot);
  for (const DotOperand &operand : {plan.left, plan.right}) {
    name(operand.value);
    os << (operand.isTransposed ? " transposed " : " ");
    if (operand.packed)
      os << "packed in b" << operand.packed->id << ' ';
  }
  name(dot.getC());
  os << " in b" << program.materialized.lookup(dot.getResult())->id;
  if (plan.startsAtZero)
    os << " from zero";
  if (plan.rowFactors) {
    os << " scaled by ";
    name(plan.rowFactors);
  }
  if (plan.kind == DotKind::Words)
    os << " by " << infoOf(plan.product).name;
  else if (plan.kind == DotKind::Tiles)
    os << " by tiles";
  if (plan.terms > 1)
    os << " of " << plan.terms << " terms, left in b" << plan.leftTerms->id;
  if (plan.firstRow) {
    os << " rows from ";
    name(plan.firstRow);
  }
  if (plan.rows) {
    os << " rows below ";
    name(plan.rows);
  }
  if (const DeferredDots *deferred = program.deferredDotsOf(dot))
    printDeferred(*deferred, dot, os, name);
}

} // namespace nereid::cpu
