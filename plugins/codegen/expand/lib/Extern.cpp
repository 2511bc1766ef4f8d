// Looks up and expands external functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Extern.h"
#include "ExternFunctions.h"
#include "Math.h"
#include "Rewrites.h"

#include "nereid/ttir/Diagnostics.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace nereid::codegen {

using Expansion = Expr (*)(ArrayRef<Expr> operands);

template <auto F> struct Caller;
template <typename... Operands, Expr (*F)(Operands...)> struct Caller<F> {
  static Expr call(ArrayRef<Expr> x) {
    return call(x, std::index_sequence_for<Operands...>());
  }
  template <size_t... I>
  static Expr call(ArrayRef<Expr> x, std::index_sequence<I...>) {
    return F(x[I]...);
  }
};

template <Direction D, auto F> struct CallerToward;
template <Direction D, typename... Operands, Expr (*F)(Direction, Operands...)>
struct CallerToward<D, F> {
  static Expr toward(Operands... operands) { return F(D, operands...); }
  static Expr call(ArrayRef<Expr> x) { return Caller<toward>::call(x); }
};

/// An external function and its expansion.
struct Known {
  const ExternFunction *function;
  Expansion expand;
};

#define CALL(f) (Caller<f>::call)
#define TOWARD(mode, f) (CallerToward<Direction::mode, f>::call)
#define CONVERT(mode, from, to)                                                \
  ([](ArrayRef<Expr> x) {                                                      \
    return convertToward(Direction::mode, x[0], from, to);                     \
  })
#define FUNCTION(name, symbol, result, operands, expansion) expansion,

static constexpr Expansion kExpansions[] = {
#include "ExternFunctions.def"
};

/// By symbol. Never destroyed: kernels may be compiled during process exit.
static const llvm::StringMap<Known> &knownFunctions() {
  static const auto *map = [] {
    auto *functions = new llvm::StringMap<Known>;
    const Expansion *expansion = kExpansions;
    for (const ExternFunction &function : externFunctions())
      (*functions)[function.symbol] = {&function, *expansion++};
    return functions;
  }();
  return *map;
}

// C library names are accepted for the same functions. Those of integer order
// differ for negative orders.
static const Known *find(StringRef symbol) {
  const llvm::StringMap<Known> &known = knownFunctions();
  auto found = known.find(symbol);
  if (found == known.end())
    found = known.find(("__nv_" + symbol).str());
  if (found == known.end())
    return nullptr;
  StringRef name = found->second.function->name;
  bool hasOrder = name == "jn" || name == "yn";
  return hasOrder && !symbol.starts_with("__") ? nullptr : &found->second;
}

static std::string nearestNames(StringRef symbol) {
  SmallVector<StringRef> names;
  for (const ExternFunction &function : externFunctions()) {
    StringRef name = function.symbol;
    if (!symbol.starts_with("__"))
      name.consume_front("__nv_");
    names.push_back(name);
  }
  return tt::didYouMean(symbol, names);
}

static bool isOf(StringRef name, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (name.front() == 'f')
    return name == "f32" ? element.isF32() : element.isF64();
  unsigned width = 0;
  return !name.drop_front().getAsInteger(10, width) &&
         (element.isSignlessInteger(width) ||
          (width == 1 && element.isSignlessInteger(32)));
}

static bool hasTypesOf(const ExternFunction &function, Operation *op) {
  SmallVector<StringRef> operands;
  llvm::SplitString(function.operands, operands, " ");
  return operands.size() == op->getNumOperands() &&
         llvm::all_of_zip(operands, op->getOperandTypes(), isOf) &&
         isOf(function.result, op->getResult(0).getType());
}

static std::string listOf(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      types, stream, [&](Type type) { stream << getElementTypeOrSelf(type); },
      " ");
  return text;
}

LogicalResult verifyExtern(Operation *op) {
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  if (!call)
    return success();
  StringRef symbol = call.getSymbol();
  const Known *known = find(symbol);
  if (!known) {
    auto diagnostic = op->emitOpError("calls the external function '")
                      << symbol << "'";
    if (!call.getLibpath().empty())
      diagnostic << " of " << call.getLibpath();
    return diagnostic << ", which no kernel may call" << nearestNames(symbol);
  }
  const ExternFunction &function = *known->function;
  if (hasTypesOf(function, op))
    return success();
  return op->emitOpError("calls the external function '")
         << symbol << "' with (" << listOf(op->getOperandTypes()) << ") for "
         << listOf(op->getResultTypes()) << ", expected ("
         << StringRef(function.operands) << ") for "
         << StringRef(function.result);
}

std::optional<Expr> expandExtern(Scope &scope, Operation *op) {
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  if (!call)
    return {};
  SmallVector<Expr> operands;
  for (Value operand : op->getOperands())
    operands.push_back({&scope, operand});
  Expr result = find(call.getSymbol())->expand(operands);
  Type element = getElementTypeOrSelf(op->getResult(0));
  unsigned width = element.getIntOrFloatBitWidth();
  return result.width() < width ? extendUnsigned(result, width) : result;
}

} // namespace nereid::codegen
