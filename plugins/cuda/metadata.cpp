// metadata.cpp - reads and checks the metadata of an image.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "metadata.h"

#include "common/guard.h"

#include <limits>
#include <span>

namespace nereid::cuda {

using namespace plugin;

[[noreturn]] static void throwMalformed(const std::string &what) {
  throw Failure(NEREID_INVALID_ARGUMENT, "malformed metadata: " + what);
}

namespace {
/// Looks values up. Their types are checked.
class Values {
public:
  Values(const nereid_value_t *values, uint64_t count)
      : values(values, count) {}

  const nereid_value_t *find(std::string_view name, nereid_type_t type) const {
    // A later value replaces an earlier one.
    for (size_t i = values.size(); i-- > 0;) {
      if (view(values[i].name) != name)
        continue;
      if (values[i].type != type)
        throwMalformed("'" + std::string(name) + "' has type " +
                       std::to_string(values[i].type) + ", " +
                       std::to_string(type) + " was expected");
      return &values[i];
    }
    return nullptr;
  }

  int64_t integer(std::string_view name, int64_t byDefault, int64_t least,
                  int64_t most) const {
    const nereid_value_t *value = find(name, NEREID_TYPE_I64);
    int64_t number = value ? value->i64 : byDefault;
    if (number < least || number > most)
      throwMalformed("'" + std::string(name) + "' is " +
                     std::to_string(number) + ", " + std::to_string(least) +
                     " to " + std::to_string(most) + " was expected");
    return number;
  }
  bool flag(std::string_view name) const {
    const nereid_value_t *value = find(name, NEREID_TYPE_BOOL);
    return value && value->i64;
  }
  template <typename Item>
  std::span<const Item> list(std::string_view name, nereid_type_t type) const {
    const nereid_value_t *value = find(name, type);
    if (!value)
      return {};
    return {static_cast<const Item *>(value->list), value->list_size};
  }

private:
  std::span<const nereid_value_t> values;
};

/// An argument in the block of a launch.
struct Argument {
  std::string name, type;
  uint32_t offset, size;
};
} // namespace

/// Bytes of an argument; 0 for a type that is not known.
static uint32_t sizeOf(std::string_view type) {
  static constexpr std::pair<std::string_view, uint32_t> kSizes[] = {
      {"i1", 1},  {"i8", 1},  {"u8", 1},  {"i16", 2}, {"u16", 2},
      {"i32", 4}, {"u32", 4}, {"i64", 8}, {"u64", 8}, {"f16", 2},
      {"f32", 4}, {"f64", 8}, {"bf16", 2}};
  if (type.starts_with('*'))
    return 8;
  for (auto [name, size] : kSizes)
    if (name == type)
      return size;
  return 0;
}

/// The layout of nereid/compiler.h, or the one that the metadata has.
static std::vector<Argument> readArguments(const Values &values,
                                           uint64_t &blockSize) {
  constexpr int64_t kMostBytes = 1 << 20;
  auto types =
      values.list<nereid_string_t>("argument_types", NEREID_TYPE_STRING_LIST);
  auto names =
      values.list<nereid_string_t>("argument_names", NEREID_TYPE_STRING_LIST);
  auto offsets = values.list<int64_t>("argument_offsets", NEREID_TYPE_I64_LIST);
  bool isPlaced = values.find("argument_offsets", NEREID_TYPE_I64_LIST);
  if ((!names.empty() && names.size() != types.size()) ||
      (isPlaced && offsets.size() != types.size()))
    throwMalformed("argument_types has " + std::to_string(types.size()) +
                   " items, argument_names " + std::to_string(names.size()) +
                   " and argument_offsets " + std::to_string(offsets.size()));
  std::vector<Argument> arguments;
  uint64_t end = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    Argument argument = {names.empty() ? std::to_string(i)
                                       : std::string(view(names[i])),
                         std::string(view(types[i])), 0, 0};
    argument.size = sizeOf(argument.type);
    if (!argument.size)
      throwMalformed("argument '" + argument.name + "' has type '" +
                     argument.type + "', a pointer or a number was expected");
    uint64_t offset = (end + argument.size - 1) / argument.size * argument.size;
    if (isPlaced) {
      if (offsets[i] < 0 || offsets[i] > kMostBytes)
        throwMalformed("argument '" + argument.name + "' is at offset " +
                       std::to_string(offsets[i]));
      offset = static_cast<uint64_t>(offsets[i]);
    }
    argument.offset = static_cast<uint32_t>(offset);
    end = std::max(end, offset + argument.size);
    arguments.push_back(std::move(argument));
  }
  blockSize = static_cast<uint64_t>(
      values.integer("argument_size", static_cast<int64_t>((end + 7) / 8 * 8),
                     static_cast<int64_t>(end), kMostBytes));
  return arguments;
}

