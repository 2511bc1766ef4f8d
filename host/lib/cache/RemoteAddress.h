// RemoteAddress.h - where a remote cache is: the value of NEREID_CACHE_REMOTE.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CACHE_REMOTE_ADDRESS_H
#define NEREID_HOST_CACHE_REMOTE_ADDRESS_H

#include "support/Result.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace nereid::host {

/// redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?timeout_ms=N]
struct RemoteAddress {
  std::string host;
  uint16_t port = 6379;
  std::string user, password;
  uint32_t database = 0;
  /// How long a lookup waits until the server begins to answer.
  std::chrono::milliseconds timeout{50};

  /// A failure never quotes \p text, which may hold a password.
  static Result<RemoteAddress> parse(std::string_view text);
  /// For messages: without user and password.
  std::string text() const;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_REMOTE_ADDRESS_H
