// Serve.cpp - receives requests and sends answers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "worker/Serve.h"

#include "worker/Process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>

namespace nereid::worker {

static bool sendAll(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = send(workerSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return false;
    if (sent > 0)
      bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

static bool receiveExactly(std::string &out, uint64_t size) {
  out.resize(size);
  for (uint64_t done = 0; done < size;) {
    ssize_t got = recv(workerSocket, out.data() + done, size - done, 0);
    if (got == 0 || (got < 0 && errno != EINTR))
      return false;
    if (got > 0)
      done += static_cast<uint64_t>(got);
  }
  return true;
}

int serve(const Json &hello,
          const std::function<Message(Message, const SendEvent &)> &answer) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Programs that this one starts do not keep the socket open.
  fcntl(workerSocket, F_SETFD, FD_CLOEXEC);
  Message greeting;
  greeting.kind = Kind::Hello;
  greeting.header = hello;
  if (!sendAll(encodeFrame(greeting)))
    return 1;
  // Ends the process while it compiles, if nobody wants the result any more.
  std::thread([] {
    pollfd wait = {workerSocket, POLLRDHUP, 0};
    while (poll(&wait, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }).detach();
  std::mutex sending;
  while (true) {
    std::string bytes;
    FrameHead head;
    Message request;
    if (!receiveExactly(bytes, FrameHead::size))
      return 0; // the other side has closed it
    std::string problem = parseHead(bytes, head);
    if (problem.empty()) {
      if (!receiveExactly(bytes, head.payloadSize()))
        return 0;
      problem = parsePayload(head, bytes, request);
    }
    if (problem.empty() && head.kind != Kind::Request)
      problem = "the frame is not a request";
    if (!problem.empty()) {
      std::fprintf(stderr, "worker: %s\n", problem.c_str());
      return 2;
    }
    uint64_t number = request.number;
    SendEvent event = [&](const Json &header) {
      Message message;
      message.kind = Kind::Event;
      message.number = number;
      message.header = header;
      std::lock_guard lock(sending);
      sendAll(encodeFrame(message));
    };
    Message reply = answer(std::move(request), event);
    reply.kind = Kind::Answer;
    reply.number = number;
    std::fflush(nullptr); // what was printed comes before the answer
    std::lock_guard lock(sending);
    if (!sendAll(encodeFrame(reply)))
      return 1;
  }
}

} // namespace nereid::worker
