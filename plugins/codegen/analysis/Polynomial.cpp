// Polynomial.cpp - arithmetic on polynomials over scalar SSA values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Polynomial.h"

#include "analysis/Divisibility.h"
#include "analysis/ProgramOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

// More than this costs more to compute than a multiplication saves.
static constexpr unsigned kMaxMonomials = 12;
static constexpr unsigned kMaxDegree = 6;

static bool factorsBefore(const Monomial &a, const Monomial &b) {
  return std::lexicographical_compare(a.factors.begin(), a.factors.end(),
                                      b.factors.begin(), b.factors.end(),
                                      isBefore);
}

// A value that the program never has may have any coefficient.
static int64_t addWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

static int64_t multiplyWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

Polynomial::Polynomial(int64_t constant) { add({{}, constant}); }

Polynomial Polynomial::symbol(Value value) {
  Polynomial result;
  result.add({{value}, 1});
  return result;
}

void Polynomial::add(Monomial monomial) {
  if (monomial.coefficient == 0)
    return;
  auto place = llvm::lower_bound(monomials, monomial, factorsBefore);
  if (place == monomials.end() || place->factors != monomial.factors) {
    monomials.insert(place, std::move(monomial));
    return;
  }
  place->coefficient = addWrapping(place->coefficient, monomial.coefficient);
  if (place->coefficient == 0)
    monomials.erase(place);
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  for (const Monomial &monomial : other.monomials)
    result.add(monomial);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other.scaled(-1);
}

Polynomial
Polynomial::filtered(llvm::function_ref<bool(const Monomial &)> isKept) const {
  Polynomial result;
  llvm::copy_if(monomials, std::back_inserter(result.monomials), isKept);
  return result;
}

Polynomial Polynomial::scaled(int64_t factor) const {
  Polynomial result;
  for (Monomial monomial : monomials) {
    monomial.coefficient = multiplyWrapping(monomial.coefficient, factor);
    result.add(std::move(monomial));
  }
  return result;
}

std::optional<Polynomial> Polynomial::times(const Polynomial &other) const {
  if (monomials.size() * other.monomials.size() > kMaxMonomials)
    return std::nullopt;
  Polynomial result;
  for (const Monomial &a : monomials)
    for (const Monomial &b : other.monomials) {
      Monomial product;
      product.coefficient = multiplyWrapping(a.coefficient, b.coefficient);
      llvm::append_range(product.factors, a.factors);
      llvm::append_range(product.factors, b.factors);
      if (product.factors.size() > kMaxDegree)
        return std::nullopt;
      llvm::sort(product.factors, isBefore);
      result.add(std::move(product));
    }
  return result;
}

bool Polynomial::operator==(const Polynomial &other) const {
  return monomials.size() == other.monomials.size() &&
         llvm::all_of(llvm::zip(monomials, other.monomials), [](auto pair) {
           auto &[a, b] = pair;
           return a.coefficient == b.coefficient && a.factors == b.factors;
         });
}

bool Polynomial::exceeds(unsigned bits) const {
  return llvm::any_of(monomials, [&](const Monomial &monomial) {
    return !llvm::isIntN(bits, monomial.coefficient);
  });
}

bool Polynomial::isValue() const {
  if (monomials.size() > 1)
    return false;
  return monomials.empty() || monomials.front().factors.empty() ||
         (monomials.front().factors.size() == 1 &&
          monomials.front().coefficient == 1);
}

bool Polynomial::mayWrapIn(unsigned bits) const {
  return exceeds(bits) || (bits < kOffsetBits && !isValue());
}

std::optional<int64_t> Polynomial::constant() const {
  if (monomials.empty())
    return 0;
  if (monomials.size() == 1 && monomials.front().factors.empty())
    return monomials.front().coefficient;
  return std::nullopt;
}

int64_t Polynomial::divisibility() const {
  int64_t result = kMaxDivisibility;
  for (const Monomial &monomial : monomials) {
    int64_t one = powerOfTwoIn(monomial.coefficient);
    for (Value factor : monomial.factors)
      one = std::min(kMaxDivisibility, one * divisibilityOf(factor));
    result = std::min(result, one);
  }
  return result;
}

} // namespace nereid::codegen
