// Operator.h - one operator of a pack: what it is called with, and the variants
// that compute it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_OPERATOR_H
#define NEREID_OPS_PACK_OPERATOR_H

#include "expr/Scope.h"
#include "pack/Kernels.h"
#include "pack/Reader.h"
#include "pack/TuneConfigs.h"
#include "store/Key.h"
#include "support/JsonFwd.h"

#include <optional>

namespace nereid::ops {

/// The bytes of an element; 0 for a name that is not a type.
size_t sizeOfDtype(std::string_view name);
const std::vector<std::string> &dtypeNames();

/// An expression with its place; the name is that of a mapping's key.
using Placed = Definition;

struct InputSchema {
  std::string name;
  bool isOptional = false, isList = false;
  std::vector<std::string> dtypes; // empty: `dtype` says it
  std::optional<Placed> dtype;
  int64_t leastRank = 0, mostRank = 64;
  /// What is in it where data is made up for tuning: from the first up to, and
  /// without, the second.
  std::optional<std::pair<Placed, Placed>> values;
  bool isSorted = false; // there, ascending
  uint32_t line = 0;
};

struct AttributeSchema {
  std::string name, type;
  std::optional<Value> byDefault;
  uint32_t line = 0;

  /// Is \p value, which is not none, of this type?
  bool accepts(const Value &value) const;
};

struct OutputSchema {
  std::string name;
  Placed dtype, shape;
  std::optional<Placed> when;
};

struct Schema {
  std::vector<InputSchema> inputs;
  std::vector<AttributeSchema> attributes;
  std::vector<OutputSchema> outputs;

  const InputSchema *input(std::string_view name) const;
  const AttributeSchema *attribute(std::string_view name) const;
};

host::Json jsonOf(const Schema &schema);

/// What differs first between two schemas; nothing if they are equal.
std::optional<std::string> difference(const Schema &a, const Schema &b);

/// Text with expressions in braces: "dim is {dim}".
struct Message {
  struct Piece {
    std::string text;
    std::optional<Expression> expression;
  };
  std::vector<Piece> pieces;

  /// An expression that fails is shown as it is written.
  std::string fill(const Environment &names) const;
};

struct Requirement {
  Placed condition;
  Message message;
};

/// One launch of a kernel.
struct Step {
  std::string file, function; // the Python file's path, the kernel in it
  uint32_t line = 0;
  std::optional<Placed> when, repeat;
  Definitions arguments, constants, options;
  std::vector<Placed> grid;
  bool isTuned = false; // a configuration's settings replace its own
};

struct Temporary {
  std::string name;
  Placed dtype, shape;
};

struct Variant {
  std::string name;
  uint32_t line = 0;
  std::optional<Placed> when;
  Definitions let;
  std::vector<Temporary> temporaries;
  std::vector<Step> steps;
  std::string tune; // entry of tune_configs.yaml; may be empty
  uint32_t tuneLine = 0, tuneColumn = 0;
};

struct KeyPart {
  std::string name;
  Strategy strategy;
};

struct Pointwise {
  std::vector<std::string> inputs, outputs;
};

struct Operator {
  std::string name, file;
  uint32_t line = 0;
  Schema schema;
  Definitions let;
  std::vector<Requirement> require;
  std::optional<Placed> empty;
  std::optional<Pointwise> pointwise;
  std::optional<std::vector<KeyPart>> key;
  std::vector<Variant> variants;
  std::vector<std::string> contiguous;
  std::string backward;
  /// Overload of ATen, then our name -> ATen's.
  std::vector<
      std::pair<std::string, std::vector<std::pair<std::string, std::string>>>>
      aten;
};

/// Reads the operator of one file, whose kernels are in files beside it;
/// nothing, and problems, if anything in it is wrong.
std::optional<Operator> readOperator(const yaml::Node &root,
                                     const std::string &path,
                                     KernelFiles &kernels, Problems &problems);

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_OPERATOR_H
