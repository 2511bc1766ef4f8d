// worker_frame_fuzz.cpp - nothing that a worker sends makes its reader crash,
// and what the reader accepts is written in the same way.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Frame.h"

#include <cstdlib>
#include <cstring>

using namespace nereid::worker;

static void check(std::string_view bytes) {
  FrameHead head;
  if (!parseHead(bytes, head).empty())
    return;
  std::string_view rest = bytes.substr(FrameHead::size);
  if (head.payloadSize() > rest.size())
    return;
  Message message;
  if (!parsePayload(head, rest.substr(0, head.payloadSize()), message).empty())
    return;
  std::string frame = encodeFrame(message);
  Message again;
  if (!parseHead(frame, head).empty() ||
      !parsePayload(head, std::string_view(frame).substr(FrameHead::size),
                    again)
           .empty())
    std::abort(); // what was read cannot be written
  if (again.blobs.size() != message.blobs.size() ||
      again.header != message.header)
    std::abort();
}

static void put(std::string &out, size_t offset, uint32_t value) {
  for (int i = 0; i < 4; ++i)
    out[offset + i] = static_cast<char>(value >> (8 * i));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  check(bytes);
  if (size < FrameHead::size)
    return 0;
  // No fuzzer guesses a digest, so what lies behind them is reached by sealing
  // the input.
  bytes.replace(0, 8, "nereidWK");
  put(bytes, 8, protocolVersion);
  put(bytes, 40, crc32(std::string_view(bytes).substr(FrameHead::size)));
  put(bytes, 44, crc32(std::string_view(bytes).substr(0, 44)));
  check(bytes);
  return 0;
}
