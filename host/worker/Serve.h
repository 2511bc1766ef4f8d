// Serve.h - the worker's side, for workers in C++.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_WORKER_SERVE_H
#define NEREID_HOST_WORKER_SERVE_H

#include "worker/Frame.h"

#include <functional>

namespace nereid::worker {

/// Sends events of the request that is being answered. Any thread may call it.
using SendEvent = std::function<void(const Json &header)>;

/// Asks the system to end this process with its parent, says hello with
/// \p hello, and answers requests with what \p answer returns until the socket
/// is closed. Returns the status to exit with.
int serve(
    const Json &hello,
    const std::function<Message(Message request, const SendEvent &)> &answer);

} // namespace nereid::worker

#endif // NEREID_HOST_WORKER_SERVE_H
