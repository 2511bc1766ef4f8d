// Builtins.cpp - the functions that expressions may call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "expr/Builtins.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nereid::ops {

using Arguments = std::span<const Value>;

static Failure unexpected(std::string_view function, const Value &value,
                          std::string_view expected) {
  return wrong(std::string(function) + "() of " +
               std::string(value.kindName()) + ", expected " +
               std::string(expected));
}

// The items of one list, or the arguments themselves.
static Result<Arguments> itemsOf(std::string_view function,
                                 Arguments arguments) {
  if (arguments.size() != 1)
    return arguments;
  if (!arguments[0].isList())
    return unexpected(function, arguments[0], "a list or several values");
  if (arguments[0].list().empty())
    return wrong(std::string(function) + "() of an empty list");
  return Arguments(arguments[0].list());
}

static Result<Value> extreme(std::string_view function, Comparison better,
                             Arguments arguments) {
  Result<Arguments> items = itemsOf(function, arguments);
  if (!items)
    return items.failure();
  const Value *best = &(*items)[0];
  for (const Value &item : items->subspan(1)) {
    Result<bool> isBetter = compare(better, item, *best);
    if (!isBetter)
      return isBetter.failure();
    if (*isBetter)
      best = &item;
  }
  return *best;
}

static Result<Value> callMin(Arguments arguments) {
  return extreme("min", Comparison::Less, arguments);
}

static Result<Value> callMax(Arguments arguments) {
  return extreme("max", Comparison::Greater, arguments);
}

static Result<Value> callAbs(Arguments arguments) {
  const Value &value = arguments[0];
  if (value.isFloat())
    return Value(std::fabs(value.number()));
  if (!value.isIntegral())
    return unexpected("abs", value, "a number");
  if (value.integer() < 0)
    return negate(value);
  return Value(value.integer());
}

// Integers alone are sizes, so a float is a mistake in what follows.
static Outcome requireIntegers(std::string_view function, Arguments arguments) {
  for (const Value &value : arguments)
    if (!value.isIntegral())
      return unexpected(function, value, "an integer");
  return {};
}

static Result<Value> ceilingDivision(const Value &a, const Value &b) {
  Result<Value> negated =
      apply(BinaryOperator::FloorDivide, a, Value(b.integer()));
  if (!negated)
    return negated;
  // One more unless it was exact; -(a // -b) would overflow for the least b.
  Result<Value> rest = apply(BinaryOperator::Modulo, a, b);
  if (!rest || rest->integer() == 0)
    return rest ? negated : rest;
  return apply(BinaryOperator::Add, *negated, Value(1));
}

static Result<Value> callCdiv(Arguments arguments) {
  if (Outcome given = requireIntegers("cdiv", arguments); !given)
    return given.failure();
  return ceilingDivision(arguments[0], arguments[1]);
}

static Result<Value> callRoundUp(Arguments arguments) {
  if (Outcome given = requireIntegers("round_up", arguments); !given)
    return given.failure();
  Result<Value> count = ceilingDivision(arguments[0], arguments[1]);
  if (!count)
    return count;
  return apply(BinaryOperator::Mul, *count, arguments[1]);
}

static Result<Value> callNextPowerOf2(Arguments arguments) {
  if (Outcome given = requireIntegers("next_power_of_2", arguments); !given)
    return given.failure();
  int64_t value = arguments[0].integer();
  if (value <= 1)
    return Value(1);
  if (value > int64_t(1) << 62)
    return overflow();
  return Value(static_cast<int64_t>(std::bit_ceil<uint64_t>(value)));
}

static Result<int64_t> positive(std::string_view function,
                                Arguments arguments) {
  if (Outcome given = requireIntegers(function, arguments); !given)
    return given.failure();
  int64_t value = arguments[0].integer();
  if (value < 1)
    return wrong(std::string(function) + "() of " + std::to_string(value) +
                 ", expected 1 or more");
  return value;
}

static Result<Value> callPrevPowerOf2(Arguments arguments) {
  Result<int64_t> value = positive("prev_power_of_2", arguments);
  if (!value)
    return value.failure();
  return Value(static_cast<int64_t>(std::bit_floor<uint64_t>(*value)));
}

static Result<Value> callLog2(Arguments arguments) {
  Result<int64_t> value = positive("log2", arguments);
  if (!value)
    return value.failure();
  return Value(std::bit_width<uint64_t>(*value) - 1);
}

