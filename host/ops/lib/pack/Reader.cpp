// Reader.cpp - strict mappings, and expressions in YAML.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/Reader.h"

#include "expr/Lexer.h"
#include "text/EscapeForTerminal.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

std::string Problem::message() const {
  std::string place = file;
  if (line)
    place += ":" + std::to_string(line) + ":" + std::to_string(column);
  return place + ": " + text;
}

std::string unknown(std::string_view kind, std::string_view name,
                    const std::vector<std::string> &names) {
  return "unknown " + std::string(kind) + " '" +
         escapeForTerminal(name.substr(0, 100)) + "'" +
         suggestNames(name, names);
}

static const yaml::Node &emptyMapping() {
  static const yaml::Node empty = [] {
    yaml::Node node;
    node.kind = yaml::Node::Kind::Mapping;
    return node;
  }();
  return empty;
}

MappingReader::MappingReader(const yaml::Node &node, std::string what,
                             Problems &problems)
    : mapping(node.isMapping() ? node : emptyMapping()), what(std::move(what)),
      problems(problems) {
  if (!node.isMapping())
    problems.add(node, this->what + " is " + std::string(node.kindName()) +
                           ", expected a mapping");
}

const yaml::Node *MappingReader::get(std::string_view key) {
  known.emplace_back(key);
  return mapping.find(key);
}

const yaml::Node *MappingReader::require(std::string_view key) {
  const yaml::Node *found = get(key);
  if (!found && &mapping != &emptyMapping())
    problems.add(mapping, what + " has no '" + std::string(key) + "'");
  return found;
}

// YAML 1.1 has more words for true and false than one expects.
static std::string notAString(const yaml::Node &key) {
  return "the key '" + escapeForTerminal(key.text) + "' is " +
         std::string(key.kindName()) + " in YAML, expected a string; write \"" +
         escapeForTerminal(key.text) + "\"";
}

void MappingReader::expect(std::string_view key, const yaml::Node &found,
                           std::string_view kind) {
  problems.add(found, "'" + std::string(key) + "' of " + what + " is " +
                          std::string(found.kindName()) + ", expected " +
                          std::string(kind));
}

std::optional<std::string> MappingReader::string(std::string_view key) {
  const yaml::Node *found = get(key);
  if (!found)
    return std::nullopt;
  if (found->isString())
    return found->value.string();
  expect(key, *found, "a string");
  return std::nullopt;
}

std::optional<bool> MappingReader::boolean(std::string_view key) {
  const yaml::Node *found = get(key);
  if (!found)
    return std::nullopt;
  if (found->isScalar() && found->value.isBool())
    return found->value.truth();
  expect(key, *found, "true or false");
  return std::nullopt;
}

const yaml::Node *MappingReader::list(std::string_view key) {
  const yaml::Node *found = get(key);
  if (!found || found->isSequence())
    return found;
  expect(key, *found, "a list");
  return nullptr;
}

const yaml::Node *MappingReader::mappingOf(std::string_view key) {
  const yaml::Node *found = get(key);
  if (!found || found->isMapping())
    return found;
  expect(key, *found, "a mapping");
  return nullptr;
}

std::vector<std::string> MappingReader::strings(std::string_view key) {
  const yaml::Node *found = get(key);
  std::vector<std::string> texts;
  if (!found)
    return texts;
  if (found->isString())
    return {found->value.string()};
  if (!found->isSequence()) {
    expect(key, *found, "a string or a list of strings");
    return texts;
  }
  for (const yaml::NodePtr &item : found->items) {
    if (item->isString())
      texts.push_back(item->value.string());
    else
      expect(key, *item, "a string");
  }
  return texts;
}

void MappingReader::finish() {
  std::vector<std::string> names = known;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const yaml::Entry &entry : mapping.entries)
    if (!entry.key->isString())
      problems.add(*entry.key, notAString(*entry.key) + ", in " + what);
    else if (!std::binary_search(names.begin(), names.end(),
                                 entry.key->value.string()))
      problems.add(*entry.key,
                   unknown("key", entry.key->text, names) + ", in " + what);
}

// "[a, b]" of the items' texts, so that a list is one expression.
static std::string textOfList(const yaml::Node &node) {
  std::string text;
  for (const yaml::NodePtr &item : node.items) {
    if (!text.empty())
      text += ", ";
    if (item->isSequence())
      text += textOfList(*item);
    else if (item->isString())
      text += item->value.string();
    else if (item->isScalar())
      text += item->value.repr();
  }
  return "[" + text + "]";
}

Expression readExpression(const yaml::Node &node, Problems &problems) {
  if (node.isMapping()) {
    problems.add(node, "found a mapping, expected an expression");
    return Expression();
  }
  if (node.isSequence()) {
    // Each alone, so that "1, 2" is not two items.
    size_t before = problems.count();
    for (const yaml::NodePtr &item : node.items)
      readExpression(*item, problems);
    if (problems.count() > before)
      return Expression();
    Result<Expression> list = Expression::parse(textOfList(node));
    if (list)
      return std::move(*list);
    problems.add(node, list.failure().text);
    return Expression();
  }
  if (!node.isString())
    return Expression(node.value);
  Result<Expression> expression = Expression::parse(node.value.string());
  if (expression)
    return std::move(*expression);
  problems.add(node, expression.failure().text);
  return Expression();
}

Definitions readSettings(const yaml::Node *node, std::string_view what,
                         Problems &problems) {
  Definitions definitions;
  if (!node)
    return definitions;
  if (!node->isMapping()) {
    problems.add(*node, std::string(what) + " is " +
                            std::string(node->kindName()) +
                            ", expected a mapping of names to expressions");
    return definitions;
  }
  for (const yaml::Entry &entry : node->entries) {
    if (!entry.key->isString()) {
      problems.add(*entry.key, notAString(*entry.key));
      continue;
    }
    if (!isName(entry.key->text)) {
      problems.add(*entry.key, "'" + escapeForTerminal(entry.key->text) +
                                   "' cannot be a name");
      continue;
    }
    definitions.push_back({entry.key->text,
                           readExpression(*entry.value, problems),
                           entry.value->line, entry.value->column});
  }
  return definitions;
}

Definitions readDefinitions(const yaml::Node *node, std::string_view what,
                            Problems &problems) {
  Definitions definitions = readSettings(node, what, problems);
  if (std::optional<std::string> cycle = findCycle(definitions))
    problems.add(*node, std::string(what) + " needs itself: " + *cycle);
  return definitions;
}

} // namespace nereid::ops
