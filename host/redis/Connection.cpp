// Connection.cpp - connects to a Redis server and runs commands.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "redis/Connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace nereid::redis {

// Waits until the socket is ready for `events`; false if the deadline comes
// first.
static bool waitFor(int socket, short events, Clock::time_point deadline) {
  while (true) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0)
      return false;
    pollfd wait = {socket, events, 0};
    int most = static_cast<int>(std::min<int64_t>(left.count(), 60'000));
    if (poll(&wait, 1, most) > 0)
      return true;
  }
}

std::string printable(std::string_view text) {
  constexpr size_t most = 200;
  std::string result(text.substr(0, most));
  for (char &c : result)
    if (c < ' ' || c > '~')
      c = '?';
  return result;
}

void Connection::close() {
  if (socket >= 0)
    ::close(socket);
  socket = -1;
}

Answer Connection::fail(Answer::End end, std::string problem) {
  close();
  return {end, {}, std::move(problem)};
}

// A connected socket, or -1 and an errno value.
static int connectTo(const addrinfo &address, Clock::time_point deadline,
                     int &error) {
  int socket = ::socket(address.ai_family,
                        address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                        address.ai_protocol);
  if (socket < 0) {
    error = errno;
    return -1;
  }
  error = 0;
  if (connect(socket, address.ai_addr, address.ai_addrlen) != 0)
    error = errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    if (!waitFor(socket, POLLOUT, deadline))
      error = ETIMEDOUT;
    else if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
      error = errno;
  }
  if (!error)
    return socket;
  ::close(socket);
  return -1;
}

std::string Connection::expectOk(const std::vector<std::string_view> &words,
                                 const char *what, Clock::time_point deadline) {
  Answer answer = ask(words, {deadline, deadline}, 0);
  if (answer.end != Answer::End::Answered)
    return answer.problem;
  if (answer.reply.kind == Reply::Kind::Text)
    return {};
  close();
  return std::string("the server refuses ") + what + ": " +
         printable(answer.reply.text);
}

std::string Connection::open(const Server &server, Clock::time_point deadline) {
  if (isOpen())
    return {};
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (int error = getaddrinfo(server.host.c_str(), server.port.c_str(), &wanted,
                              &found))
    return std::string("the name of the host is not found: ") +
           gai_strerror(error);
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo *each = found; each && socket < 0; each = each->ai_next)
    socket = connectTo(*each, deadline, error);
  if (socket < 0)
    return std::string("it cannot be reached: ") + std::strerror(error);
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  std::vector<std::string_view> words = {"AUTH"};
  if (!server.user.empty())
    words.push_back(server.user);
  words.push_back(server.password);
  if (!server.password.empty())
    if (std::string problem = expectOk(words, "the password", deadline);
        !problem.empty())
      return problem;
  if (server.database)
    return expectOk({"SELECT", std::to_string(server.database)}, "the database",
                    deadline);
  return {};
}

// A command as an array of values, but the last value's bytes and end.
static std::string headOf(const std::vector<std::string_view> &words) {
  std::string head = "*" + std::to_string(words.size()) + "\r\n";
  for (size_t i = 0; i < words.size(); ++i) {
    head += "$" + std::to_string(words[i].size()) + "\r\n";
    if (i + 1 == words.size())
      break;
    head += words[i];
    head += "\r\n";
  }
  return head;
}

Answer Connection::ask(const std::vector<std::string_view> &words,
                       Deadlines deadlines, uint64_t mostBytes,
                       const std::function<void(uint64_t)> &arriving) {
  using End = Answer::End;
  std::string head = headOf(words);
  const std::string_view pieces[] = {head, words.back(), "\r\n"};
  for (std::string_view piece : pieces)
    while (!piece.empty()) {
      // A large value takes its time without an answer.
      if (!waitFor(socket, POLLOUT, deadlines.whole))
        return fail(End::Failed, "it does not read what is sent");
      ssize_t sent = send(socket, piece.data(), piece.size(), MSG_NOSIGNAL);
      if (sent > 0)
        piece.remove_prefix(static_cast<size_t>(sent));
      else if (errno == EPIPE || errno == ECONNRESET)
        return fail(End::Closed, "it closed the connection");
      else if (errno != EAGAIN && errno != EINTR)
        return fail(End::Failed, std::strerror(errno));
    }

  ReplyReader reader(mostBytes);
  auto state = ReplyReader::State::Incomplete;
  bool hasBegun = false, isAnnounced = false;
  std::vector<char> buffer(1 << 16);
  while (state == ReplyReader::State::Incomplete) {
    if (!waitFor(socket, POLLIN, hasBegun ? deadlines.whole : deadlines.answer))
      return fail(End::Failed, hasBegun ? "its answer does not end in time"
                                        : "it does not answer in time");
    ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (got <= 0 && hasBegun)
      return fail(End::Failed, "it closed the connection within an answer");
    if (got <= 0)
      return fail(got == 0 || errno == ECONNRESET ? End::Closed : End::Failed,
                  got == 0 ? "it closed the connection" : std::strerror(errno));
    hasBegun = true;
    state = reader.feed({buffer.data(), static_cast<size_t>(got)});
    if (reader.announced() && !isAnnounced && arriving)
      arriving(*reader.announced());
    isAnnounced = reader.announced().has_value();
  }
  if (state == ReplyReader::State::TooLarge)
    return fail(End::TooLarge, reader.problem());
  if (state == ReplyReader::State::Malformed)
    return fail(End::Failed,
                "it does not answer like a Redis server: " + reader.problem());
  return {End::Answered, reader.take(), {}};
}

} // namespace nereid::redis