static Result<Value> callIsPowerOf2(Arguments arguments) {
  if (Outcome given = requireIntegers("is_power_of_2", arguments); !given)
    return given.failure();
  int64_t value = arguments[0].integer();
  return Value(value > 0 && std::has_single_bit<uint64_t>(value));
}

static Result<Value> fold(std::string_view function, BinaryOperator op,
                          int64_t start, const Value &list) {
  if (!list.isList())
    return unexpected(function, list, "a list");
  Value total(start);
  for (const Value &item : list.list()) {
    if (!item.isNumber())
      return wrong(std::string(function) + "() of a list with " +
                   std::string(item.kindName()) + ", expected numbers");
    Result<Value> next = apply(op, total, item);
    if (!next)
      return next;
    total = *next;
  }
  return total;
}

static Result<Value> callProd(Arguments arguments) {
  return fold("prod", BinaryOperator::Mul, 1, arguments[0]);
}

static Result<Value> callSum(Arguments arguments) {
  return fold("sum", BinaryOperator::Add, 0, arguments[0]);
}

static Result<Value> callLen(Arguments arguments) {
  if (!arguments[0].isList())
    return unexpected("len", arguments[0], "a list");
  return Value(arguments[0].list().size());
}

static Result<Value> callAny(Arguments arguments) {
  if (!arguments[0].isList())
    return unexpected("any", arguments[0], "a list");
  for (const Value &item : arguments[0].list())
    if (item.isTrue())
      return Value(true);
  return Value(false);
}

static Result<Value> callAll(Arguments arguments) {
  if (!arguments[0].isList())
    return unexpected("all", arguments[0], "a list");
  for (const Value &item : arguments[0].list())
    if (!item.isTrue())
      return Value(false);
  return Value(true);
}

// A float that has no fraction.
static Result<Value> toInteger(double whole) {
  if (!(whole >= -0x1p63 && whole < 0x1p63))
    return std::isnan(whole) ? wrong("nan is not an integer") : overflow();
  return Value(static_cast<int64_t>(whole));
}

static Result<Value> callRound(Arguments arguments) {
  const Value &value = arguments[0];
  if (value.isIntegral())
    return Value(value.integer());
  if (!value.isFloat())
    return unexpected("round", value, "a number");
  double number = value.number();
  double whole = std::round(number);
  // Halves go to the even neighbour, whatever the rounding mode.
  if (std::fabs(number - whole) == 0.5)
    whole = 2 * std::round(number / 2);
  return toInteger(whole);
}

static Result<Value> callInt(Arguments arguments) {
  const Value &value = arguments[0];
  if (value.isIntegral())
    return Value(value.integer());
  if (!value.isFloat())
    return unexpected("int", value, "a number");
  return toInteger(std::trunc(value.number()));
}

static Result<Value> callFloat(Arguments arguments) {
  if (!arguments[0].isNumber())
    return unexpected("float", arguments[0], "a number");
  return Value(arguments[0].number());
}

// A list of integers, or one integer.
static Result<std::vector<int64_t>> indicesOf(std::string_view function,
                                              const Value &value) {
  std::vector<int64_t> indices;
  if (value.isIntegral())
    return std::vector<int64_t>{value.integer()};
  if (!value.isList())
    return unexpected(function, value, "a list of integers");
  for (const Value &item : value.list()) {
    if (!item.isIntegral())
      return wrong(std::string(function) + "() of a list with " +
                   std::string(item.kindName()) + ", expected integers");
    indices.push_back(item.integer());
  }
  return indices;
}

// axes(dims, rank): dimensions sorted and not negative; all for None and [].
static Result<Value> callAxes(Arguments arguments) {
  if (Outcome given = requireIntegers("axes", arguments.subspan(1)); !given)
    return given.failure();
  int64_t rank = arguments[1].integer();
  if (rank < 0 || rank > static_cast<int64_t>(longestList))
    return wrong("axes() of rank " + std::to_string(rank));
  const Value &dims = arguments[0];
  List all;
  for (int64_t i = 0; i < rank; ++i)
    all.emplace_back(i);
  if (dims.isNone() || (dims.isList() && dims.list().empty()))
    return Value(std::move(all));
  Result<std::vector<int64_t>> indices = indicesOf("axes", dims);
  if (!indices)
    return indices.failure();
  // A scalar has the dimensions 0 and -1, as in PyTorch.
  int64_t count = std::max<int64_t>(rank, 1);
  std::vector<bool> isThere(static_cast<size_t>(count));
  for (int64_t index : *indices) {
    if (index < -count || index >= count)
      return wrong("dimension " + std::to_string(index) + " of a tensor of " +
                   std::to_string(rank) +
                   (rank == 1 ? " dimension" : " dimensions"));
    size_t at = static_cast<size_t>(index < 0 ? index + count : index);
    if (isThere[at])
      return wrong("dimension " + std::to_string(index) + " is there twice");
    isThere[at] = true;
  }
  List found;
  for (int64_t i = 0; i < rank; ++i)
    if (isThere[static_cast<size_t>(i)])
      found.emplace_back(i);
  return Value(std::move(found));
}

