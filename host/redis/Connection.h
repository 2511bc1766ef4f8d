// Connection.h - one connection to a Redis server, with a deadline for
// everything.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_REDIS_CONNECTION_H
#define NEREID_HOST_REDIS_CONNECTION_H

#include "redis/Reply.h"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::redis {

using Clock = std::chrono::steady_clock;

struct Server {
  std::string host, port;     ///< as getaddrinfo() takes them
  std::string user, password; ///< empty: none
  uint32_t database = 0;
};

/// When a command must be over.
struct Deadlines {
  Clock::time_point answer; ///< until the server begins to answer
  Clock::time_point whole;  ///< until it has answered
};

struct Answer {
  enum class End {
    Answered, ///< `reply`, which may be an error of the server
    Closed,   ///< the server closed the connection before it answered
    TooLarge, ///< the value is larger than was allowed
    Failed
  };
  End end = End::Answered;
  Reply reply;
  std::string problem; ///< what happened, unless Answered
};

class Connection {
public:
  Connection() = default;
  ~Connection() { close(); }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  bool isOpen() const { return socket >= 0; }
  void close();

  /// Connects, authenticates and selects the database, if that is needed.
  /// Returns what failed; empty if nothing did. Looking a name up is the
  /// system's, which knows no deadline.
  std::string open(const Server &server, Clock::time_point deadline);

  /// Sends a command of \p words and reads its reply, whose value may have
  /// \p mostBytes. \p arriving, if given, is called once when a value begins to
  /// arrive, with its size. The connection is closed after anything but
  /// Answered.
  Answer ask(const std::vector<std::string_view> &words, Deadlines deadlines,
             uint64_t mostBytes,
             const std::function<void(uint64_t)> &arriving = {});

private:
  Answer fail(Answer::End end, std::string problem);
  std::string expectOk(const std::vector<std::string_view> &words,
                       const char *what, Clock::time_point deadline);

  int socket = -1;
};

/// Text of a server as printable ASCII, of limited length.
std::string printable(std::string_view text);

} // namespace nereid::redis

#endif // NEREID_HOST_REDIS_CONNECTION_H
