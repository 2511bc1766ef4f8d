// Node.cpp - from libyaml's events to a tree.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "yaml/Node.h"

#include "text/EscapeForTerminal.h"
#include "yaml/Scalar.h"

#include <yaml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

namespace nereid::ops::yaml {

using host::Failure;
using host::Outcome;
using host::Result;

const Node *Node::find(std::string_view name) const {
  for (const Entry &entry : entries)
    if (entry.key->isString() && entry.key->value.string() == name)
      return entry.value.get();
  return nullptr;
}

std::string_view Node::kindName() const {
  if (isSequence())
    return "a list";
  if (isMapping())
    return "a mapping";
  return value.kindName();
}

Failure failureAt(std::string_view name, uint32_t line, uint32_t column,
                  std::string text) {
  return {NEREID_INVALID_ARGUMENT,
          std::string(name) + ":" + std::to_string(line) + ":" +
              std::to_string(column) + ": " + std::move(text)};
}

namespace {

class Event {
public:
  Event() = default;
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  ~Event() { yaml_event_delete(&event); }

  yaml_event_type_t type() const { return event.type; }
  yaml_event_t event = {};
};

/// Members of a mapping in their order, found by what Python takes for the same
/// key: 1, 1.0 and True are one.
class Members {
public:
  /// Null if there is no such key.
  Entry *find(const Node &key) {
    auto found = places.find(keyText(key));
    return found == places.end() ? nullptr : &entries[found->second];
  }
  void set(const Entry &entry) {
    auto [found, isNew] =
        places.try_emplace(keyText(*entry.key), entries.size());
    if (isNew)
      entries.push_back(entry);
    else
      entries[found->second].value = entry.value;
  }

  std::vector<Entry> entries;

private:
  static std::string keyText(const Node &key) {
    const Value &value = key.value;
    if (value.isString())
      return "s" + value.string();
    if (value.isBool())
      return std::to_string(value.integer());
    if (value.isFloat() && value.number() >= -0x1p63 &&
        value.number() < 0x1p63 && std::floor(value.number()) == value.number())
      return std::to_string(static_cast<int64_t>(value.number()));
    return value.repr();
  }

  std::unordered_map<std::string, size_t> places;
};

/// The tags that a document may write, without their common start.
constexpr std::string_view tagPrefix = "tag:yaml.org,2002:";

class Builder {
public:
  Builder(std::string_view text, std::string_view name)
      : name(name), text(text) {
    isReady = yaml_parser_initialize(&parser);
    if (isReady)
      yaml_parser_set_input_string(
          &parser, reinterpret_cast<const unsigned char *>(text.data()),
          text.size());
  }
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;
  ~Builder() {
    if (isReady)
      yaml_parser_delete(&parser);
  }

  Result<NodePtr> document();

private:
  Outcome next(Event &event);
  Result<NodePtr> node(const Event &event, size_t depth);
  Result<NodePtr> scalar(const Event &event);
  Result<NodePtr> sequence(const Event &event, size_t depth);
  Result<NodePtr> mapping(const Event &event, size_t depth);
  Result<NodePtr> alias(const Event &event);
  Outcome merge(const Node &from, Members &merged);
  Outcome addOwn(Members &own, Entry entry);
  Outcome checkValue(const Event &event) const;
  Outcome grow(Node &parent, const Node &child);
  /// Null marks a node that is not complete.
  void remember(const unsigned char *anchor, const NodePtr &node) {
    if (anchor)
      anchors.insert_or_assign(std::string(view(anchor)), node);
  }
  Outcome checkAnchor(const unsigned char *anchor, const Event &event) const {
    if (!anchor || anchors.find(view(anchor)) == anchors.end())
      return {};
    return fail(event, "a second anchor is called '" +
                           escapeForTerminal(view(anchor)) + "'");
  }
  Outcome checkTag(const unsigned char *tag, std::string_view expected,
                   const Event &event);
  Failure fail(const Event &event, std::string text) const {
    return failureAt(name, line(event), column(event), std::move(text));
  }
  static uint32_t line(const Event &event) {
    return static_cast<uint32_t>(event.event.start_mark.line + 1);
  }
  static uint32_t column(const Event &event) {
    return static_cast<uint32_t>(event.event.start_mark.column + 1);
  }
  static std::string_view view(const unsigned char *text) {
    return reinterpret_cast<const char *>(text);
  }

