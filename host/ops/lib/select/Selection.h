// Selection.h - what one call of an operator launches, decided: the contract
// between choosing (lib/select) and calling (lib/call).
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_SELECT_SELECTION_H
#define NEREID_OPS_SELECT_SELECTION_H

#include "expr/Value.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nereid::ops {

/// A tensor as expressions see it.
struct TensorFacts {
  std::string dtype; // "f32"
  std::vector<int64_t> shape;
  std::vector<int64_t> stride; // in elements, as many as `shape`
  uint32_t align = 128;        // the largest power of two that divides the
                               // address, at most 128
};

/// An input or an output of a call by its name in the schema.
struct NamedTensors {
  std::string name;
  bool isList = false;
  std::vector<TensorFacts> members; // one, unless it is a list
};

struct NamedValue {
  std::string name;
  Value value;
};

/// A call without its memory. What an operator has and a call does not give is
/// not here: optional inputs, attributes with a default, outputs that are to be
/// made, which are row major with an alignment of 64.
struct CallFacts {
  std::vector<NamedTensors> inputs, outputs;
  std::vector<NamedValue> attributes;
};

/// A tensor that a launch of a selection is passed.
struct SelectedTensor {
  enum class Role { Input, Output, Temporary };
  Role role = Role::Input;
  std::string name;
  uint32_t member = 0; // of a list
  /// An input of `contiguous:` that is not row major, or such an output of an
  /// operator that is not pointwise: the launches are passed a row-major copy,
  /// and `facts` are the copy's.
  bool isCopied = false;
  TensorFacts facts;
};

/// One item of an argument: exactly one of the three.
struct SelectedItem {
  static constexpr size_t none = ~size_t(0);
  size_t tensor = none;  // an index of Selection::tensors
  std::string attribute; // its value is passed as the call gives it
  Value value;           // an integer, a float or a boolean
};

struct SelectedArgument {
  std::string name;
  bool isTuple = false; // items are arguments after each other
  std::vector<SelectedItem> items;
};

struct SelectedLaunch {
  std::filesystem::path file; // the Python file
  std::string function;
  std::vector<SelectedArgument> arguments;
  std::vector<NamedValue> constants; // a list is a tuple of Triton
  std::vector<NamedValue> options;   // of the compiler
  std::array<int64_t, 3> grid = {1, 1, 1};
};

/// The tuned result that decided a selection.
struct TunedChoice {
  std::string op, key, bucket, variant, configuration;
};

struct Selection {
  std::string op, layer, variant;
  std::optional<TunedChoice> tuned;
  /// Every output that the call has, in the order of the schema, then what else
  /// launches are passed.
  std::vector<SelectedTensor> tensors;
  /// None if the operator says that the call is empty.
  std::vector<SelectedLaunch> launches;
  /// The attributes that decided something: a call in which only others differ
  /// has the same selection.
  std::vector<std::string> decidingAttributes;
};

} // namespace nereid::ops

#endif // NEREID_OPS_SELECT_SELECTION_H
