// Arguments.cpp - reads the layout of a kernel's arguments from its metadata.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "launch/Arguments.h"

#include <algorithm>
#include <span>

namespace nereid::host {

static constexpr int64_t largestBlock = 1 << 20;

static Failure malformed(const std::string &what) {
  return {NEREID_INTERNAL, "malformed metadata: " + what};
}

// Bytes of a scalar or pointer; 0 for a type that only the plugin knows.
static uint32_t sizeOfType(std::string_view type) {
  static constexpr struct {
    std::string_view name;
    uint32_t size;
  } sizes[] = {{"i1", 1},   {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8},
               {"u8", 1},   {"u16", 2}, {"u32", 4}, {"u64", 8}, {"f16", 2},
               {"bf16", 2}, {"f32", 4}, {"f64", 8}};
  if (type.starts_with('*'))
    return 8;
  for (const auto &known : sizes)
    if (known.name == type)
      return known.size;
  return 0;
}

// The items of list `name`; none if it is absent.
template <typename Item>
static Result<std::span<const Item>>
listOf(const Values &metadata, std::string_view name, nereid_type_t type) {
  const nereid_value_t *value = metadata.find(name);
  if (!value)
    return std::span<const Item>();
  if (value->type != type)
    return malformed("'" + std::string(name) + "' is a " +
                     typeName(value->type) + ", expected a " + typeName(type));
  return std::span<const Item>(static_cast<const Item *>(value->list),
                               value->list_size);
}

static std::string counts(std::string_view name, size_t count,
                          size_t expected) {
  return "'" + std::string(name) + "' has " + std::to_string(count) +
         " items for " + std::to_string(expected) + " argument_types";
}

// Places the arguments one after the other.
static Result<ArgumentLayout> layOut(ArgumentLayout layout) {
  uint64_t end = 0;
  for (Argument &argument : layout.arguments) {
    if (!argument.size)
      return malformed("argument '" + argument.name + "' has type '" +
                       argument.type +
                       "', which the standard layout does not know; the "
                       "plugin must give argument_offsets");
    end = (end + argument.size - 1) / argument.size * argument.size;
    argument.offset = static_cast<uint32_t>(end);
    end += argument.size;
  }
  layout.size = (end + 7) / 8 * 8;
  return layout;
}

Result<ArgumentLayout> ArgumentLayout::standard(
    const std::vector<std::pair<std::string, std::string>> &arguments) {
  ArgumentLayout layout;
  for (const auto &[name, type] : arguments) {
    uint32_t size = sizeOfType(type);
    if (!size)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "argument '" + name + "' has type '" + type +
                         "', expected a pointer or a number, as '*f32' or "
                         "'i32'"};
    layout.arguments.push_back({name, type, 0, size});
  }
  return layOut(std::move(layout));
}

// Takes the plugin's places and checks that no two arguments overlap.
static Outcome place(ArgumentLayout &layout, std::span<const int64_t> offsets) {
  std::vector<size_t> order(offsets.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
  for (size_t i = 0; i < order.size(); ++i) {
    Argument &argument = layout.arguments[order[i]];
    int64_t offset = offsets[order[i]];
    int64_t next = i + 1 < order.size() ? offsets[order[i + 1]]
                                        : static_cast<int64_t>(layout.size);
    if (offset < 0 || offset > static_cast<int64_t>(layout.size))
      return malformed("argument '" + argument.name + "' is at offset " +
                       std::to_string(offset) + ", outside the block of " +
                       std::to_string(layout.size) + " bytes");
    if (!argument.size)
      argument.size = static_cast<uint32_t>(next - offset);
    if (offset + argument.size > next)
      return malformed("argument '" + argument.name + "' occupies bytes " +
                       std::to_string(offset) + " to " +
                       std::to_string(offset + argument.size) +
                       ", past the next argument or the end of the block at " +
                       std::to_string(next));
    argument.offset = static_cast<uint32_t>(offset);
  }
  return {};
}

static Outcome checkSize(int64_t size) {
  if (size >= 0 && size <= largestBlock)
    return {};
  return malformed("argument_size is " + std::to_string(size) +
                   ", expected 0 to " + std::to_string(largestBlock));
}

Result<ArgumentLayout> ArgumentLayout::read(const Values &metadata) {
  auto types = listOf<nereid_string_t>(metadata, "argument_types",
                                       NEREID_TYPE_STRING_LIST);
  auto names = listOf<nereid_string_t>(metadata, "argument_names",
                                       NEREID_TYPE_STRING_LIST);
  auto offsets =
      listOf<int64_t>(metadata, "argument_offsets", NEREID_TYPE_I64_LIST);
  if (!types)
    return types.failure();
  if (!names)
    return names.failure();
  if (!offsets)
    return offsets.failure();
  size_t count = types->size();
  if (!names->empty() && names->size() != count)
    return malformed(counts("argument_names", names->size(), count));
  bool isPlaced = metadata.find("argument_offsets") != nullptr;
  if (isPlaced && offsets->size() != count)
    return malformed(counts("argument_offsets", offsets->size(), count));

  ArgumentLayout layout;
  for (size_t i = 0; i < count; ++i) {
    std::string name =
        names->empty() ? std::to_string(i) : std::string(view((*names)[i]));
    std::string_view type = view((*types)[i]);
    layout.arguments.push_back(
        {std::move(name), std::string(type), 0, sizeOfType(type)});
  }

  const nereid_value_t *size = metadata.find("argument_size");
  if (size && size->type != NEREID_TYPE_I64)
    return malformed("'argument_size' is a " + typeName(size->type) +
                     ", expected an i64");
  if (size)
    if (Outcome checked = checkSize(size->i64); !checked)
      return checked.failure();
  if (!isPlaced) {
    Result<ArgumentLayout> standard = layOut(std::move(layout));
    if (standard && size && static_cast<uint64_t>(size->i64) < standard->size)
      return malformed("argument_size is " + std::to_string(size->i64) +
                       ", but the arguments take " +
                       std::to_string(standard->size) + " bytes");
    if (standard && size)
      standard->size = static_cast<uint64_t>(size->i64);
    return standard;
  }
  if (!size)
    return malformed("argument_offsets without argument_size");
  layout.size = static_cast<uint64_t>(size->i64);
  if (Outcome placed = place(layout, *offsets); !placed)
    return placed.failure();
  return layout;
}

} // namespace nereid::host
