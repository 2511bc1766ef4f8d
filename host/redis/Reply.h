// Reply.h - reads what a Redis server sends: replies of its protocol, RESP 2.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The server is not trusted: a reply that is malformed, of an unexpected type
// or larger than was allowed is refused, and nothing is allocated before the
// bytes for it have arrived.

#ifndef NEREID_HOST_REDIS_REPLY_H
#define NEREID_HOST_REDIS_REPLY_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::redis {

struct Reply {
  enum class Kind {
    Text,    ///< "+OK"
    Error,   ///< "-ERR ...": the text without its dash
    Integer, ///< ":1": its digits
    Bytes,   ///< "$5": the value of a key
    Nothing  ///< "$-1": there is no such key
  };
  Kind kind = Kind::Nothing;
  std::string text;
};

/// Reads one reply, which may arrive in any number of pieces.
class ReplyReader {
public:
  /// \p mostBytes is the size of the largest value that is accepted.
  explicit ReplyReader(uint64_t mostBytes) : mostBytes(mostBytes) {}

  enum class State {
    Incomplete,
    Complete, ///< reply() is all that was sent
    TooLarge, ///< a value above the limit is announced, see problem()
    Malformed ///< see problem()
  };
  /// Continues with \p bytes, the next that the server sent. Bytes after the
  /// end of the reply are malformed: nothing was asked that they could answer.
  State feed(std::string_view bytes);

  /// The size of the value that is arriving, once it is known.
  std::optional<uint64_t> announced() const { return size; }
  const Reply &reply() const { return result; }
  Reply take() { return std::move(result); }
  /// What is wrong, for a person.
  const std::string &problem() const { return wrong; }

private:
  State malformed(std::string text);
  State readLine();
  State readValue();

  const uint64_t mostBytes;
  State state = State::Incomplete;
  std::string line;      // the first of the reply, as far as it has arrived
  bool isLine = true;    // still reading it
  std::string_view rest; // of the bytes that are fed
  std::optional<uint64_t> size;
  size_t ends = 0; // how many bytes of the final "\r\n" were read
  Reply result;
  std::string wrong;
};

} // namespace nereid::redis

#endif // NEREID_HOST_REDIS_REPLY_H
