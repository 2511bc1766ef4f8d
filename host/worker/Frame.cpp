// Frame.cpp - encodes and decodes frames.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Frame.h"

#include <array>

namespace nereid::worker {

static constexpr std::string_view magic = "nereidWK";

const std::string *Message::blob(std::string_view name) const {
  for (const Blob &blob : blobs)
    if (blob.name == name)
      return &blob.bytes;
  return nullptr;
}

std::string *Message::blob(std::string_view name) {
  return const_cast<std::string *>(
      static_cast<const Message &>(*this).blob(name));
}

// ---------------------------------------------------------------- digest
namespace {
/// Eight tables: eight bytes are processed at once.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;
} // namespace

static constexpr CrcTables makeTables() {
  CrcTables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ (value & 1 ? 0xedb88320u : 0);
    tables[0][byte] = value;
  }
  for (size_t table = 1; table < tables.size(); ++table)
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t value = tables[table - 1][byte];
      tables[table][byte] = (value >> 8) ^ tables[0][value & 0xff];
    }
  return tables;
}

static constexpr CrcTables crcTables = makeTables();

uint32_t crc32(std::string_view bytes, uint32_t seed) {
  uint32_t value = ~seed;
  const auto *at = reinterpret_cast<const unsigned char *>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint32_t low = value ^ (at[0] | uint32_t(at[1]) << 8 |
                            uint32_t(at[2]) << 16 | uint32_t(at[3]) << 24);
    value = crcTables[7][low & 0xff] ^ crcTables[6][(low >> 8) & 0xff] ^
            crcTables[5][(low >> 16) & 0xff] ^ crcTables[4][low >> 24] ^
            crcTables[3][at[4]] ^ crcTables[2][at[5]] ^ crcTables[1][at[6]] ^
            crcTables[0][at[7]];
  }
  for (; left; --left, ++at)
    value = (value >> 8) ^ crcTables[0][(value ^ *at) & 0xff];
  return ~value;
}

// ---------------------------------------------------------------- integers
static void put(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>(value >> (8 * i));
}

static uint64_t get(std::string_view bytes, size_t offset, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= uint64_t(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  return value;
}

// ---------------------------------------------------------------- frames
std::string encodeFrame(const Message &message) {
  Json header = message.header;
  if (!message.blobs.empty()) {
    Json list = Json::array();
    for (const Blob &blob : message.blobs)
      list.push_back({blob.name, blob.bytes.size()});
    header["blobs"] = std::move(list);
  }
  // Text that is not UTF-8, such as the name of a file, is repaired.
  std::string text =
      header.dump(-1, ' ', false, Json::error_handler_t::replace);
  uint64_t bodySize = 0;
  uint32_t digest = crc32(text);
  for (const Blob &blob : message.blobs) {
    bodySize += blob.bytes.size();
    digest = crc32(blob.bytes, digest);
  }
  std::string frame;
  frame.reserve(FrameHead::size + text.size() + bodySize);
  frame += magic;
  put(frame, protocolVersion, 4);
  put(frame, static_cast<uint32_t>(message.kind), 4);
  put(frame, message.number, 8);
  put(frame, text.size(), 8);
  put(frame, bodySize, 8);
  put(frame, digest, 4);
  put(frame, crc32(frame), 4);
  frame += text;
  for (const Blob &blob : message.blobs)
    frame += blob.bytes;
  return frame;
}

std::string parseHead(std::string_view bytes, FrameHead &out) {
  if (bytes.size() < FrameHead::size)
    return "a frame of " + std::to_string(bytes.size()) +
           " bytes is shorter than its head of " +
           std::to_string(FrameHead::size);
  if (!bytes.starts_with(magic))
    return "what was received is not a frame: it does not start with '" +
           std::string(magic) + "'";
  // Before the digest: another version may place it elsewhere.
  uint64_t version = get(bytes, 8, 4);
  if (version != protocolVersion)
    return "the frame is of version " + std::to_string(version) +
           " of the protocol, expected " + std::to_string(protocolVersion);
  if (get(bytes, 44, 4) != crc32(bytes.substr(0, 44)))
    return "the head of the frame does not match its digest";
  uint64_t kind = get(bytes, 12, 4);
  if (kind < static_cast<uint32_t>(Kind::Hello) ||
      kind > static_cast<uint32_t>(Kind::Event))
    return "the frame is of unknown kind " + std::to_string(kind);
  out.kind = static_cast<Kind>(kind);
  out.number = get(bytes, 16, 8);
  out.headerSize = get(bytes, 24, 8);
  out.bodySize = get(bytes, 32, 8);
  out.digest = static_cast<uint32_t>(get(bytes, 40, 4));
  if (out.headerSize > FrameHead::mostHeader ||
      out.bodySize > FrameHead::mostBody)
    return "the frame has a header of " + std::to_string(out.headerSize) +
           " and a body of " + std::to_string(out.bodySize) +
           " bytes, expected at most " + std::to_string(FrameHead::mostHeader) +
           " and " + std::to_string(FrameHead::mostBody);
  return {};
}

// Takes the blobs out of `body`, in the order of the list in the header.
static std::string parseBlobs(const Json &list, std::string_view body,
                              std::vector<Blob> &out) {
  if (!list.is_array())
    return "the blobs of the frame are not listed in an array";
  for (const Json &item : list) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_string() ||
        !item[1].is_number_unsigned())
      return "a blob of the frame is not listed as a name and a size";
    uint64_t size = item[1].get<uint64_t>();
    if (size > body.size())
      return "the blobs of the frame are larger than its body";
    out.push_back({item[0].get<std::string>(), std::string(body, 0, size)});
    body.remove_prefix(size);
  }
  if (!body.empty())
    return "the body of the frame is larger than its blobs";
  return {};
}

std::string parsePayload(const FrameHead &head, std::string_view payload,
                         Message &out) {
  if (payload.size() != head.payloadSize())
    return "the frame has " + std::to_string(payload.size()) +
           " bytes after its head, expected " +
           std::to_string(head.payloadSize());
  if (crc32(payload) != head.digest)
    return "the frame does not match its digest";
  Message message;
  message.kind = head.kind;
  message.number = head.number;
  message.header =
      Json::parse(payload.substr(0, head.headerSize), nullptr, false);
  if (!message.header.is_object())
    return "the header of the frame is not a JSON object";
  auto list = message.header.find("blobs");
  if (list == message.header.end() && head.bodySize)
    return "the body of the frame is larger than its blobs";
  if (list != message.header.end()) {
    std::string problem =
        parseBlobs(*list, payload.substr(head.headerSize), message.blobs);
    if (!problem.empty())
      return problem;
    message.header.erase(list);
  }
  out = std::move(message);
  return {};
}

} // namespace nereid::worker