/// Bytes of an element; 0 for a type that is not known. By the numbers of
/// CUtensorMapDataType, whose last three are packed or have no such size: those
/// of 4 bits are addressed as bytes, two in each.
static uint32_t elementSizeOf(int64_t type) {
  static constexpr uint8_t kSizes[] = {1, 2, 4, 4, 8, 8, 2, 4,
                                       8, 2, 4, 4, 4, 1, 1};
  return type >= 0 && type < int64_t{std::size(kSizes)} ? kSizes[type] : 0;
}

static TensorMapFacts readTensorMap(std::span<const int64_t> record,
                                    const std::vector<Argument> &arguments) {
  TensorMapFacts map;
  uint64_t first = static_cast<uint64_t>(record[0]);
  map.rank = static_cast<uint32_t>(record[1]);
  if (record[2] < 0 || record[2] > 6)
    throwMalformed("a tensor map has swizzle " + std::to_string(record[2]));
  map.swizzle = static_cast<uint32_t>(record[2]);
  map.elementSize = elementSizeOf(record[3]);
  if (!map.elementSize)
    throwMalformed("a tensor map has elements of type " +
                   std::to_string(record[3]));
  map.type = static_cast<uint32_t>(record[3]);
  if (record[4] & ~int64_t{1})
    throwMalformed("a tensor map has flags " + std::to_string(record[4]));
  map.isFp4Padded = record[4] & 1;
  for (uint32_t i = 0; i < map.rank; ++i) {
    int64_t size = record[5 + i];
    if (size < 1 || size > 256)
      throwMalformed("a tensor map has a block of " + std::to_string(size) +
                     " elements along dimension " + std::to_string(i) +
                     ", 1 to 256 were expected");
    map.box[i] = static_cast<uint32_t>(size);
  }
  uint64_t pieces = 3 + 2 * uint64_t{map.rank};
  if (record[0] < 0 || first > arguments.size() ||
      pieces > arguments.size() - first)
    throwMalformed("a tensor map of rank " + std::to_string(map.rank) +
                   " starts at argument " + std::to_string(record[0]) + " of " +
                   std::to_string(arguments.size()));
  auto piece = [&](uint64_t index, std::string_view type) {
    const Argument &argument = arguments[first + index];
    bool fits =
        type == "*" ? argument.type.starts_with('*') : argument.type == type;
    if (!fits)
      throwMalformed("argument '" + argument.name +
                     "' of a tensor map has type '" + argument.type + "', " +
                     std::string(type) + " was expected");
    return argument.offset;
  };
  map.name = arguments[first].name;
  map.pointer = piece(0, "*");
  for (uint32_t i = 0; i < map.rank; ++i) {
    map.sizes[i] = piece(1 + i, "i64");
    map.strides[i] = piece(1 + map.rank + i, "i64");
  }
  map.nanPadding = piece(1 + 2 * map.rank, "i1");
  map.roundToTf32 = piece(2 + 2 * map.rank, "i1");
  return map;
}

static std::vector<TensorMapFacts>
readTensorMaps(const Values &values, const std::vector<Argument> &arguments) {
  auto numbers = values.list<int64_t>("tensor_maps", NEREID_TYPE_I64_LIST);
  std::vector<TensorMapFacts> maps;
  while (!numbers.empty()) {
    if (numbers.size() < 5 || numbers[1] < 1 || numbers[1] > kMostRank ||
        numbers.size() < 5 + static_cast<size_t>(numbers[1]))
      throwMalformed("the record of tensor map " + std::to_string(maps.size()) +
                     " is incomplete");
    size_t size = 5 + static_cast<size_t>(numbers[1]);
    maps.push_back(readTensorMap(numbers.first(size), arguments));
    numbers = numbers.subspan(size);
  }
  return maps;
}

