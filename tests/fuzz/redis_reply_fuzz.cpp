// redis_reply_fuzz.cpp - nothing that a Redis server sends makes the reader of
// replies crash, and what it finds does not depend on how the bytes arrive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "redis/Reply.h"

#include <algorithm>
#include <cstdlib>

using namespace nereid::redis;
using State = ReplyReader::State;

static constexpr uint64_t mostBytes = 1000;

static bool isOver(State state) { return state != State::Incomplete; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  // The first byte is the size of the pieces.
  size_t step = std::max<size_t>(data[0], 1);
  std::string_view bytes(reinterpret_cast<const char *>(data + 1), size - 1);

  ReplyReader whole(mostBytes), pieces(mostBytes);
  State expected = whole.feed(bytes);
  State found = State::Incomplete;
  size_t fed = 0;
  while (fed < bytes.size() && (!isOver(found) || found == State::Complete)) {
    found = pieces.feed(bytes.substr(fed, step));
    fed = std::min(fed + step, bytes.size());
  }
  if (found != expected || pieces.announced() != whole.announced() ||
      pieces.problem() != whole.problem())
    std::abort();
  if (pieces.reply().text.size() > bytes.size() ||
      pieces.reply().text.size() > std::max<uint64_t>(mostBytes, 1024))
    std::abort(); // more than was sent, or allowed
  if (expected != State::Complete)
    return 0;
  const Reply &reply = whole.reply();
  if (pieces.reply().kind != reply.kind || pieces.reply().text != reply.text)
    std::abort();
  // What was read is all that was sent.
  std::string written;
  switch (reply.kind) {
  case Reply::Kind::Text:
    written = "+" + reply.text;
    break;
  case Reply::Kind::Error:
    written = "-" + reply.text;
    break;
  case Reply::Kind::Integer:
    written = ":" + reply.text;
    break;
  case Reply::Kind::Nothing:
    written = "$-1";
    break;
  case Reply::Kind::Bytes: // its size may have been written with zeros
    if (!bytes.ends_with("\r\n" + reply.text + "\r\n"))
      std::abort();
    return 0;
  }
  bool isSame = written + "\r\n" == bytes ||
                (reply.kind == Reply::Kind::Nothing && bytes.starts_with("$-"));
  if (!isSame)
    std::abort();
  return 0;
}
