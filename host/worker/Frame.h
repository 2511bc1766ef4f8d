// Frame.h - the messages that cross the socket between a process and its
// worker, as bytes: docs/workers.md is their specification.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_WORKER_FRAME_H
#define NEREID_HOST_WORKER_FRAME_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::worker {

using Json = nlohmann::ordered_json;

/// The version of the protocol: both sides must speak the same.
constexpr uint32_t protocolVersion = 1;

enum class Kind : uint32_t {
  Hello = 1,   ///< of a worker, once, when it is ready
  Request = 2, ///< to a worker
  Answer = 3,  ///< of a worker, one for each request
  Event = 4    ///< of a worker, before its answer
};

/// Named bytes that travel beside the JSON.
struct Blob {
  std::string name, bytes;
};

struct Message {
  Kind kind = Kind::Request;
  uint64_t number = 0; ///< of the request; 0 in a hello
  Json header = Json::object();
  std::vector<Blob> blobs;

  /// The bytes of blob \p name; null if there is none.
  const std::string *blob(std::string_view name) const;
  std::string *blob(std::string_view name);
};

/// The fixed part of a frame.
struct FrameHead {
  static constexpr size_t size = 48;
  /// What a frame may have, so that a damaged one does not exhaust memory.
  static constexpr uint64_t mostHeader = uint64_t(64) << 20;
  static constexpr uint64_t mostBody = uint64_t(2) << 30;

  Kind kind = Kind::Request;
  uint64_t number = 0;
  uint64_t headerSize = 0, bodySize = 0;
  uint32_t digest = 0; // of header and body

  uint64_t payloadSize() const { return headerSize + bodySize; }
};

/// CRC-32 as in zlib and PNG, continued from \p seed.
uint32_t crc32(std::string_view bytes, uint32_t seed = 0);

std::string encodeFrame(const Message &message);

/// Reads the first FrameHead::size bytes of \p bytes. Returns what is wrong
/// with them; empty if nothing is.
std::string parseHead(std::string_view bytes, FrameHead &out);

/// Reads \p payload, of head.payloadSize() bytes. Returns what is wrong with
/// it; empty if nothing is.
std::string parsePayload(const FrameHead &head, std::string_view payload,
                         Message &out);

} // namespace nereid::worker

#endif // NEREID_HOST_WORKER_FRAME_H