static std::vector<Parameter>
readParameters(const Values &values, const std::vector<Argument> &arguments,
               size_t mapCount) {
  constexpr uint32_t kTensorMapBytes = 128;
  constexpr size_t kMost = 4096;
  std::vector<Parameter> parameters;
  auto add = [&](int64_t source) {
    if (source >= 0 && static_cast<uint64_t>(source) < arguments.size()) {
      const Argument &argument = arguments[static_cast<size_t>(source)];
      parameters.push_back({false, static_cast<uint32_t>(source),
                            argument.offset, argument.size});
    } else if (source < 0 && static_cast<uint64_t>(-(source + 1)) < mapCount) {
      parameters.push_back(
          {true, static_cast<uint32_t>(-(source + 1)), 0, kTensorMapBytes});
    } else {
      throwMalformed("a parameter is " + std::to_string(source) + " of " +
                     std::to_string(arguments.size()) + " arguments and " +
                     std::to_string(mapCount) + " tensor maps");
    }
  };
  if (values.find("parameters", NEREID_TYPE_I64_LIST))
    for (int64_t source :
         values.list<int64_t>("parameters", NEREID_TYPE_I64_LIST))
      add(source);
  else if (mapCount)
    throwMalformed("there are tensor maps but no 'parameters'");
  else
    for (size_t i = 0; i < arguments.size(); ++i)
      add(static_cast<int64_t>(i));
  if (parameters.size() > kMost)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "the kernel has " + std::to_string(parameters.size()) +
                      " parameters, at most " + std::to_string(kMost) +
                      " are supported");
  return parameters;
}

static void readScratch(const Values &values, KernelFacts &facts) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t size = values.integer("scratch_size", 0, 0, kMost);
  int64_t alignment = values.integer("scratch_alignment", 64, 1, kMost);
  int64_t profile = values.integer("profile_scratch_size", 0, 0, size);
  if (alignment & (alignment - 1))
    throwMalformed("'scratch_alignment' is " + std::to_string(alignment) +
                   ", a power of two was expected");
  if (profile % alignment || (profile && (size - profile) % alignment))
    throwMalformed("'scratch_size' is " + std::to_string(size) +
                   " and 'profile_scratch_size' " + std::to_string(profile) +
                   ", multiples of the alignment " + std::to_string(alignment) +
                   " were expected");
  facts.scratch = static_cast<uint64_t>(size);
  facts.profileScratch = static_cast<uint64_t>(profile);
  facts.scratchParameters =
      static_cast<uint32_t>(values.integer("scratch_parameters", 0, 0, 2));
}

KernelFacts KernelFacts::read(const nereid_value_t *items, uint64_t count) {
  constexpr int64_t kMostWarps = 32, kWarp = 32, kMostBlocks = 16;
  Values values(items, count);
  KernelFacts facts;
  const nereid_value_t *name = values.find("name", NEREID_TYPE_STRING);
  if (!name || !name->text.size)
    throwMalformed("there is no 'name' of the kernel");
  facts.name = view(name->text);
  if (!values.find("num_warps", NEREID_TYPE_I64))
    throwMalformed("there is no 'num_warps'");
  facts.threads = static_cast<uint32_t>(
      kWarp * values.integer("num_warps", 0, 1, kMostWarps));
  facts.blocks =
      static_cast<uint32_t>(values.integer("num_ctas", 1, 1, kMostBlocks));
  auto cluster = values.list<int64_t>("cluster", NEREID_TYPE_I64_LIST);
  if (!cluster.empty() && cluster.size() != 3)
    throwMalformed("'cluster' has " + std::to_string(cluster.size()) +
                   " items, 3 were expected");
  for (size_t i = 0; i < cluster.size(); ++i) {
    if (cluster[i] < 1 || cluster[i] > kMostBlocks)
      throwMalformed("'cluster' has " + std::to_string(cluster[i]) +
                     " programs, 1 to 16 were expected");
    facts.cluster[i] = static_cast<uint32_t>(cluster[i]);
  }
  facts.shared = static_cast<uint64_t>(
      values.integer("shared", 0, 0, std::numeric_limits<int32_t>::max()));
  facts.isCooperative = values.flag("cooperative");
  facts.isProgrammatic = values.flag("launch_pdl");
  readScratch(values, facts);
  std::vector<Argument> arguments = readArguments(values, facts.arguments);
  facts.tensorMaps = readTensorMaps(values, arguments);
  facts.parameters = readParameters(values, arguments, facts.tensorMaps.size());
  for (Argument &argument : arguments)
    facts.argumentNames.push_back(std::move(argument.name));
  return facts;
}

} // namespace nereid::cuda