static bool contains(const std::vector<int64_t> &indices, size_t index) {
  return std::find(indices.begin(), indices.end(),
                   static_cast<int64_t>(index)) != indices.end();
}

// drop(list, indices) and put(list, indices, value): indices that the list does
// not have mean nothing, so that they work for scalars.
static Result<Value> replace(std::string_view function, Arguments arguments,
                             const Value *value) {
  if (!arguments[0].isList())
    return unexpected(function, arguments[0], "a list");
  Result<std::vector<int64_t>> indices = indicesOf(function, arguments[1]);
  if (!indices)
    return indices.failure();
  List result;
  const List &list = arguments[0].list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (!contains(*indices, i))
      result.push_back(list[i]);
    else if (value)
      result.push_back(*value);
  }
  return Value(std::move(result));
}

static Result<Value> callDrop(Arguments arguments) {
  return replace("drop", arguments, nullptr);
}

static Result<Value> callPut(Arguments arguments) {
  return replace("put", arguments, &arguments[2]);
}

static Result<Value> callPick(Arguments arguments) {
  Result<std::vector<int64_t>> indices = indicesOf("pick", arguments[1]);
  if (!indices)
    return indices.failure();
  List result;
  for (int64_t index : *indices) {
    Result<Value> item = itemOf(arguments[0], Value(index));
    if (!item)
      return item;
    result.push_back(std::move(*item));
  }
  return Value(std::move(result));
}

// column(lists, index): item `index` of each list.
static Result<Value> callColumn(Arguments arguments) {
  if (!arguments[0].isList())
    return unexpected("column", arguments[0], "a list of lists");
  List result;
  for (const Value &list : arguments[0].list()) {
    Result<Value> item = itemOf(list, arguments[1]);
    if (!item)
      return item;
    result.push_back(std::move(*item));
  }
  return Value(std::move(result));
}

// The shape that all shapes fit after broadcasting.
static Result<Value> callBroadcast(Arguments arguments) {
  std::vector<int64_t> sizes; // the last one first
  for (const Value &shape : arguments) {
    if (!shape.isList())
      return unexpected("broadcast", shape, "shapes");
    Result<std::vector<int64_t>> given = indicesOf("broadcast", shape);
    if (!given)
      return given.failure();
    sizes.resize(std::max(sizes.size(), given->size()), 1);
    for (size_t i = 0; i < given->size(); ++i) {
      int64_t size = (*given)[given->size() - 1 - i];
      if (sizes[i] != size && sizes[i] != 1 && size != 1) {
        std::string shapes;
        for (const Value &each : arguments)
          shapes += (shapes.empty() ? "" : " and ") + each.repr();
        return wrong("the shapes " + shapes + " do not fit each other");
      }
      if (sizes[i] == 1)
        sizes[i] = size;
    }
  }
  List result(sizes.rbegin(), sizes.rend());
  return Value(std::move(result));
}

std::span<const Builtin> builtins() {
  static constexpr Builtin table[] = {
      {"abs", 1, 1, callAbs},
      {"all", 1, 1, callAll},
      {"any", 1, 1, callAny},
      {"axes", 2, 2, callAxes},
      {"broadcast", 1, 64, callBroadcast},
      {"cdiv", 2, 2, callCdiv},
      {"column", 2, 2, callColumn},
      {"drop", 2, 2, callDrop},
      {"float", 1, 1, callFloat},
      {"int", 1, 1, callInt},
      {"is_power_of_2", 1, 1, callIsPowerOf2},
      {"len", 1, 1, callLen},
      {"log2", 1, 1, callLog2},
      {"max", 1, 64, callMax},
      {"min", 1, 64, callMin},
      {"next_power_of_2", 1, 1, callNextPowerOf2},
      {"pick", 2, 2, callPick},
      {"prev_power_of_2", 1, 1, callPrevPowerOf2},
      {"prod", 1, 1, callProd},
      {"put", 3, 3, callPut},
      {"round", 1, 1, callRound},
      {"round_up", 2, 2, callRoundUp},
      {"sum", 1, 1, callSum},
  };
  return table;
}

} // namespace nereid::ops