  yaml_parser_t parser = {};
  bool isReady = false;
  std::string_view name;
  std::map<std::string, NodePtr, std::less<>> anchors;
  std::string_view text;
  // Tag::Merge or Tag::Value if the node that was read last is that word, which
  // is no value.
  Tag special = Tag::String;
};

} // namespace

static std::string shown(std::string_view text) {
  std::string escaped = escapeForTerminal(text.substr(0, 60));
  return text.size() > 60 ? escaped + "..." : escaped;
}

Outcome Builder::next(Event &event) {
  if (!isReady)
    return Failure{NEREID_OUT_OF_RESOURCES, "out of memory"};
  if (yaml_parser_parse(&parser, &event.event))
    return {};
  if (parser.error == YAML_MEMORY_ERROR)
    return Failure{NEREID_OUT_OF_RESOURCES, "out of memory"};
  std::string text = parser.problem ? parser.problem : "not a YAML document";
  if (parser.context)
    text += std::string(", ") + parser.context + " from line " +
            std::to_string(parser.context_mark.line + 1);
  // Bytes that are not text have no mark.
  if (parser.error == YAML_READER_ERROR) {
    std::string_view before = this->text.substr(0, parser.problem_offset);
    return failureAt(
        name,
        static_cast<uint32_t>(1 +
                              std::count(before.begin(), before.end(), '\n')),
        static_cast<uint32_t>(before.size() - (before.rfind('\n') + 1) + 1),
        std::move(text));
  }
  return failureAt(name, static_cast<uint32_t>(parser.problem_mark.line + 1),
                   static_cast<uint32_t>(parser.problem_mark.column + 1),
                   std::move(text));
}

// One step of a tree that aliases and merge keys make large.
Outcome Builder::grow(Node &parent, const Node &child) {
  parent.size += child.size;
  if (parent.size > largestTree)
    return failureAt(name, child,
                     "the document has more than " +
                         std::to_string(largestTree) +
                         " values where its aliases are");
  return {};
}

Outcome Builder::checkTag(const unsigned char *tag, std::string_view expected,
                          const Event &event) {
  if (!tag || view(tag) == "!" ||
      view(tag) == std::string(tagPrefix) + std::string(expected))
    return {};
  return fail(event, "the tag '" + shown(view(tag)) + "' is not supported");
}

Result<NodePtr> Builder::document() {
  Event start;
  if (Outcome read = next(start); !read)
    return read.failure();
  Event first;
  if (Outcome read = next(first); !read)
    return read.failure();
  if (first.type() == YAML_STREAM_END_EVENT)
    return NodePtr(std::make_shared<Node>());
  Event content;
  if (Outcome read = next(content); !read)
    return read.failure();
  Result<NodePtr> root = node(content, 1);
  if (!root)
    return root;
  if (Outcome checked = checkValue(content); !checked)
    return checked.failure();
  Event end, last;
  if (Outcome read = next(end); !read)
    return read.failure();
  if (Outcome read = next(last); !read)
    return read.failure();
  if (last.type() != YAML_STREAM_END_EVENT)
    return fail(last, "a second document, expected one");
  return root;
}

Result<NodePtr> Builder::node(const Event &event, size_t depth) {
  special = Tag::String;
  if (depth > deepestDocument)
    return fail(event, "more than " + std::to_string(deepestDocument) +
                           " lists and mappings inside each other");
  switch (event.type()) {
  case YAML_ALIAS_EVENT:
    return alias(event);
  case YAML_SCALAR_EVENT:
    return scalar(event);
  case YAML_SEQUENCE_START_EVENT:
    return sequence(event, depth);
  default:
    return mapping(event, depth);
  }
}

Result<NodePtr> Builder::alias(const Event &event) {
  std::string_view anchor = view(event.event.data.alias.anchor);
  auto found = anchors.find(anchor);
  if (found == anchors.end())
    return fail(event, "no anchor is called '" + shown(anchor) + "'");
  if (!found->second)
    return fail(event, "'" + shown(anchor) + "' is inside itself");
  return found->second;
}

// The tag that is written, or the one that a plain scalar resolves to.
static std::optional<Tag> tagOf(std::string_view tag) {
  static constexpr std::pair<std::string_view, Tag> known[] = {
      {"null", Tag::Null},
      {"bool", Tag::Bool},
      {"int", Tag::Int},
      {"float", Tag::Float},
      {"str", Tag::String}};
  if (!tag.starts_with(tagPrefix))
    return std::nullopt;
  for (const auto &[text, meaning] : known)
    if (tag.substr(tagPrefix.size()) == text)
      return meaning;
  return std::nullopt;
}

Result<NodePtr> Builder::scalar(const Event &event) {
  const auto &data = event.event.data.scalar;
  std::string_view text(reinterpret_cast<const char *>(data.value),
                        data.length);
  if (Outcome isNew = checkAnchor(data.anchor, event); !isNew)
    return isNew.failure();
  Tag tag = Tag::String;
  bool isResolved = data.tag ? view(data.tag) == "!" : data.plain_implicit;
  if (data.tag && !isResolved) {
    std::optional<Tag> written = tagOf(view(data.tag));
    if (!written)
      return fail(event,
                  "the tag '" + shown(view(data.tag)) + "' is not supported");
    tag = *written;
    Tag meant = resolve(text);
    if (tag != Tag::String && meant != tag &&
        !(tag == Tag::Float && meant == Tag::Int))
      return fail(event, "'" + shown(text) + "' is not what its tag '" +
                             shown(view(data.tag)) + "' says");
  } else if (isResolved) {
    tag = resolve(text);
  }
  auto node = std::make_shared<Node>();
  node->line = line(event);
  node->column = column(event);
  node->text = text;
  Result<Value> value = construct(tag, text);
  if (!value)
    return fail(event, value.failure().text);
  node->value = std::move(*value);
  special = tag == Tag::Merge || tag == Tag::Value ? tag : Tag::String;
  remember(data.anchor, node);
  return NodePtr(std::move(node));
}

Result<NodePtr> Builder::sequence(const Event &event, size_t depth) {
  const auto &data = event.event.data.sequence_start;
  for (Outcome given :
       {checkTag(data.tag, "seq", event), checkAnchor(data.anchor, event)})
    if (!given)
      return given.failure();
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::Sequence;
  node->line = line(event);
  node->column = column(event);
  remember(data.anchor, nullptr);
  while (true) {
    Event item;
    if (Outcome read = next(item); !read)
      return read.failure();
    if (item.type() == YAML_SEQUENCE_END_EVENT)
      break;
    Result<NodePtr> child = this->node(item, depth + 1);
    if (!child)
      return child;
    if (Outcome checked = checkValue(item); !checked)
      return checked.failure();
    if (Outcome grown = grow(*node, **child); !grown)
      return grown.failure();
    node->items.push_back(std::move(*child));
  }
  remember(data.anchor, node);
  return NodePtr(std::move(node));
}

Outcome Builder::checkValue(const Event &event) const {
  if (special == Tag::Merge)
    return fail(event, "'<<' is a merge key, expected a value");
  if (special == Tag::Value)
    return fail(event, "'=' is not a value; write it in quotes");
  return {};
}

Outcome Builder::addOwn(Members &own, Entry entry) {
  if (const Entry *other = own.find(*entry.key))
    return failureAt(name, *entry.key,
                     "the key '" + shown(entry.key->text) +
                         "' is there twice, first in line " +
                         std::to_string(other->key->line));
  own.set(entry);
  return {};
}

// Adds the members of a mapping, or of each mapping of a list, of which the
// first has the last word.
Outcome Builder::merge(const Node &from, Members &merged) {
  if (from.isSequence()) {
    for (auto item = from.items.rbegin(); item != from.items.rend(); ++item) {
      if (!(*item)->isMapping())
        return failureAt(name, **item,
                         "'<<' of a list with " +
                             std::string((*item)->kindName()) +
                             ", expected mappings");
      if (Outcome done = merge(**item, merged); !done)
        return done;
    }
    return {};
  }
  if (!from.isMapping())
    return failureAt(name, from,
                     "'<<' of " + std::string(from.kindName()) +
                         ", expected a mapping or a list of them");
  for (const Entry &entry : from.entries)
    merged.set(entry);
  return {};
}

Result<NodePtr> Builder::mapping(const Event &event, size_t depth) {
  const auto &data = event.event.data.mapping_start;
  for (Outcome given :
       {checkTag(data.tag, "map", event), checkAnchor(data.anchor, event)})
    if (!given)
      return given.failure();
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::Mapping;
  node->line = line(event);
  node->column = column(event);
  remember(data.anchor, nullptr);
  Members all, own;
  while (true) {
    Event key, value;
    if (Outcome read = next(key); !read)
      return read.failure();
    if (key.type() == YAML_MAPPING_END_EVENT)
      break;
    Result<NodePtr> keyNode = this->node(key, depth + 1);
    if (!keyNode)
      return keyNode;
    bool merges = special == Tag::Merge;
    if (!(*keyNode)->isScalar())
      return fail(key, "a key is " + std::string((*keyNode)->kindName()) +
                           ", expected a word");
    if (Outcome read = next(value); !read)
      return read.failure();
    Result<NodePtr> valueNode = this->node(value, depth + 1);
    if (!valueNode)
      return valueNode;
    if (Outcome checked = checkValue(value); !checked)
      return checked.failure();
    if (Outcome grown = grow(*node, **valueNode); !grown)
      return grown.failure();
    if (Outcome grown = grow(*node, **keyNode); !grown)
      return grown.failure();
    Outcome added =
        merges ? merge(**valueNode, all) : addOwn(own, {*keyNode, *valueNode});
    if (!added)
      return added.failure();
  }
  for (const Entry &entry : own.entries)
    all.set(entry);
  node->entries = std::move(all.entries);
  remember(data.anchor, node);
  return NodePtr(std::move(node));
}

Result<NodePtr> parse(std::string_view text, std::string_view name) {
  if (text.size() > largestDocument)
    return failureAt(name, 1, 1,
                     "the document has " + std::to_string(text.size()) +
                         " bytes, expected at most " +
                         std::to_string(largestDocument));
  return Builder(text, name).document();
}

} // namespace nereid::ops::yaml
