// ValuesCodec.cpp - values as bytes, for cache entries. The reader trusts
// nothing: an entry may be damaged on purpose.
//
//   u32 count, then for each value: i32 type, text name, payload
//   payload: i64, f64 and bool: 8 bytes; string and bytes: text;
//            lists: u32 count, then 8 bytes or a text each
//   text:    u32 size, bytes
//
// All numbers are little-endian.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Values.h"

#include <bit>
#include <cstring>

namespace nereid::host {

template <typename Word> static void putWord(std::string &out, Word word) {
  for (size_t i = 0; i < sizeof word; ++i)
    out += static_cast<char>(word >> (8 * i));
}

static void putText(std::string &out, nereid_string_t text) {
  putWord<uint32_t>(out, static_cast<uint32_t>(text.size));
  out += view(text);
}

static void putPayload(std::string &out, const nereid_value_t &value) {
  uint32_t count = static_cast<uint32_t>(value.list_size);
  switch (value.type) {
  case NEREID_TYPE_I64:
  case NEREID_TYPE_BOOL:
    return putWord(out, static_cast<uint64_t>(value.i64));
  case NEREID_TYPE_F64:
    return putWord(out, std::bit_cast<uint64_t>(value.f64));
  case NEREID_TYPE_STRING:
  case NEREID_TYPE_BYTES:
    return putText(out, value.text);
  default:
    break;
  }
  putWord(out, count);
  for (uint32_t i = 0; i < count; ++i)
    if (value.type == NEREID_TYPE_I64_LIST)
      putWord(out, static_cast<uint64_t>(
                       static_cast<const int64_t *>(value.list)[i]));
    else if (value.type == NEREID_TYPE_F64_LIST)
      putWord(out, std::bit_cast<uint64_t>(
                       static_cast<const double *>(value.list)[i]));
    else
      putText(out, static_cast<const nereid_string_t *>(value.list)[i]);
}

std::string Values::encode() const {
  std::string out;
  putWord(out, static_cast<uint32_t>(views.size()));
  for (const nereid_value_t &value : views) {
    putWord(out, static_cast<uint32_t>(value.type));
    putText(out, value.name);
    putPayload(out, value);
  }
  return out;
}

namespace {
/// Reads from the front of some bytes; once something is missing it stays
/// failed and gives zeros.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  template <typename Word> Word word() {
    Word value = 0;
    std::string_view bytes = take(sizeof value);
    for (size_t i = 0; i < bytes.size(); ++i)
      value |= static_cast<Word>(static_cast<unsigned char>(bytes[i]))
               << (8 * i);
    return value;
  }
  std::string_view text() { return take(word<uint32_t>()); }

  /// A count of items of which each takes at least \p itemSize bytes, so that
  /// a wrong count cannot ask for more memory than the input is worth.
  uint32_t count(size_t itemSize) {
    uint32_t items = word<uint32_t>();
    if (items > rest.size() / itemSize)
      failed = true;
    return failed ? 0 : items;
  }

  bool failed = false;
  std::string_view rest;

private:
  std::string_view take(size_t size) {
    if (failed || size > rest.size()) {
      failed = true;
      return {};
    }
    std::string_view bytes = rest.substr(0, size);
    rest.remove_prefix(size);
    return bytes;
  }
};

/// What a value read from bytes points into until it is copied.
struct ListStorage {
  std::vector<int64_t> integers;
  std::vector<double> doubles;
  std::vector<nereid_string_t> strings;
};
} // namespace

static void readList(Reader &reader, nereid_value_t &value,
                     ListStorage &storage) {
  value.list_size = reader.count(value.type == NEREID_TYPE_STRING_LIST ? 4 : 8);
  for (uint64_t i = 0; i < value.list_size; ++i)
    if (value.type == NEREID_TYPE_I64_LIST)
      storage.integers.push_back(static_cast<int64_t>(reader.word<uint64_t>()));
    else if (value.type == NEREID_TYPE_F64_LIST)
      storage.doubles.push_back(std::bit_cast<double>(reader.word<uint64_t>()));
    else
      storage.strings.push_back(borrow(reader.text()));
  value.list = value.type == NEREID_TYPE_I64_LIST
                   ? static_cast<const void *>(storage.integers.data())
               : value.type == NEREID_TYPE_F64_LIST
                   ? static_cast<const void *>(storage.doubles.data())
                   : static_cast<const void *>(storage.strings.data());
}

static void readPayload(Reader &reader, nereid_value_t &value,
                        ListStorage &storage) {
  switch (value.type) {
  case NEREID_TYPE_I64:
  case NEREID_TYPE_BOOL:
    value.i64 = static_cast<int64_t>(reader.word<uint64_t>());
    return;
  case NEREID_TYPE_F64:
    value.f64 = std::bit_cast<double>(reader.word<uint64_t>());
    return;
  case NEREID_TYPE_STRING:
  case NEREID_TYPE_BYTES:
    value.text = borrow(reader.text());
    return;
  case NEREID_TYPE_I64_LIST:
  case NEREID_TYPE_F64_LIST:
  case NEREID_TYPE_STRING_LIST:
    return readList(reader, value, storage);
  default:
    reader.failed = true;
  }
}

Result<Values> Values::decode(std::string_view bytes) {
  Reader reader(bytes);
  Values values;
  uint32_t count = reader.count(12); // type, size of the name, payload
  for (uint32_t i = 0; i < count && !reader.failed; ++i) {
    nereid_value_t value = {};
    ListStorage storage;
    value.type = static_cast<nereid_type_t>(reader.word<uint32_t>());
    value.name = borrow(reader.text());
    readPayload(reader, value, storage);
    if (reader.failed || !values.add(value) || values.views.size() != i + 1)
      return Failure{NEREID_INVALID_ARGUMENT, "value " + std::to_string(i) +
                                                  " of the metadata is "
                                                  "malformed"};
  }
  if (reader.failed || !reader.rest.empty())
    return Failure{NEREID_INVALID_ARGUMENT,
                   "the metadata's length does not fit its contents"};
  return values;
}

} // namespace nereid::host
