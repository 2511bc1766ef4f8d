// Node.h - a YAML document as a tree that knows its lines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Values are those of PyYAML's safe_load, which FlagGems' files are written
// for: YAML 1.1, where `yes` is true, 010 is 8 and 1e3 is a string. Anchors and
// merge keys work. Stricter than PyYAML: a key that is there twice is an error,
// and so are integers of more than 64 bits. A timestamp stays a string.

#ifndef NEREID_OPS_YAML_NODE_H
#define NEREID_OPS_YAML_NODE_H

#include "expr/Value.h"
#include "support/Result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops::yaml {

struct Node;
/// An alias shares the node of its anchor.
using NodePtr = std::shared_ptr<const Node>;

/// A member of a mapping.
struct Entry {
  NodePtr key, value;
};

struct Node {
  enum class Kind { Scalar, Sequence, Mapping };

  Kind kind = Kind::Scalar;
  uint32_t line = 1, column = 1;
  Value value;                // of a scalar
  std::string text;           // of a scalar, as the document spells it
  std::vector<NodePtr> items; // of a sequence
  std::vector<Entry> entries; // of a mapping, in order
  uint64_t size = 1;          // nodes in the tree, shared ones each time

  bool isScalar() const { return kind == Kind::Scalar; }
  bool isSequence() const { return kind == Kind::Sequence; }
  bool isMapping() const { return kind == Kind::Mapping; }
  bool isString() const { return isScalar() && value.isString(); }
  bool isNull() const { return isScalar() && value.isNone(); }

  /// The member called \p name of a mapping; null if there is none.
  const Node *find(std::string_view name) const;
  /// "a mapping", "a list", "a string", ..., for messages.
  std::string_view kindName() const;
};

constexpr size_t largestDocument = 16 << 20;
constexpr size_t deepestDocument = 64;
/// Nodes with what aliases and merge keys repeat.
constexpr uint64_t largestTree = 1 << 20;

/// The one document of \p text. Failures start with "NAME:LINE:COLUMN: ".
host::Result<NodePtr> parse(std::string_view text, std::string_view name);

/// "NAME:LINE:COLUMN: text" as a failure.
host::Failure failureAt(std::string_view name, uint32_t line, uint32_t column,
                        std::string text);
inline host::Failure failureAt(std::string_view name, const Node &node,
                               std::string text) {
  return failureAt(name, node.line, node.column, std::move(text));
}

} // namespace nereid::ops::yaml

#endif // NEREID_OPS_YAML_NODE_H
