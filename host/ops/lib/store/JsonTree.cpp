// JsonTree.cpp - builds the tree from the events of nlohmann's reader, which
// reads the text through an iterator that counts lines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/JsonTree.h"

#include <algorithm>
#include <iterator>

namespace nereid::ops {

using host::Failure;
using host::Result;
using Kind = nlohmann::json::value_t;

// Deeper nesting has no meaning in any file that is read.
static constexpr size_t depthLimit = 32;

namespace {
/// Copies share the count, because the reader has a copy.
class CountingIterator {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *place, size_t *line)
      : place(place), line(line) {}
  reference operator*() const { return *place; }
  CountingIterator &operator++() {
    *line += *place == '\n';
    ++place;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator &other) const {
    return place == other.place;
  }
  bool operator!=(const CountingIterator &other) const {
    return place != other.place;
  }

private:
  const char *place;
  size_t *line;
};

class Builder {
public:
  Builder(std::string_view text, const size_t *line) : text(text), line(line) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string &) { return add(value); }
  bool string(std::string &value) { return add(std::move(value)); }
  bool binary(nlohmann::json::binary_t &) { return refuse("binary data"); }
  bool start_object(size_t) { return open(Kind::object); }
  bool start_array(size_t) { return open(Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string &name);
  bool parse_error(size_t, const std::string &token,
                   const nlohmann::json::exception &);

  JsonTree root;
  std::string error;

private:
  bool add(nlohmann::json value);
  bool open(Kind kind);
  bool close();
  bool refuse(std::string text);
  JsonTree *place();

  std::string_view text;
  const size_t *line;
  size_t keyLine = 0; // of the member whose value comes next; 0: none
  std::vector<JsonTree *> stack;
};
} // namespace

// Where the next value goes.
JsonTree *Builder::place() {
  JsonTree *value = &root;
  if (!stack.empty()) {
    JsonTree *parent = stack.back();
    value = parent->isObject() ? &parent->members.back().value
                               : &parent->items.emplace_back();
  }
  // The reader looks one character past a number.
  value->line = keyLine ? keyLine : *line;
  keyLine = 0;
  return value;
}

bool Builder::add(nlohmann::json scalar) {
  JsonTree *value = place();
  value->kind = scalar.type();
  value->scalar = std::move(scalar);
  return true;
}

bool Builder::open(Kind kind) {
  if (stack.size() == depthLimit)
    return refuse("nested deeper than " + std::to_string(depthLimit) +
                  " levels");
  JsonTree *value = place();
  value->kind = kind;
  stack.push_back(value);
  return true;
}

bool Builder::close() {
  stack.pop_back();
  return true;
}

bool Builder::key(std::string &name) {
  auto &members = stack.back()->members;
  if (std::any_of(members.begin(), members.end(),
                  [&](const auto &member) { return member.name == name; }))
    return refuse("'" + name + "' is there twice");
  members.push_back({std::move(name), {}});
  keyLine = *line;
  return true;
}

bool Builder::refuse(std::string text) {
  error = "line " + std::to_string(*line) + ": " + std::move(text);
  return false;
}

bool Builder::parse_error(size_t position, const std::string &,
                          const nlohmann::json::exception &) {
  if (position == 0 || position > text.size())
    return refuse("the JSON ends too early");
  char found = text[position - 1];
  return refuse(found > ' ' && found < 0x7f
                    ? std::string("not JSON at '") + found + "'"
                    : "not JSON at byte " + std::to_string(position));
}

const JsonTree *JsonTree::find(std::string_view name) const {
  for (const auto &[member, value] : members)
    if (member == name)
      return &value;
  return nullptr;
}

nlohmann::json JsonTree::value() const {
  if (isObject()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto &[name, member] : members)
      object[name] = member.value();
    return object;
  }
  if (isArray()) {
    nlohmann::json array = nlohmann::json::array();
    for (const JsonTree &item : items)
      array.push_back(item.value());
    return array;
  }
  return scalar;
}

Result<JsonTree> parseJsonTree(std::string_view text) {
  size_t line = 1;
  Builder builder(text, &line);
  CountingIterator begin(text.data(), &line);
  CountingIterator end(text.data() + text.size(), &line);
  if (!nlohmann::json::sax_parse(begin, end, &builder))
    return Failure{NEREID_INVALID_ARGUMENT, builder.error};
  return std::move(builder.root);
}

} // namespace nereid::ops
