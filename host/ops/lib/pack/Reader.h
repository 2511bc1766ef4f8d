// Reader.h - reads mappings of a pack's files strictly: what is not known is a
// problem with a line and the nearest name.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PACK_READER_H
#define NEREID_OPS_PACK_READER_H

#include "expr/Expression.h"
#include "expr/Scope.h"
#include "yaml/Node.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::ops {

/// What is wrong with a pack, and where.
struct Problem {
  std::string file; // as it was found
  uint32_t line = 0, column = 0;
  std::string text;

  /// "FILE:LINE:COLUMN: TEXT", without the line if there is none.
  std::string message() const;
};

/// The problems of one file.
class Problems {
public:
  Problems(std::string file, std::vector<Problem> &list)
      : file(std::move(file)), list(list) {}

  void add(uint32_t line, uint32_t column, std::string text) {
    list.push_back({file, line, column, std::move(text)});
  }
  void add(const yaml::Node &node, std::string text) {
    add(node.line, node.column, std::move(text));
  }
  void add(std::string text) { add(0, 0, std::move(text)); }
  size_t count() const { return list.size(); }
  const std::string &fileName() const { return file; }

private:
  std::string file;
  std::vector<Problem> &list;
};

/// Reads one mapping. Each function that reads a member makes its name known;
/// finish() reports the others.
class MappingReader {
public:
  /// \p what: "the operator 'softmax'", for messages. A node of another kind is
  /// a problem, and reads like an empty mapping.
  MappingReader(const yaml::Node &node, std::string what, Problems &problems);

  const yaml::Node &node() const { return mapping; }
  const std::string &name() const { return what; }

  /// Null if there is no such member.
  const yaml::Node *get(std::string_view key);
  /// The same, and a problem.
  const yaml::Node *require(std::string_view key);
  /// A member that must be of that kind; a problem and nothing if not.
  std::optional<std::string> string(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  const yaml::Node *list(std::string_view key);
  const yaml::Node *mappingOf(std::string_view key);
  /// A list of strings, or one string.
  std::vector<std::string> strings(std::string_view key);

  /// Reports the members that were not read.
  void finish();

private:
  void expect(std::string_view key, const yaml::Node &found,
              std::string_view kind);

  const yaml::Node &mapping;
  std::string what;
  Problems &problems;
  std::vector<std::string> known;
};

/// The expression that a scalar is: the text of a string, or a constant.
/// A list is the expression of its items. A problem and None if it is wrong.
Expression readExpression(const yaml::Node &node, Problems &problems);

/// Names with their expressions.
Definitions readSettings(const yaml::Node *node, std::string_view what,
                         Problems &problems);
/// The same where the expressions see each other: a cycle is a problem.
Definitions readDefinitions(const yaml::Node *node, std::string_view what,
                            Problems &problems);

/// "'x', 'y'" of what is missing in \p names, with the nearest of them.
std::string unknown(std::string_view kind, std::string_view name,
                    const std::vector<std::string> &names);

} // namespace nereid::ops

#endif // NEREID_OPS_PACK_READER_H
