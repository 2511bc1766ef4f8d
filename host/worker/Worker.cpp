// Worker.cpp - sends requests and receives answers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Worker.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace nereid::worker {

Exchange Worker::fail(End end, std::string problem) {
  Exchange exchange;
  exchange.end = end;
  // One that ended has written its last words; any other is ended now.
  std::string how =
      process->collect(std::chrono::milliseconds(end == End::Ended ? 2000 : 0));
  exchange.problem = end == End::Ended ? how : std::move(problem);
  exchange.output = process->output();
  return exchange;
}

// False if the worker no longer reads.
bool Worker::sendSome(std::string_view &toSend) {
  while (!toSend.empty()) {
    ssize_t sent = send(process->socket(), toSend.data(), toSend.size(),
                        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0)
      return errno == EAGAIN || errno == EINTR;
    toSend.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// False at the end of the stream.
bool Worker::readSome() {
  char buffer[65536];
  ssize_t got = recv(process->socket(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (got > 0)
    received.append(buffer, static_cast<size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// Takes the first frame out of what was received, if it is complete. Returns
// what is wrong with it.
std::optional<std::string> Worker::takeFrame(Message &out, bool &isThere) {
  isThere = false;
  if (received.size() < FrameHead::size) {
    // A worker that prints to its socket is noticed before 48 bytes are there.
    constexpr std::string_view start = "nereidWK";
    size_t known = std::min(received.size(), start.size());
    if (std::string_view(received).substr(0, known) == start.substr(0, known))
      return std::nullopt;
    return "what was received is not a frame: it does not start with '" +
           std::string(start) + "'";
  }
  FrameHead head;
  if (std::string problem = parseHead(received, head); !problem.empty())
    return problem;
  uint64_t size = FrameHead::size + head.payloadSize();
  if (received.size() < size) {
    received.reserve(size);
    return std::nullopt;
  }
  std::string problem = parsePayload(
      head,
      std::string_view(received).substr(FrameHead::size, head.payloadSize()),
      out);
  if (!problem.empty())
    return problem;
  received.erase(0, size);
  isThere = true;
  return std::nullopt;
}

/// Milliseconds to wait at once: cancellation is looked at that often, and a
/// time limit is kept to the millisecond.
static int sliceOf(Clock::duration left) {
  constexpr std::chrono::milliseconds longest(20);
  return static_cast<int>(
      std::min(longest, std::chrono::ceil<std::chrono::milliseconds>(left))
          .count());
}

Exchange Worker::receive(std::string_view toSend, Kind expected,
                         const Limits &limits) {
  Clock::time_point deadline = Clock::now() + limits.time;
  while (true) {
    Message message;
    bool isThere = false;
    if (std::optional<std::string> problem = takeFrame(message, isThere))
      return fail(End::Garbled, *problem);
    if (isThere && message.number != number)
      return fail(End::Garbled, "the frame belongs to request " +
                                    std::to_string(message.number) +
                                    ", expected " + std::to_string(number));
    if (isThere && message.kind == Kind::Event && expected == Kind::Answer) {
      if (limits.event)
        limits.event(message);
      continue;
    }
    if (isThere && message.kind != expected)
      return fail(End::Garbled,
                  "the frame is of kind " +
                      std::to_string(static_cast<uint32_t>(message.kind)) +
                      ", expected " +
                      std::to_string(static_cast<uint32_t>(expected)));
    if (isThere) {
      process->readOutput();
      Exchange exchange;
      exchange.answer = std::move(message);
      exchange.output = process->output();
      process->forgetOutput();
      return exchange;
    }
    if (limits.isCancelled && limits.isCancelled())
      return fail(End::Cancelled, "it was cancelled");
    Clock::duration left = deadline - Clock::now();
    if (left <= Clock::duration::zero())
      return fail(End::Late, "it did not answer within " +
                                 std::to_string(limits.time.count()) + " ms");
    // Asked before the socket is read: all that it sent is there then.
    bool isOver = process->hasEnded();
    pollfd waits[2] = {
        {process->socket(),
         static_cast<short>(POLLIN | (toSend.empty() ? 0 : POLLOUT)), 0},
        {process->outputPipe(), POLLIN, 0}};
    int waitMs = isOver ? 0 : sliceOf(left);
    poll(waits, 2, waitMs);
    if (waits[1].revents & POLLIN)
      process->readOutput();
    // Once it has closed its output the poll would return at once, for ever.
    else if (waits[1].revents && !(waits[0].revents))
      poll(waits, 1, waitMs);
    if ((waits[0].revents & POLLOUT) && !sendSome(toSend))
      toSend = {}; // it has ended, or reads no more; what it sent follows
    size_t before = received.size();
    bool isOpen =
        !(waits[0].revents & (POLLIN | POLLHUP | POLLERR)) || readSome();
    if (!isOpen || (isOver && received.size() == before))
      return fail(End::Ended, {});
  }
}

Exchange Worker::greet(const Limits &limits) {
  return receive({}, Kind::Hello, limits);
}

Exchange Worker::ask(Message request, const Limits &limits) {
  request.kind = Kind::Request;
  request.number = ++number;
  std::string frame = encodeFrame(request);
  return receive(frame, Kind::Answer, limits);
}

} // namespace nereid::worker
