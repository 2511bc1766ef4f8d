// Polynomial.cpp - arithmetic on polynomials over scalar SSA values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Polynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

// More than this costs more to compute than a multiplication saves.
static constexpr unsigned kMaxMonomials = 12;
static constexpr unsigned kMaxDegree = 4;
// Of one value, no more operations than this are looked into.
static constexpr unsigned kMaxOperations = 512;
static constexpr int64_t kMaxDivisibility = int64_t(1) << 30;

/// A block argument comes before every operation of its block.
static bool beforeInBlock(Value a, Value b) {
  auto x = dyn_cast<BlockArgument>(a), y = dyn_cast<BlockArgument>(b);
  if (x && y)
    return x.getArgNumber() < y.getArgNumber();
  if (x || y)
    return static_cast<bool>(x);
  auto p = cast<OpResult>(a), q = cast<OpResult>(b);
  if (p.getOwner() == q.getOwner())
    return p.getResultNumber() < q.getResultNumber();
  return p.getOwner()->isBeforeInBlock(q.getOwner());
}

static unsigned depthOf(Block *block) {
  unsigned depth = 0;
  for (; Operation *op = block->getParentOp(); block = op->getBlock()) {
    ++depth;
    if (!op->getBlock())
      break;
  }
  return depth;
}

/// The order of the program text, outer values first: the same in every run,
/// and sums begin with what loops do not change.
static bool before(Value a, Value b) {
  if (a == b)
    return false;
  Block *x = a.getParentBlock(), *y = b.getParentBlock();
  if (x == y)
    return beforeInBlock(a, b);
  unsigned depthA = depthOf(x), depthB = depthOf(y);
  if (depthA != depthB)
    return depthA < depthB;
  while (x->getParent() != y->getParent()) {
    Operation *p = x->getParentOp(), *q = y->getParentOp();
    if (p->getBlock() == q->getBlock())
      return p == q ? x->getParent()->getRegionNumber() <
                          y->getParent()->getRegionNumber()
                    : p->isBeforeInBlock(q);
    x = p->getBlock();
    y = q->getBlock();
  }
  for (Block *next = x->getNextNode(); next; next = next->getNextNode())
    if (next == y)
      return true;
  return false;
}

static bool factorsBefore(const Monomial &a, const Monomial &b) {
  return std::lexicographical_compare(a.factors.begin(), a.factors.end(),
                                      b.factors.begin(), b.factors.end(),
                                      before);
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

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() <= 64)
    return number.getBitWidth() == 1 ? number.getZExtValue()
                                     : number.getSExtValue();
  return std::nullopt;
}

namespace {
/// Looks into every operation once, however often its result is used.
class PolynomialReader {
public:
  Polynomial of(Value value) {
    if (std::optional<int64_t> number = constantOf(value))
      return Polynomial(*number);
    Operation *op = value.getDefiningOp();
    if (!op)
      return Polynomial::symbol(value);
    auto known = read.find(value);
    if (known != read.end())
      return known->second;
    if (operations++ >= kMaxOperations)
      return Polynomial::symbol(value);
    Polynomial result = compute(op, value);
    if (!value.hasOneUse())
      read.try_emplace(value, result);
    return result;
  }

private:
  Polynomial compute(Operation *op, Value value) {
    if (isa<arith::ExtSIOp>(op)) {
      // An i1 extends to -1; as a symbol it would be 1.
      Value source = op->getOperand(0);
      if (source.getType().isInteger(1))
        return Polynomial::symbol(value);
      Polynomial polynomial = of(source);
      return polynomial.exceeds(source.getType().getIntOrFloatBitWidth())
                 ? Polynomial::symbol(value)
                 : polynomial;
    }
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
      // In this order, so that the same ones are left when there are too many.
      Polynomial lhs = of(op->getOperand(0));
      Polynomial rhs = of(op->getOperand(1));
      if (isa<arith::MulIOp>(op))
        return lhs.times(rhs).value_or(Polynomial::symbol(value));
      return isa<arith::AddIOp>(op) ? lhs + rhs : lhs - rhs;
    }
    if (isa<arith::ShLIOp>(op))
      if (std::optional<int64_t> bits = constantOf(op->getOperand(1));
          bits && *bits >= 0 && *bits < 62)
        return of(op->getOperand(0)).scaled(int64_t(1) << *bits);
    return Polynomial::symbol(value);
  }

  llvm::DenseMap<Value, Polynomial> read;
  unsigned operations = 0;
};
} // namespace

Polynomial Polynomial::of(Value value) { return PolynomialReader().of(value); }

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
      llvm::sort(product.factors, before);
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

std::optional<int64_t> Polynomial::constant() const {
  if (monomials.empty())
    return 0;
  if (monomials.size() == 1 && monomials.front().factors.empty())
    return monomials.front().coefficient;
  return std::nullopt;
}

static int64_t powerOfTwoIn(int64_t number) {
  if (number == 0)
    return kMaxDivisibility;
  return std::min(kMaxDivisibility, number & -number);
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

namespace {
/// Looks into every operation once, however often its result is used.
class DivisibilityReader {
public:
  int64_t of(Value value) {
    if (std::optional<int64_t> number = constantOf(value))
      return powerOfTwoIn(*number);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    auto known = read.find(value);
    if (known != read.end())
      return known->second;
    if (read.size() >= kMaxOperations)
      return 1;
    read[value] = 1;
    int64_t result = compute(value.getDefiningOp());
    read[value] = result;
    return result;
  }

private:
  static int64_t ofArgument(BlockArgument argument) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function || !argument.getOwner()->isEntryBlock())
      return 1;
    auto hint = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                       "tt.divisibility");
    return hint ? powerOfTwoIn(hint.getInt()) : 1;
  }

  int64_t compute(Operation *op) {
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
      return of(op->getOperand(0));
    if (isa<arith::AddIOp, arith::SubIOp, arith::OrIOp>(op))
      return std::min(of(op->getOperand(0)), of(op->getOperand(1)));
    if (isa<arith::MulIOp>(op))
      return std::min(kMaxDivisibility,
                      of(op->getOperand(0)) * of(op->getOperand(1)));
    if (isa<arith::SelectOp>(op))
      return std::min(of(op->getOperand(1)), of(op->getOperand(2)));
    return 1;
  }

  llvm::DenseMap<Value, int64_t> read;
};
} // namespace

int64_t divisibilityOf(Value value) { return DivisibilityReader().of(value); }

} // namespace nereid::codegen
