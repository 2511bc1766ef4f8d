// Reply.cpp - reads replies of a Redis server.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "redis/Reply.h"

#include <algorithm>
#include <charconv>

namespace nereid::redis {

// Redis limits its own error texts to less.
static constexpr size_t longestLine = 1024;
static constexpr std::string_view lineEnd = "\r\n";

static std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last)
    return std::nullopt;
  return value;
}

ReplyReader::State ReplyReader::malformed(std::string text) {
  wrong = std::move(text);
  return state = State::Malformed;
}

ReplyReader::State ReplyReader::readLine() {
  constexpr std::string_view types = "+-:$";
  if (line.empty() && !rest.empty() && types.find(rest[0]) == types.npos)
    return malformed("the reply starts with byte " +
                     std::to_string(static_cast<unsigned char>(rest[0])) +
                     ", expected one of '+', '-', ':' and '$'");
  while (!rest.empty() && !line.ends_with(lineEnd)) {
    // Up to the next line feed, which ends the line if it follows a return.
    size_t count = std::min(rest.find('\n'), rest.size() - 1) + 1;
    if (line.size() + count > longestLine)
      return malformed("the reply's first line is longer than " +
                       std::to_string(longestLine) + " bytes");
    line += rest.substr(0, count);
    rest.remove_prefix(count);
  }
  if (!line.ends_with(lineEnd))
    return State::Incomplete;
  isLine = false;
  std::string_view text = line;
  text.remove_prefix(1);
  text.remove_suffix(lineEnd.size());
  std::optional<int64_t> number = parseInteger(text);
  switch (line[0]) {
  case '+':
  case '-':
    result = {line[0] == '+' ? Reply::Kind::Text : Reply::Kind::Error,
              std::string(text)};
    return state = State::Complete;
  case ':':
    if (!number)
      return malformed("an integer in the reply has other characters");
    result = {Reply::Kind::Integer, std::string(text)};
    return state = State::Complete;
  default:
    break;
  }
  if (!number || *number < -1)
    return malformed("the size of a value is not a number");
  if (*number == -1) {
    result = {Reply::Kind::Nothing, {}};
    return state = State::Complete;
  }
  size = static_cast<uint64_t>(*number);
  if (*size > mostBytes) {
    wrong = "a value of " + std::to_string(*size) +
            " bytes, expected at most " + std::to_string(mostBytes);
    return state = State::TooLarge;
  }
  result.kind = Reply::Kind::Bytes;
  return State::Incomplete;
}

ReplyReader::State ReplyReader::readValue() {
  size_t count = std::min<uint64_t>(rest.size(), *size - result.text.size());
  result.text += rest.substr(0, count);
  rest.remove_prefix(count);
  for (; !rest.empty() && ends < lineEnd.size(); ++ends) {
    if (rest[0] != lineEnd[ends])
      return malformed("a value is longer than its size says");
    rest.remove_prefix(1);
  }
  if (ends == lineEnd.size())
    state = State::Complete;
  return state;
}

ReplyReader::State ReplyReader::feed(std::string_view bytes) {
  rest = bytes;
  if (state == State::Incomplete && isLine)
    readLine();
  if (state == State::Incomplete && !isLine)
    readValue();
  if (state == State::Complete && !rest.empty())
    return malformed("bytes follow the reply");
  return state;
}

} // namespace nereid::redis
