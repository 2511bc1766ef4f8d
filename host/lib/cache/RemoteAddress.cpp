// RemoteAddress.cpp - reads the address of a remote cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/RemoteAddress.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace nereid::host {

static Failure wrong(std::string text) {
  return {NEREID_INVALID_ARGUMENT, std::move(text)};
}

template <typename Number>
static std::optional<Number> parseNumber(std::string_view text, Number least,
                                         Number most) {
  Number value = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value < least || value > most)
    return std::nullopt;
  return value;
}

// "%40" is "@".
static std::optional<std::string> decodePercent(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    uint8_t byte = 0;
    if (i + 2 >= text.size())
      return std::nullopt;
    const char *digits = text.data() + i + 1;
    auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
    if (error != std::errc() || end != digits + 2)
      return std::nullopt;
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

// Cuts `text` at the first `mark`; returns what follows it, if it is there.
static std::optional<std::string_view> cut(std::string_view &text, char mark) {
  size_t at = text.find(mark);
  if (at == text.npos)
    return std::nullopt;
  std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

static Outcome readLogin(std::string_view login, RemoteAddress &address) {
  std::optional<std::string_view> given = cut(login, ':');
  if (!given || given->empty())
    return wrong("'@' follows no password, expected ':PASSWORD@' or "
                 "'USER:PASSWORD@'");
  std::optional<std::string> user = decodePercent(login);
  std::optional<std::string> password = decodePercent(*given);
  if (!user || !password)
    return wrong("a '%' in the user or password is not followed by two "
                 "hexadecimal digits");
  address.user = std::move(*user);
  address.password = std::move(*password);
  return {};
}

static Outcome readHost(std::string_view text, RemoteAddress &address) {
  std::optional<std::string_view> port;
  if (text.starts_with('[')) { // an address of IPv6, which has colons
    text.remove_prefix(1);
    std::optional<std::string_view> rest = cut(text, ']');
    if (!rest || (!rest->empty() && !rest->starts_with(':')))
      return wrong("'[' begins an address of IPv6, expected ']' or ']:PORT' "
                   "after it");
    if (!rest->empty())
      port = rest->substr(1);
  } else {
    port = cut(text, ':');
  }
  bool isName = std::all_of(text.begin(), text.end(),
                            [](char c) { return c > ' ' && c <= '~'; });
  if (text.empty() || !isName)
    return wrong("it names no host, expected 'redis://HOST[:PORT]'");
  address.host = text;
  if (!port)
    return {};
  std::optional<uint16_t> number = parseNumber<uint16_t>(*port, 1, 65535);
  if (!number)
    return wrong("the port is not a number from 1 to 65535");
  address.port = *number;
  return {};
}

static Outcome readQuery(std::string_view query, RemoteAddress &address) {
  std::string_view key = query;
  std::optional<std::string_view> value = cut(key, '=');
  if (key != "timeout_ms" || !value)
    return wrong("unknown setting '" + std::string(key) +
                 "' after '?', expected 'timeout_ms=N'");
  std::optional<uint32_t> number = parseNumber<uint32_t>(*value, 1, 60000);
  if (!number)
    return wrong("timeout_ms is not a number from 1 to 60000");
  address.timeout = std::chrono::milliseconds(*number);
  return {};
}

Result<RemoteAddress> RemoteAddress::parse(std::string_view text) {
  constexpr std::string_view scheme = "redis://", encrypted = "rediss://";
  if (text.starts_with(encrypted))
    return wrong("encrypted connections (rediss) are not supported; use a "
                 "tunnel to the server and 'redis://'");
  if (!text.starts_with(scheme))
    return wrong("it does not start with 'redis://', expected "
                 "'redis://HOST[:PORT][/DATABASE]'");
  text.remove_prefix(scheme.size());
  RemoteAddress address;
  // A password may have any character, encoded or not, so its end is looked for
  // from the right.
  if (size_t at = text.rfind('@'); at != text.npos) {
    if (Outcome read = readLogin(text.substr(0, at), address); !read)
      return read.failure();
    text.remove_prefix(at + 1);
  }
  std::optional<std::string_view> query = cut(text, '?');
  std::optional<std::string_view> database = cut(text, '/');
  if (Outcome read = readHost(text, address); !read)
    return read.failure();
  if (database && !database->empty()) {
    std::optional<uint32_t> number =
        parseNumber<uint32_t>(*database, 0, 1'000'000);
    if (!number)
      return wrong("the database is not a number from 0 to 1000000");
    address.database = *number;
  }
  if (query)
    if (Outcome read = readQuery(*query, address); !read)
      return read.failure();
  return address;
}

std::string RemoteAddress::text() const {
  bool hasColons = host.find(':') != host.npos;
  return "redis://" + (hasColons ? "[" + host + "]" : host) + ":" +
         std::to_string(port) + "/" + std::to_string(database);
}

} // namespace nereid::host
