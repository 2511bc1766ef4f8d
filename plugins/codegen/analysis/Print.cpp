// Print.cpp - forms as text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Print.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::codegen {

static std::string nameOf(Value value, AsmState &names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.printAsOperand(os, names);
  return text;
}

static std::string textOf(const Monomial &monomial, AsmState &names) {
  std::vector<std::string> factors;
  for (Value factor : monomial.factors)
    factors.push_back(nameOf(factor, names));
  llvm::sort(factors);
  if (monomial.coefficient != 1 || factors.empty())
    factors.insert(factors.begin(), std::to_string(monomial.coefficient));
  return llvm::join(factors, " * ");
}

void print(const Polynomial &polynomial, llvm::raw_ostream &os,
           AsmState &names) {
  std::vector<std::string> terms;
  for (const Monomial &monomial : polynomial.terms())
    terms.push_back(textOf(monomial, names));
  llvm::sort(terms);
  os << (terms.empty() ? "0" : llvm::join(terms, " + "));
}

void print(IndexSource source, llvm::raw_ostream &os) {
  switch (source.kind) {
  case IndexSource::Zero:
    os << '0';
    break;
  case IndexSource::Dim:
    os << 'i' << unsigned(source.dim);
    break;
  case IndexSource::UpperBits:
    os << 'i' << unsigned(source.dim) << " >> " << unsigned(source.bits);
    break;
  case IndexSource::Other:
    os << '?';
    break;
  }
}

void print(const TileForm &form, llvm::raw_ostream &os, AsmState &names) {
  if (form.pointer)
    os << nameOf(form.pointer, names) << " + ";
  os << '(';
  print(form.base, os, names);
  os << ") + [";
  llvm::interleave(
      form.strides, os, [&](const Polynomial &stride) { print(stride, os, names); },
      ", ");
  os << "] . i";
  for (const TileTerm &term : form.terms) {
    os << " + (";
    print(term.coefficient, os, names);
    os << ") * " << nameOf(term.tensor, names) << '(';
    llvm::interleave(
        term.map, os, [&](IndexSource source) { print(source, os); }, ", ");
    os << ')';
  }
}

void print(const IntervalBound &bound, llvm::raw_ostream &os,
           AsmState &names) {
  os << (bound.isUpper ? "below" : "from") << " a bound, where "
     << nameOf(bound.lhs, names)
     << (bound.isUpper == (bound.stride > 0) ? " <" : " >")
     << (bound.orEqual ? "= " : " ") << nameOf(bound.rhs, names) << " by "
     << bound.stride;
  for (const IntervalBound::Check &check : bound.checks)
    os << " if " << nameOf(check.side ? bound.rhs : bound.lhs, names)
       << (check.isUpper ? " <= " : " >= ") << check.limit;
}

void printIntervals(Value mask, unsigned axis, TileForms &forms,
                    llvm::raw_ostream &os, AsmState &names) {
  for (const MaskConjunct &conjunct : conjunctsOf(mask, forms)) {
    std::optional<unsigned> own;
    for (auto [dim, source] : llvm::enumerate(conjunct.map))
      if (source.isDim(axis))
        own = dim;
    os << "  " << nameOf(conjunct.condition, names) << ": ";
    std::optional<IntervalBound> bound;
    if (own)
      bound = intervalOf(conjunct.condition, *own, forms);
    if (bound)
      print(*bound, os, names);
    else
      os << (conjunct.dependsOn >> axis & 1 ? "no interval" : "uniform");
    os << '\n';
  }
}

} // namespace nereid::codegen
